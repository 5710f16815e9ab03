//! Multi-start local search: climbs to the best of all neighbours, then begins elsewhere.

use registry::{Knobs, Preset};
use search_api::{Problem, Stop, Strategy};

use super::walks::{
    climb::{Climb, NEIGHBOURHOOD, Step, neighbourhood},
    multi_start::{DRAWS, multi_start},
};
use crate::problem::{explorer::Explorer, form::TPDS2026};

inventory::submit!(Strategy {
    name: "mls",
    aliases: &["multi_start_local_search"],
    about: "climbs to the best of all neighbours until none is better, then from somewhere else",
    reference: "Martí, Multi-Start Methods, Handbook of Metaheuristics, 2003",
    knobs: &[NEIGHBOURHOOD, DRAWS],
    presets: &[Preset {
        name: "tpds2026",
        reference: TPDS2026,
        knobs: &[("neighbourhood", "hamming_adjacent"), ("draws", "1")],
    },],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let climb = Climb { neighbourhood: neighbourhood(knobs), step: Step::Best };
    multi_start(&mut explorer, &space, climb, knobs.integer("draws"))
}
