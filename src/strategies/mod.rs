//! Search strategies, a file each.
//! A strategy sees a [`Problem`] and nothing else, so it runs unchanged on a device, on a recorded
//! space and on a function in a test. It has no stop logic: the budget ends it through `?`.

mod pareto;
mod populations;
mod problem;
mod surrogate;
mod walks;

// Strategies.
mod adaptive_tabu_greywolf;
mod basinhopping;
mod bayes_opt;
mod default;
mod diff_evo;
mod dual_annealing;
mod exhaustive;
mod firefly_algorithm;
mod genetic_algorithm;
mod greedy_ils;
mod greedy_mls;
mod hybrid_vndx;
mod local_search;
mod mls;
mod nsga2;
mod nsga3;
mod ordered_greedy_mls;
mod pso;
mod pyatf_differential_evolution;
mod random;
mod simulated_annealing;

pub use problem::{
    Evaluation, Objectives, Problem, Stop,
    analytic::Analytic,
    budget::{Budget, Spent},
    ledger::{Answer, Ledger},
};

pub use crate::registry::{Allowed, Knob, KnobError, Knobs};
use crate::registry::{Entry, Named, Registry};

/// A way to search a space for its best configurations.
pub trait Strategy: Sync {
    /// The name that users type.
    fn name(&self) -> &'static str;

    /// Other names for it.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// One sentence for lists and help.
    fn about(&self) -> &'static str;

    /// Publication or model that it follows.
    fn reference(&self) -> &'static str;

    /// Knobs that it reads.
    fn knobs(&self) -> &'static [Knob] {
        &[]
    }

    /// Searches until the problem stops it, or nothing is left to propose.
    ///
    /// # Errors
    /// The problem's [`Stop`], which is the ordinary end.
    fn search(&self, problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop>;
}

inventory::collect!(Entry<dyn Strategy>);

/// All strategies.
pub static STRATEGIES: Registry<dyn Strategy> = Registry::new("strategy");

impl Named for dyn Strategy {
    fn name(&self) -> &'static str {
        Strategy::name(self)
    }

    fn about(&self) -> &'static str {
        Strategy::about(self)
    }

    fn aliases(&self) -> &'static [&'static str] {
        Strategy::aliases(self)
    }
}
