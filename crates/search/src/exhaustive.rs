//! Exhaustive search: every configuration, in the order of the space.

use registry::Knobs;
use search_api::{Problem, Stop, Strategy};
use space::ConfigurationId;

/// Configurations per call of `evaluate_all`.
const AHEAD: u64 = 16;

inventory::submit!(Strategy {
    name: "exhaustive",
    aliases: &["brute_force"],
    about: "tries every configuration in order; finds the optimum if the budget allows",
    reference: "none needed",
    knobs: &[],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, _knobs: &Knobs) -> Result<(), Stop> {
    problem.evaluate_all(&problem.starts())?;
    let end = problem.space().len();
    let mut next = 0;
    while next < end {
        let after = end.min(next + AHEAD);
        let batch: Vec<_> = (next..after).map(ConfigurationId).collect();
        problem.evaluate_all(&batch)?;
        next = after;
    }
    Ok(())
}
