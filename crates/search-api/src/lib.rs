//! What a search is given and what it answers: a [`Problem`] to learn from, a [`Strategy`] that learns, a
//! [`Stop`] that ends it. Strategies and those who run them both know this crate, and not each other.
//!
//! Pure: no devices, files, clocks or threads. It never knows a strategy. Begin with `problem.rs`.

mod analytic;
mod budget;
mod found;
mod ledger;
mod memory;
mod problem;

pub use analytic::Analytic;
pub use budget::{Budget, Spent};
pub use found::{Found, ScriptLoader, StrategyFault, is_script, strategy};
pub use ledger::{Ledger, Lookup};
pub use memory::{Memory, PastTrial, Provenance, Source, SourceJudge};
pub use problem::{Evaluation, Objectives, Problem, Stop};
pub use registry::{Allowed, Knob, KnobError, Knobs, Preset};

use registry::{Registered, Registry};

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
