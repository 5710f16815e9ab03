//! Faults of a suite's file, with line and column.

use std::{error, fmt};

use yaml::{Place, YamlFault};

/// Most faults that are shown. Further faults are only counted.
const SHOWN: usize = 12;

/// A fault in a suite's file.
pub type SuiteFault = YamlFault;

/// All faults of a suite, sorted by their places in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteFaults {
    /// The file, or the name of a built-in suite.
    pub origin: String,
    /// The faults, at least one.
    pub faults: Vec<SuiteFault>,
}

impl SuiteFaults {
    /// Sorts the faults of a file, and removes duplicates.
    #[must_use]
    pub fn new(origin: &str, mut faults: Vec<SuiteFault>) -> Self {
        faults.sort();
        faults.dedup();
        Self { origin: origin.to_owned(), faults }
    }
}

impl fmt::Display for SuiteFaults {
    /// Writes one sentence per line. All lines but the first begin with `error: `.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.faults.iter().take(SHOWN).enumerate() {
            let before = if at == 0 { "" } else { "\nerror: " };
            write!(f, "{before}{}:{}: {}", self.origin, fault.place, fault.message)?;
        }
        match self.faults.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nerror: {}: {more} more like these", self.origin),
        }
    }
}

impl error::Error for SuiteFaults {}

/// Collects faults while a file is read.
#[derive(Debug, Default)]
pub(super) struct Faults(pub(super) Vec<SuiteFault>);

impl Faults {
    pub(super) fn add(&mut self, place: Place, message: impl fmt::Display) {
        self.0.push(YamlFault { place, message: message.to_string() });
    }

    /// Returns the value if there are no faults.
    pub(super) fn or<T>(self, value: T) -> Result<T, Vec<SuiteFault>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}
