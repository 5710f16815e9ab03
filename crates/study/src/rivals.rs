//! Rivals of a size's winner, which take part in the rounds of the answer beside it. A search of a few dozen evaluations
//! can miss what is best at a size, and a machine whose memory others use finds other variants fast than when it is
//! its own; what wins at most sizes is rarely far from the best at any. Rounds tell them apart at the tempo that counts.

use std::collections::{BTreeMap, HashSet};

use records::{Event, Named, Outcome, SizeClosed};

use super::{StudyJournal, round_schedule::SAMPLE_SECONDS, running::RunningStudy};
use crate::tuning::{Ranking, paced_costs};

/// Most rivals of a size.
const MOST: usize = 2;
/// Sizes at which a configuration wins at least that is a rival at all others.
const OFTEN: usize = 2;
/// Longest run time of any rival at the size itself, as a multiple of the winner's: a search may meet a configuration in a
/// bad moment, but not in one that bad.
const PERHAPS: f64 = 1.6;
/// Longest run time of another rival, as a multiple of the winner's, when both were measured in turn.
const RIVAL_TIME_RATIO: f64 = 1.1;

impl RunningStudy<'_> {
    /// Rivals by size: what wins at most other sizes, then what was nearly as fast in the size's looks or finals.
    /// None where something else than the run time is sought.
    pub(super) fn rivals(&self, journal: &StudyJournal) -> BTreeMap<u64, Vec<Named>> {
        let plan = self.plan;
        let ranking = &plan.ranking;
        if ranking.objective.metric != "seconds" || ranking.seeks_front() {
            return BTreeMap::new();
        }
        let tuned = journal.tuned();
        let winners = tuned.values().filter_map(|closed| closed.best.as_ref());
        let often = often(winners.map(|best| &best.configuration));
        let races = races(journal);
        let mut rivals = BTreeMap::new();
        for (size, closed) in tuned {
            let Some(best) = &closed.best else { continue };
            // What was nearly as fast in the last race comes first.
            let near = races.get(&size).into_iter().flatten().rev();
            let near = near.flat_map(|race| race.near(closed, ranking));
            let candidates: Vec<Named> = often.iter().cloned().chain(near).collect();
            let default = closed.default.as_ref().map(|default| &default.configuration);
            // A size that sits out rounds has too few samples to tell rivals apart.
            let sits_out = best.seconds.median > SAMPLE_SECONDS;
            let mut own: Vec<Named> = Vec::new();
            for name in candidates {
                let is_other = name != best.configuration && Some(&name) != default;
                let seconds = journal.seconds_before(size, &name);
                let may_win = seconds.is_some_and(|s| s <= PERHAPS * best.seconds.median)
                    && journal.admitted(size, &name, ranking);
                if is_other && may_win && !own.contains(&name) {
                    own.push(name);
                }
            }
            own.truncate(if sits_out { 0 } else { MOST });
            rivals.insert(size, own);
        }
        rivals
    }
}

/// What wins at several sizes, most often first.
pub(super) fn often<'a>(winners: impl Iterator<Item = &'a Named>) -> Vec<Named> {
    let mut wins: Vec<(usize, &Named)> = Vec::new();
    for name in winners {
        match wins.iter_mut().find(|(_, known)| *known == name) {
            Some((count, _)) => *count += 1,
            None => wins.push((1, name)),
        }
    }
    wins.retain(|(count, _)| *count >= OFTEN);
    wins.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    wins.into_iter().map(|(_, name)| name.clone()).collect()
}

/// Configurations of a size that were measured in turn, with their outcomes.
#[derive(Default)]
struct Race {
    names: Vec<Named>,
    outcomes: Vec<Outcome>,
}

/// The races of every size: finals, then looks, each over when the size closes.
fn races(journal: &StudyJournal) -> BTreeMap<u64, Vec<Race>> {
    let mut races: BTreeMap<u64, Vec<Race>> = BTreeMap::new();
    let mut open: HashSet<u64> = HashSet::new();
    for event in journal.events() {
        match event {
            Event::SizeClosed(closed) => drop(open.remove(&closed.size)),
            Event::Trial(event) if event.trial.phase.is_contest() => {
                let trial = &event.trial;
                let own = races.entry(trial.size).or_default();
                if open.insert(trial.size) {
                    own.push(Race::default());
                }
                if let Some(race) = own.last_mut() {
                    race.names.push(trial.configuration.clone());
                    race.outcomes.push(trial.outcome.clone());
                }
            }
            _ => {}
        }
    }
    races
}

impl Race {
    /// What was nearly as fast as the winner, the fastest first.
    fn near(&self, closed: &SizeClosed, ranking: &Ranking) -> Vec<Named> {
        let is_winner =
            |name: &Named| closed.best.as_ref().is_some_and(|best| best.configuration == *name);
        let Some(winner) = self.names.iter().position(is_winner) else { return Vec::new() };
        let costs = paced_costs(ranking, &self.names, &self.outcomes);
        let is_near = |at: &usize| {
            ranking.admissible(&self.outcomes[*at]).is_some()
                && costs[*at] <= RIVAL_TIME_RATIO * costs[winner]
        };
        let mut found: Vec<usize> = (0..self.names.len()).filter(is_near).collect();
        found.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        found.into_iter().map(|at| self.names[at].clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wins_at_several_sizes_is_a_rival_at_the_others() {
        let named = |block: i64| Named(vec![("block".into(), block.into())]);
        let winners = [32, 64, 128, 64, 32, 64, 256].map(named);
        assert_eq!(often(winners.iter()), [named(64), named(32)]);
        assert!(often(winners[..3].iter()).is_empty());
    }
}
