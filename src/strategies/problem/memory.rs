//! Memory: what was evaluated of the same kernel elsewhere.

use crate::space::Value;

/// Evaluations of the same kernel elsewhere: on other devices, of other sizes, by older versions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Where they were made, one entry for each device and size.
    pub sources: Vec<Source>,
}

/// What one search evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// What it is called in records.
    pub name: String,
    /// Whether it is of the size that is searched on another device, so that what was valid there is valid here.
    pub same_size: bool,
    /// Its parameters; they are the target's where they have the same name.
    pub parameters: Vec<String>,
    /// Its evaluations, in order.
    pub trials: Vec<PastTrial>,
}

/// One evaluation of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct PastTrial {
    /// A value for each parameter of the source.
    pub values: Vec<Value>,
    /// Cost, lower is better, in any unit; not finite for a failure.
    pub cost: f64,
}

/// What problems without a memory have.
pub(super) static NOTHING: Memory = Memory { sources: Vec::new() };

impl Memory {
    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.iter().all(|source| source.trials.is_empty())
    }
}
