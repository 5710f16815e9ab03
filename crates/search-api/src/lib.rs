//! What a search is given and what it returns: a [`Problem`] to learn from, a [`Strategy`] that
//! learns, and a [`Stop`] that ends it. Strategies and the code that runs them both know this
//! crate, but not each other.
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
    /// Other names of the strategy.
    pub aliases: &'static [&'static str],
    /// One sentence for lists and help.
    pub about: &'static str,
    /// Where it was published, or what it follows.
    pub reference: &'static str,
    /// The settings it understands.
    pub knobs: &'static [Knob],
    /// Settings that papers used.
    pub presets: &'static [Preset],
    /// Searches until the problem returns [`Stop`]. It may end earlier if nothing is left to
    /// propose.
    pub search: &'static Search,
}

/// How a strategy searches: a function, or a closure over the text of a script.
pub type Search = dyn Fn(&mut dyn Problem, &Knobs) -> Result<(), Stop> + Send + Sync;

impl Strategy {
    /// Settings of this strategy from the given knobs, which may name a preset.
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
