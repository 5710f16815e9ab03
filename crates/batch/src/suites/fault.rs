//! Faults of a suite's file, with line and column.

use std::{error, fmt};

use yaml::{Place, YamlFault};

/// Faults shown at most; the rest are counted.
const SHOWN: usize = 12;

/// A fault of a suite.
pub type SuiteFault = YamlFault;

/// All faults of a suite, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteFaults {
    /// The file, or the name of a built-in suite.
    pub origin: String,
    /// The faults, at least one.
    pub faults: Vec<SuiteFault>,
}

impl SuiteFaults {
    /// Faults of a file, sorted, each once.
    #[must_use]
    pub fn new(origin: &str, mut faults: Vec<SuiteFault>) -> Self {
        faults.sort();
        faults.dedup();
        Self { origin: origin.to_owned(), faults }
    }
}

impl fmt::Display for SuiteFaults {
    /// One sentence per line; all lines but the first begin as errors do.
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

/// Where faults are gathered while a file is read.
#[derive(Debug, Default)]
pub(super) struct Faults(pub(super) Vec<SuiteFault>);

impl Faults {
    pub(super) fn add(&mut self, place: Place, message: impl fmt::Display) {
        self.0.push(YamlFault { place, message: message.to_string() });
    }

    /// The value, if there were no faults.
    pub(super) fn or<T>(self, value: T) -> Result<T, Vec<SuiteFault>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}
