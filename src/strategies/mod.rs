//! Search strategies: one file each, which hands in its entry.
//!
//! A strategy sees a [`Problem`] and nothing else, so it runs unchanged on a device, on a
//! recorded space and on a function in a test. It holds no stop logic: the budget ends it
//! through `?`.

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

pub use populations::repair;
pub use problem::{
    Evaluation, Objectives, Problem, Stop,
    analytic::Analytic,
    budget::{Budget, Spent},
    explorer::Explorer,
    ledger::{Ledger, Lookup},
    memory::{Memory, PastTrial, Source, Whence},
};
pub(crate) use surrogate::told_against;

pub use crate::registry::{Allowed, Knob, KnobError, Knobs, Preset};
use crate::registry::{Registered, Registry};

/// A way to search a space for its best configurations.
pub struct Strategy {
    /// The name users type.
    pub name: &'static str,
    /// Other names it is known by.
    pub aliases: &'static [&'static str],
    /// One sentence for lists and help.
    pub about: &'static str,
    /// Where it was published, or what it follows.
    pub reference: &'static str,
    /// The settings it understands.
    pub knobs: &'static [Knob],
    /// Settings of papers.
    pub presets: &'static [Preset],
    /// Searches until the problem says stop, its ordinary end, or until it has nothing left to
    /// propose.
    pub search: &'static Search,
}

/// How a strategy searches: a function, or a closure over the text of a script.
pub type Search = dyn Fn(&mut dyn Problem, &Knobs) -> Result<(), Stop> + Send + Sync;

impl Strategy {
    /// Its settings, from the knobs that are given, a preset among them if wanted.
    ///
    /// # Errors
    /// For an unknown knob or preset, or a value that is not allowed.
    pub fn settings<'a>(
        &self,
        given: impl IntoIterator<Item = (&'a String, &'a String)>,
    ) -> Result<Knobs, KnobError> {
        Knobs::with_presets(self.knobs, self.presets, given)
    }
}

inventory::collect!(Strategy);

/// Every strategy.
pub static STRATEGIES: Registry<Strategy> = Registry::new("strategy");

impl Registered for Strategy {
    fn name(&self) -> &'static str {
        self.name
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }
}
