//! Greedy multi-start local search that tries parameters in the author's order, most important
//! first.

use registry::Knobs;
use search_api::{Problem, Stop, Strategy};

use super::walks::{
    climb::{Climb, NEIGHBOURHOOD, Step, neighbourhood},
    multi_start::{DRAWS, multi_start},
};
use crate::problem::explorer::Explorer;

inventory::submit!(Strategy {
    name: "ordered_greedy_mls",
    aliases: &["ordered_greedy_multi_start_local_search"],
    about: "as greedy_mls, but tries the parameters one after the other in their order",
    reference: "Schoonhoven, van Werkhoven and Batenburg, Benchmarking Optimization Algorithms for Auto-Tuning GPU Kernels, IEEE TEVC 27, 2022",
    knobs: &[NEIGHBOURHOOD, DRAWS],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let climb = Climb { neighbourhood: neighbourhood(knobs), step: Step::FirstInOrder };
    multi_start(&mut explorer, &space, climb, knobs.integer("draws"))
}
