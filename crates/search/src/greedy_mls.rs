//! Greedy multi-start local search: a climb moves to the first better neighbour, in random order,
//! until none is better. The next climb begins at an unknown configuration.

use registry::Knobs;
use search_api::{Problem, Stop, Strategy};

use super::walks::{
    climb::{Climb, NEIGHBOURHOOD, Step, neighbourhood},
    multi_start::{DRAWS, multi_start},
};
use crate::problem::explorer::Explorer;

inventory::submit!(Strategy {
    name: "greedy_mls",
    aliases: &["greedy_multi_start_local_search"],
    about: "climbs to the first better neighbour until none is better, then from somewhere else",
    reference: "Schoonhoven, van Werkhoven and Batenburg, Benchmarking Optimization Algorithms for Auto-Tuning GPU Kernels, IEEE TEVC 27, 2022",
    knobs: &[NEIGHBOURHOOD, DRAWS],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let climb = Climb { neighbourhood: neighbourhood(knobs), step: Step::First };
    multi_start(&mut explorer, &space, climb, knobs.integer("draws"))
}
