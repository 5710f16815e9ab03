//! Members of a population: configurations with their objectives.

use math::fronts;
use search_api::Evaluation;
use space::ConfigurationId;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParetoMember {
    pub(crate) id: ConfigurationId,
    /// Objectives, lower is better; empty if the configuration failed.
    pub(crate) objectives: Vec<f64>,
}

impl AsRef<[f64]> for ParetoMember {
    fn as_ref(&self) -> &[f64] {
        &self.objectives
    }
}

impl ParetoMember {
    /// An infinite objective counts as a failure, since distances to it are infinite.
    pub(super) fn new(id: ConfigurationId, evaluation: Evaluation) -> Self {
        let usable =
            evaluation.score.is_some() && evaluation.objectives.iter().all(|o| o.is_finite());
        Self { id, objectives: if usable { evaluation.objectives.into_vec() } else { Vec::new() } }
    }

    pub(crate) fn failed(&self) -> bool {
        self.objectives.is_empty()
    }
}

/// The members by rank, the front first, failures last.
pub(crate) fn ranked(members: Vec<ParetoMember>) -> Vec<Vec<ParetoMember>> {
    let (failed, valid): (Vec<ParetoMember>, Vec<ParetoMember>) =
        members.into_iter().partition(ParetoMember::failed);
    let mut ranks: Vec<Vec<ParetoMember>> = fronts(&valid)
        .into_iter()
        .map(|rank| rank.into_iter().map(|at| valid[at].clone()).collect())
        .collect();
    if !failed.is_empty() {
        ranks.push(failed);
    }
    ranks
}
