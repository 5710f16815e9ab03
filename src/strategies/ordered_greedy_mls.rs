//! Greedy multi-start local search in the author's order of parameters: most important first.

use super::{
    Knob, Knobs, Problem, Stop, Strategy,
    problem::explorer::Explorer,
    walks::{
        climb::{Climb, NEIGHBOURHOOD, Step, neighbourhood},
        multi_start::{DRAWS, multi_start},
    },
};
use crate::registry::Entry;

inventory::submit!(Entry::<dyn Strategy>(&OrderedGreedyMls));

struct OrderedGreedyMls;

impl Strategy for OrderedGreedyMls {
    fn name(&self) -> &'static str {
        "ordered_greedy_mls"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["ordered_greedy_multi_start_local_search"]
    }

    fn about(&self) -> &'static str {
        "as greedy_mls, but looks at one parameter after the other in their order"
    }

    fn reference(&self) -> &'static str {
        "Schoonhoven, van Werkhoven and Batenburg, Benchmarking Optimization Algorithms for Auto-Tuning GPU Kernels, IEEE TEVC 27, 2022"
    }

    fn knobs(&self) -> &'static [Knob] {
        &[NEIGHBOURHOOD, DRAWS]
    }

    fn search(&self, problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
        let space = problem.space();
        let mut explorer = Explorer::new(problem);
        let climb = Climb { neighbourhood: neighbourhood(knobs), step: Step::FirstInOrder };
        multi_start(&mut explorer, &space, climb, knobs.integer("draws"))
    }
}
