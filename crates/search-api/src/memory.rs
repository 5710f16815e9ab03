//! Prior: what was evaluated of the same kernel elsewhere.

use space::{ConfigurationId, Space, Value};

/// Evaluations of the same kernel on other devices, at other sizes, of older versions, or at other
/// sizes of the same study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// One source per device and size, and one for all other sizes of the study.
    pub sources: Vec<Source>,
}

/// Evaluations of one device at one size, or of all other sizes of the study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// Name of the source in records.
    pub name: String,
    /// Where it was made, relative to the search that uses it.
    pub from: Provenance,
    /// The device where it was made, if its name shows another vendor or kind than the searched
    /// device's.
    pub other_vendor: Option<String>,
    /// Names of its parameters. A parameter of the target with the same name is the same parameter.
    pub parameters: Vec<String>,
    /// Its evaluations, in order.
    pub trials: Vec<PastTrial>,
}

/// Where a source was made, relative to the search that uses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provenance {
    /// Other sizes of the same study: the same kernel and the same objective.
    OwnStudy,
    /// The same size on another device: configurations that were valid there are valid here.
    SameSize,
    /// Another size on any device, or unknown.
    #[default]
    OtherSize,
}

/// One evaluation of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct PastTrial {
    /// A value for each parameter of the source.
    pub values: Vec<Value>,
    /// Cost, lower is better, in any unit; not finite for a failure.
    pub cost: f64,
}

impl Source {
    /// The configuration of a space with the values of a trial, if the space has it.
    pub fn id_of(&self, space: &Space, trial: &PastTrial) -> Option<ConfigurationId> {
        space.id_of_named(self.parameters.iter().map(String::as_str).zip(&trial.values))
    }
}

/// The prior of problems that have none.
pub(super) static NOTHING: Memory = Memory { sources: Vec::new() };

/// Says what speaks against each source of a prior. The crate of the strategies submits the
/// function.
pub struct SourceJudge(pub fn(&Space, &[Source]) -> Vec<Option<String>>);

inventory::collect!(SourceJudge);

impl Memory {
    /// What speaks against each source on a space, in words; `None` where nothing does.
    #[must_use]
    pub fn told_against(&self, space: &Space) -> Vec<Option<String>> {
        let judge = inventory::iter::<SourceJudge>().next();
        let nothing = || vec![None; self.sources.len()];
        judge.map_or_else(nothing, |SourceJudge(judge)| judge(space, &self.sources))
    }

    /// Whether no source has a trial.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.iter().all(|source| source.trials.is_empty())
    }
}
