//! The members of a population, and how a first one is made.

use crate::{
    space::{Configuration, ConfigurationId, Space},
    strategies::{Stop, problem::explorer::Explorer},
};

/// How many members of a first population are evaluated together.
const TOGETHER: usize = 4;
/// The fewest members a first population has, whatever the budget.
const FEWEST: usize = 6;

/// One of a population: a configuration and its cost.
#[derive(Clone, Debug)]
pub(in crate::strategies) struct Member {
    pub(in crate::strategies) id: ConfigurationId,
    pub(in crate::strategies) genes: Configuration,
    /// Infinite where the configuration failed.
    pub(in crate::strategies) cost: f64,
}

impl Member {
    pub(in crate::strategies) fn new(space: &Space, id: ConfigurationId, cost: f64) -> Self {
        Self { id, genes: space.configuration(id), cost }
    }
}

/// Best first; equals stay in order.
pub(in crate::strategies) fn rank(members: &mut [Member]) {
    members.sort_by(|a, b| a.cost.total_cmp(&b.cost));
}

/// `drawn` with the starts in place of its first ones, none twice.
pub(in crate::strategies) fn with_starts(
    starts: &[ConfigurationId],
    drawn: &[ConfigurationId],
) -> Vec<ConfigurationId> {
    let mut ids: Vec<ConfigurationId> = Vec::with_capacity(drawn.len().max(starts.len()));
    for id in starts.iter().chain(drawn) {
        if !ids.contains(id) && ids.len() < drawn.len().max(starts.len()) {
            ids.push(*id);
        }
    }
    ids
}

/// A first population of `ids`, evaluated together.
pub(in crate::strategies) fn evaluated(
    explorer: &mut Explorer<'_>,
    space: &Space,
    ids: &[ConfigurationId],
) -> Result<Vec<Member>, Stop> {
    let costs = explorer.costs(ids)?;
    Ok(ids.iter().zip(costs).map(|(id, cost)| Member::new(space, *id, cost)).collect())
}

/// As [`evaluated`], but no more than `share` of the budget goes into it, six members apart.
pub(in crate::strategies) fn affordable(
    explorer: &mut Explorer<'_>,
    space: &Space,
    ids: &[ConfigurationId],
    share: f64,
) -> Result<Vec<Member>, Stop> {
    let mut members = Vec::with_capacity(ids.len());
    for some in ids.chunks(TOGETHER) {
        if members.len() >= FEWEST && explorer.progress() >= share {
            break;
        }
        members.extend(evaluated(explorer, space, some)?);
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_replace_what_was_drawn_and_nothing_is_twice() {
        let ids = |list: &[u64]| list.iter().map(|id| ConfigurationId(*id)).collect::<Vec<_>>();
        assert_eq!(with_starts(&ids(&[7, 2]), &ids(&[1, 2, 3, 4])), ids(&[7, 2, 1, 3]));
        assert_eq!(with_starts(&[], &ids(&[1, 2])), ids(&[1, 2]));
        assert_eq!(with_starts(&ids(&[1, 2, 3]), &ids(&[4])), ids(&[1, 2, 3]));
    }
}
