//! Exhaustive search: every configuration, in the order of the space.

use super::{Knobs, Problem, Stop, Strategy};
use crate::{registry::Entry, space::ConfigurationId};

/// Configurations announced ahead.
const AHEAD: u64 = 16;

inventory::submit!(Entry::<dyn Strategy>(&Exhaustive));

struct Exhaustive;

impl Strategy for Exhaustive {
    fn name(&self) -> &'static str {
        "exhaustive"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["brute_force"]
    }

    fn about(&self) -> &'static str {
        "tries every configuration in order; finds the optimum if the budget allows"
    }

    fn reference(&self) -> &'static str {
        "none needed"
    }

    fn search(&self, problem: &mut dyn Problem, _knobs: &Knobs) -> Result<(), Stop> {
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
}
