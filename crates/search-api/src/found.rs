//! Finds a strategy by what users type: the name of a registered one, or the path of a script.

use registry::Unknown;

use crate::{STRATEGIES, Strategy};

/// Ending of the names of scripts.
const ENDING: &str = ".luau";

/// Makes strategies of scripts. A program that links no loader has no scripts.
pub struct ScriptLoader {
    /// Loads the strategy at a path. `recorded` is the text in a study's record, for a file that is
    /// gone; it may be empty.
    pub load: fn(path: &str, recorded: &str) -> Result<Found, String>,
}

inventory::collect!(ScriptLoader);

/// A strategy, and the text of its script, which records keep.
#[derive(Clone)]
pub struct Found {
    /// The strategy.
    pub strategy: &'static Strategy,
    /// The text of its script; empty for a registered strategy.
    pub text: String,
}

/// Why no strategy was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyFault {
    /// No strategy has this name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A script cannot be read, is faulty, or cannot run in this program.
    #[error("{0}")]
    Script(String),
}

/// Whether a name is the path of a script.
#[must_use]
pub fn is_script(name: &str) -> bool {
    name.ends_with(ENDING)
}

/// The strategy of this name. A script is read from its file. If the file is gone, it is read from
/// `recorded`, the text in a study's record, or from the examples in the program.
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
