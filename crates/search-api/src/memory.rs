//! Memory: what was evaluated of the same kernel elsewhere.

use space::{ConfigurationId, Space, Value};

/// Evaluations of the same kernel elsewhere: on other devices, of other sizes, by older versions, or at other sizes of
/// the same study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// One entry for each device and size where they were made, and one for all other sizes of the study.
    pub sources: Vec<Source>,
}

/// What one search evaluated, or all of a study before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// What it is called in records.
    pub name: String,
    /// Where it was made.
    pub from: Provenance,
    /// The device where it was made, unless it is known to have the same vendor as the one that is searched on.
    pub other_vendor: Option<String>,
    /// Its parameters; they are the target's where they have the same name.
    pub parameters: Vec<String>,
    /// Its evaluations, in order.
    pub trials: Vec<PastTrial>,
}

/// Where a source was made, seen from the search that learns from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provenance {
    /// Other sizes of the same study: the same kernel and the same objective.
    OwnStudy,
    /// The same size on another device: what was valid there is valid here.
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
    /// The configuration of a space that one of its trials is, if it is one.
    pub fn id_of(&self, space: &Space, trial: &PastTrial) -> Option<ConfigurationId> {
        space.id_of_named(self.parameters.iter().map(String::as_str).zip(&trial.values))
    }
}

/// What problems without a memory have.
pub(super) static NOTHING: Memory = Memory { sources: Vec::new() };

/// What speaks against each source of a memory, in words. The crate of the strategies submits it.
pub struct SourceJudge(pub fn(&Space, &[Source]) -> Vec<Option<String>>);

inventory::collect!(SourceJudge);

impl Memory {
    /// What speaks against each of its sources on a space, in words.
    #[must_use]
    pub fn told_against(&self, space: &Space) -> Vec<Option<String>> {
        let judge = inventory::iter::<SourceJudge>().next();
        let nothing = || vec![None; self.sources.len()];
        judge.map_or_else(nothing, |SourceJudge(judge)| judge(space, &self.sources))
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.iter().all(|source| source.trials.is_empty())
    }
}
