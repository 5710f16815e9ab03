//! Greedy multi-start local search: a climb moves to the first better neighbour, in random order,
//! until none is better; then the next begins at an unknown configuration.

use super::{
    Knob, Knobs, Problem, Stop, Strategy,
    problem::explorer::Explorer,
    walks::{
        climb::{Climb, NEIGHBOURHOOD, Step, neighbourhood},
        multi_start::{DRAWS, multi_start},
    },
};
use crate::registry::Entry;

inventory::submit!(Entry::<dyn Strategy>(&GreedyMls));

struct GreedyMls;

impl Strategy for GreedyMls {
    fn name(&self) -> &'static str {
        "greedy_mls"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["greedy_multi_start_local_search"]
    }

    fn about(&self) -> &'static str {
        "climbs to the first better neighbour until none is better, then from somewhere else"
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
        let climb = Climb { neighbourhood: neighbourhood(knobs), step: Step::First };
        multi_start(&mut explorer, &space, climb, knobs.integer("draws"))
    }
}
