//! The closed sizes of a study as a source of the prior for the search at another size.
//!
//! A size whose configurations compile slowly tries few of them, so its search also uses the trials
//! of all other sizes. The costs of each size are scaled to those of the farther sizes, by the
//! configurations that both tried. If several sizes tried a configuration, the cost at the nearest
//! size counts.

use std::collections::{BTreeMap, HashMap};

use math::median;
use records::{Event, Phase, Trial};
use search_api::{PastTrial, Provenance, Source};

use super::StudyJournal;

/// Returns the search trials of the closed sizes; of the size itself only those before it closed, so
/// that a resumed search repeats its choices. Returns `None` if there are none, or if a score
/// is not positive: costs are scaled by factors.
pub(super) fn source(journal: &StudyJournal, size: u64) -> Option<Source> {
    let mut sizes: BTreeMap<u64, Vec<&Trial>> =
        journal.closed().into_keys().map(|closed| (closed, Vec::new())).collect();
    let mut own_is_closed = false;
    for event in journal.events() {
        own_is_closed |= matches!(event, Event::SizeClosed(closed) if closed.size == size);
        if let Event::Trial(event) = event
            && event.trial.phase == Phase::Search
            && !(own_is_closed && event.trial.size == size)
            && let Some(trials) = sizes.get_mut(&event.trial.size)
        {
            trials.push(&event.trial);
        }
    }
    let scores = sizes.values().flatten().filter_map(|trial| trial.score);
    if scores.into_iter().any(|score| score <= 0.0 || !score.is_finite()) {
        return None;
    }
    let mut sizes: Vec<(u64, Vec<&Trial>)> = sizes.into_iter().collect();
    let distance = |(at, _): &(u64, Vec<&Trial>)| (*at as f64 / size as f64).ln().abs();
    sizes.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let mut known = Known::default();
    sizes.iter().for_each(|(_, trials)| known.learn(trials));
    let Known { trials, parameters, .. } = known;
    let name = "earlier sizes".to_owned();
    (!trials.is_empty()).then_some(Source {
        name,
        from: Provenance::OwnStudy,
        other_vendor: None,
        parameters,
        trials,
    })
}

/// Configurations in the order in which they were first tried, with costs on one scale.
#[derive(Default)]
struct Known {
    trials: Vec<PastTrial>,
    at: HashMap<String, usize>,
    parameters: Vec<String>,
}

impl Known {
    /// Adds the trials of a size that is nearer than those added before.
    fn learn(&mut self, trials: &[&Trial]) {
        let keys: Vec<String> = trials.iter().map(|trial| trial.configuration.key()).collect();
        let both = trials.iter().zip(&keys).filter_map(|(trial, key)| {
            let known = self.trials[*self.at.get(key)?].cost;
            Some(known / trial.score?).filter(|ratio| ratio.is_finite())
        });
        let both: Vec<f64> = both.collect();
        let best = trials.iter().filter_map(|trial| trial.score).reduce(f64::min);
        // Without a configuration that both tried, their best costs are taken as equal.
        let alike = || self.trials.iter().map(|trial| trial.cost).fold(f64::INFINITY, f64::min);
        let scale = match (both.is_empty(), best) {
            (false, _) => median(&both),
            (true, Some(best)) => {
                Some(alike()).filter(|cost| cost.is_finite()).unwrap_or(1.0) / best
            }
            (true, None) => 1.0,
        };
        for (trial, key) in trials.iter().zip(keys) {
            let cost = trial.score.map_or(f64::INFINITY, |score| score * scale);
            if let Some(at) = self.at.get(&key) {
                self.trials[*at].cost = cost;
                continue;
            }
            let (names, values): (Vec<String>, _) = trial.configuration.0.iter().cloned().unzip();
            if self.parameters.is_empty() {
                self.parameters = names;
            } else {
                debug_assert_eq!(self.parameters, names, "all sizes have the same parameters");
            }
            self.at.insert(key, self.trials.len());
            self.trials.push(PastTrial { values, cost });
        }
    }
}

#[cfg(test)]
mod tests {
    use records::{Costs, Named, Outcome, Status};
    use space::Value;

    use super::*;

    /// Returns the cost of every tile. Each size is a list of tiles and their scores.
    fn learnt(sizes: &[&[(i64, Option<f64>)]]) -> Vec<(Value, f64)> {
        let trial = |(tile, score): &(i64, Option<f64>)| Trial {
            size: 1,
            phase: Phase::Search,
            configuration: Named(vec![("tile".to_owned(), Value::Int(*tile))]),
            outcome: Outcome::failed(Status::Measured, "", Costs::default()),
            score: *score,
        };
        let mut known = Known::default();
        for size in sizes {
            let trials: Vec<Trial> = size.iter().map(trial).collect();
            known.learn(&trials.iter().collect::<Vec<_>>());
        }
        assert_eq!(known.parameters, ["tile"]);
        known.trials.into_iter().map(|trial| (trial.values[0].clone(), trial.cost)).collect()
    }

    #[test]
    fn sizes_are_scaled_by_what_both_tried_and_the_nearest_one_counts() {
        let far = [(1, Some(2.0)), (2, Some(4.0)), (3, None)];
        // Ten times as slow as `far`, except for tile 2.
        let near = [(1, Some(20.0)), (2, Some(20.0)), (3, Some(10.0)), (4, None)];
        let known = learnt(&[&far, &near]);
        let tiles: Vec<&Value> = known.iter().map(|(tile, _)| tile).collect();
        assert_eq!(tiles, [1, 2, 3, 4].map(Value::Int).iter().collect::<Vec<_>>());
        let costs: Vec<f64> = known.iter().map(|(_, cost)| *cost / known[0].1).collect();
        assert!((costs[1] - 1.0).abs() < 1e-12 && (costs[2] - 0.5).abs() < 1e-12, "{costs:?}");
        assert!(costs[3].is_infinite(), "{costs:?}");
    }

    #[test]
    fn what_a_far_size_alone_tried_keeps_its_place_among_the_others() {
        let far = [(1, Some(2.0)), (2, Some(4.0)), (3, Some(8.0))];
        let near = [(1, Some(20.0)), (2, Some(40.0))];
        let costs: Vec<f64> = learnt(&[&far, &near]).into_iter().map(|(_, cost)| cost).collect();
        assert!((costs[2] / costs[0] - 4.0).abs() < 1e-12, "{costs:?}");
    }

    #[test]
    fn sizes_that_share_nothing_are_alike_in_their_best() {
        let costs: Vec<f64> = learnt(&[&[(1, Some(2.0)), (2, Some(4.0))], &[(3, Some(50.0))]])
            .into_iter()
            .map(|(_, cost)| cost)
            .collect();
        assert!((costs[2] / costs[0] - 1.0).abs() < 1e-12, "{costs:?}");
    }
}
