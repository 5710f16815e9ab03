//! From what users type to a strategy: a registered one by its name, or a script by its path.

use registry::Unknown;

use crate::{STRATEGIES, Strategy};

/// How the names of scripts end.
const ENDING: &str = ".luau";

/// What makes strategies of scripts. A program that links none has no scripts.
pub struct ScriptLoader {
    /// The strategy of a path. The text is that of a study's record, for a file that is gone; it may be empty.
    pub load: fn(path: &str, recorded: &str) -> Result<Found, String>,
}

inventory::collect!(ScriptLoader);

/// A strategy, and the text of the script that it is, which records keep; empty if it is none.
#[derive(Clone)]
pub struct Found {
    /// The strategy.
    pub strategy: &'static Strategy,
    /// The text of its script.
    pub text: String,
}

/// Why there is no such strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyFault {
    /// None has this name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A script cannot be read, or is none.
    #[error("{0}")]
    Script(String),
}

/// Whether a name is that of a script.
#[must_use]
pub fn is_script(name: &str) -> bool {
    name.ends_with(ENDING)
}

/// The strategy of this name. A script is read from its file, or where there is none, from `recorded`, the text
/// in a study's record, or from the examples in the program.
///
/// # Errors
/// If no strategy has this name, or if the script cannot be read or is faulty.
pub fn strategy(name: &str, recorded: &str) -> Result<Found, StrategyFault> {
    if !is_script(name) {
        return Ok(Found { strategy: STRATEGIES.named(name)?, text: String::new() });
    }
    match inventory::iter::<ScriptLoader>().next() {
        Some(loader) => (loader.load)(name, recorded).map_err(StrategyFault::Script),
        None => Err(StrategyFault::Script(format!(
            "`{name}` is a script, and scripts run in `autobench-lab`; build it with `cargo install --path crates/lab`"
        ))),
    }
}
