//! Multi-start local search: climbs to the best of all neighbours, then begins elsewhere.

use super::{
    Knob, Knobs, Problem, Stop, Strategy,
    problem::explorer::Explorer,
    walks::{
        climb::{Climb, NEIGHBOURHOOD, Step, neighbourhood},
        multi_start::{DRAWS, multi_start},
    },
};
use crate::registry::Entry;

inventory::submit!(Entry::<dyn Strategy>(&Mls));

struct Mls;

impl Strategy for Mls {
    fn name(&self) -> &'static str {
        "mls"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["multi_start_local_search"]
    }

    fn about(&self) -> &'static str {
        "climbs to the best of all neighbours until none is better, then from somewhere else"
    }

    fn reference(&self) -> &'static str {
        "Martí, Multi-Start Methods, Handbook of Metaheuristics, 2003"
    }

    fn knobs(&self) -> &'static [Knob] {
        &[NEIGHBOURHOOD, DRAWS]
    }

    fn search(&self, problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
        let space = problem.space();
        let mut explorer = Explorer::new(problem);
        let climb = Climb { neighbourhood: neighbourhood(knobs), step: Step::Best };
        multi_start(&mut explorer, &space, climb, knobs.integer("draws"))
    }
}
