//! Rivals of a size's winner, which take part in the answer's rounds together with it.
//!
//! A search of a few dozen evaluations can miss the best configuration of a size, and the fastest
//! configuration on a busy machine may not be the fastest on an idle one. A configuration that wins
//! at most sizes is rarely far from the best at any size. Rounds compare rivals and winner at the
//! machine speed that counts for the answer.

use std::collections::{BTreeMap, HashSet};

use records::{Event, Named, Outcome, SizeClosed};

use super::{StudyJournal, round_schedule::SAMPLE_SECONDS, running::RunningStudy};
use crate::tuning::{Ranking, paced_costs};

/// Maximum number of rivals of a size.
const MOST: usize = 2;
/// A configuration that wins at this many sizes or more is a rival at all others.
const OFTEN: usize = 2;
/// Longest earlier run time of a rival at the size, as a multiple of the winner's. A disturbed
/// measurement may make a run time too long, but not by more than this.
const PERHAPS: f64 = 1.6;
/// Longest run time of a rival that was measured alternating with the winner, as a multiple of the
/// winner's.
const RIVAL_TIME_RATIO: f64 = 1.1;

impl RunningStudy<'_> {
    /// Returns the rivals by size: first the configurations that win at several other sizes, then
    /// those that were nearly as fast in the size's finals or re-tuning. Returns none unless run
    /// time is the only objective.
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
            // Configurations of the latest race come first.
            let near = races.get(&size).into_iter().flatten().rev();
            let near = near.flat_map(|race| race.near(closed, ranking));
            let candidates: Vec<Named> = often.iter().cloned().chain(near).collect();
            let default = closed.default.as_ref().map(|default| &default.configuration);
            // A size that skips rounds has too few samples to compare rivals.
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

/// Returns the configurations that win at several sizes, the most frequent winner first.
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

/// Configurations of a size that were measured alternating, with their outcomes.
#[derive(Default)]
struct Race {
    names: Vec<Named>,
    outcomes: Vec<Outcome>,
}

/// Returns the races of every size: its finals, then its re-tunings. A race ends when the size
/// closes.
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
    /// Returns the configurations that were nearly as fast as the winner, the fastest first.
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
