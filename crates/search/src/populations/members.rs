//! Members of a population, and the first population.

use search_api::Stop;
use space::{Configuration, ConfigurationId, Space};

use crate::problem::explorer::Explorer;

/// Number of members of a first population that are evaluated together.
const TOGETHER: usize = 4;
/// Fewest members of a first population, whatever the budget.
const FEWEST: usize = 6;

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) id: ConfigurationId,
    pub(crate) genes: Configuration,
    /// Infinite if the configuration failed.
    pub(crate) cost: f64,
}

impl Member {
    pub(crate) fn new(space: &Space, id: ConfigurationId, cost: f64) -> Self {
        Self { id, genes: space.configuration(id), cost }
    }
}

/// Sorts best first; equals stay in order.
pub(crate) fn rank(members: &mut [Member]) {
    members.sort_by(|a, b| a.cost.total_cmp(&b.cost));
}

/// The starts, then `drawn`, without repetition; as many as the longer of both lists.
pub(crate) fn with_starts(
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

/// A population of `ids`, evaluated together.
pub(crate) fn evaluated(
    explorer: &mut Explorer<'_>,
    space: &Space,
    ids: &[ConfigurationId],
) -> Result<Vec<Member>, Stop> {
    let costs = explorer.costs(ids)?;
    Ok(ids.iter().zip(costs).map(|(id, cost)| Member::new(space, *id, cost)).collect())
}

/// As [`evaluated`], but ends once `share` of the budget is spent and there are [`FEWEST`] members.
pub(crate) fn affordable(
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
