//! Rounds over all sizes. A round measures the winner of every size and one configuration that it
//! is compared with, in random order; sizes with long runs skip rounds.
//!
//! The answer's rounds give the curve and the knee that a study reports. While sizes grow, a few
//! rounds tell whether larger sizes must follow.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::Ordering,
};

use knees::LEAST_ROUNDS;
use math::{mean, seeded};
use rand::seq::SliceRandom as _;
use records::{
    Event, Named, Outcome, Phase, RoundEntry, RoundsEvent, RoundsPurpose, SizeClosed, Trial,
};
use worker::{Participant, RoundsTaken};

use super::{
    StudyFault, StudyJournal,
    plan::ROUNDS_OF_ONE_SIZE,
    round_samples::RoundSamples,
    running::RunningStudy,
    slow_memory::{has_given_other_memory, on_slow_memory},
};

/// Sizes measured regardless of the budget: a knee needs at least five points.
pub(super) const LEAST_SIZES: usize = 5;
/// Rounds that are taken for growth after a size has closed.
const SCOUTING: usize = 12;
/// Rounds for locating the knee, before sizes are added around it.
const LOCATING: usize = 60;
/// Seconds of rounds between two checks of the answer.
const LOOK_SECONDS: f64 = 1.0;
/// Maximum number of rounds per request.
const MOST_AT_ONCE: usize = 64;
/// A size whose samples take longer than this skips rounds, in proportion.
pub(super) const SAMPLE_SECONDS: f64 = 1.5e-3;
/// Every size takes part in at least one of this many rounds.
const RAREST: usize = 16;
/// Minimum expected seconds of a sample.
const SHORTEST: f64 = 200e-6;
/// Overhead of a sample in seconds.
const BESIDE: f64 = 60e-6;
/// A check covers all rounds. The next one waits until they have grown by one part in this many.
const LOOKS: u64 = 5;
/// Seconds of rounds in a study without a limit of time.
const UNLIMITED: f64 = 30.0;

/// A configuration that takes part in rounds.
#[derive(Debug, Clone, PartialEq)]
struct ScheduledParticipant {
    participant: Participant,
    /// The size takes part in one of this many rounds.
    every: usize,
    at: usize,
    /// Position among the configurations that alternate next to the winner, and their number;
    /// `None` for a winner.
    turn: Option<(usize, usize)>,
    /// Expected seconds of a sample.
    seconds: f64,
}

impl RunningStudy<'_> {
    /// Takes a few rounds over the closed sizes. Returns whether there are any rounds.
    pub(super) fn scout(&mut self, journal: &mut StudyJournal) -> Result<bool, StudyFault> {
        let closed = journal.closed().values().filter(|c| c.best.is_some()).count();
        let scouted = |size: u64| {
            let events = journal.rounds(RoundsPurpose::Growth);
            events.flat_map(|event| &event.entries).any(|entry| entry.size == size)
        };
        if journal.grown_sizes().into_iter().all(scouted) || closed < LEAST_SIZES {
            return Ok(journal.rounds(RoundsPurpose::Growth).next().is_some());
        }
        let mut parts = winners(journal);
        self.take(journal, RoundsPurpose::Growth, &mut parts, SCOUTING, UNLIMITED)
    }

    /// Takes rounds that locate the knee roughly, for about `limit` seconds at most.
    pub(super) fn locate(
        &mut self,
        journal: &mut StudyJournal,
        limit: f64,
    ) -> Result<(), StudyFault> {
        let mut parts = winners(journal);
        if parts.len() < LEAST_SIZES {
            return Ok(());
        }
        let purpose = RoundsPurpose::Growth;
        let of_round = seconds_of_round(&parts);
        // Rounds of a size's earlier winner do not count for its new one.
        let is_new = |part: &ScheduledParticipant| {
            !journal.common_rounds(purpose).iter().any(|event| {
                event.entries.iter().any(|entry| {
                    entry.size == part.participant.size
                        && entry.configuration == part.participant.configuration
                })
            })
        };
        let mut needed = parts.iter().any(is_new);
        let mut asked = has_given_other_memory(journal);
        loop {
            let common = journal.common_rounds(purpose);
            let taken: usize = common.iter().map(|event| event.rounds.len()).sum();
            let spent: f64 = common.iter().map(|event| event.costs.total()).sum();
            let mut slow = BTreeSet::new();
            if !needed && (taken >= LOCATING || spent >= limit) {
                if !std::mem::replace(&mut asked, true) {
                    slow = on_slow_memory(journal, purpose);
                }
                if slow.is_empty() {
                    return Ok(());
                }
            }
            needed = false;
            give_other_memory(&mut parts, &slow);
            let wanted = match slow.is_empty() {
                true => LOOK_SECONDS.min(limit - spent).max(of_round),
                false => LOOK_SECONDS,
            };
            let count = ((wanted / of_round) as usize).clamp(1, MOST_AT_ONCE);
            if !self.take(journal, purpose, &mut parts, count, wanted)? {
                return Ok(());
            }
        }
    }

    /// Takes rounds until the knee is settled or `limit` seconds are charged. Returns whether there
    /// are any rounds.
    pub(super) fn rounds_until_settled(
        &mut self,
        journal: &mut StudyJournal,
        limit: f64,
    ) -> Result<bool, StudyFault> {
        let purpose = RoundsPurpose::Answer;
        let mut looked = 0;
        loop {
            let mut parts = self.parts(journal);
            if parts.is_empty() {
                return Ok(false);
            }
            let taken = RoundSamples::of(journal, purpose).count();
            let spent: f64 = journal.rounds(purpose).map(|e| e.costs.total()).sum();
            let left = limit - spent;
            if left <= 0.0 {
                return Ok(true);
            }
            self.listener.rounds(taken, spent, limit);
            // Rounds of a replaced winner no longer count.
            looked = looked.min(taken);
            let seen = looked + looked / LOOKS;
            if taken >= LEAST_ROUNDS as u64 && taken > seen {
                looked = taken;
                // A replacement must be measured in every round before the knee can be settled.
                if self.replace_beaten(journal, false)? {
                    continue;
                }
                if self.is_settled(journal)? {
                    return Ok(true);
                }
            }
            // Later on, what is begun anew would have few rounds.
            if taken >= LEAST_ROUNDS as u64 && spent < limit / 2.0 {
                let slow = on_slow_memory(journal, purpose);
                if !slow.is_empty() {
                    looked = taken;
                }
                give_other_memory(&mut parts, &slow);
            }
            let wanted = LOOK_SECONDS.min(left);
            let count = ((wanted / seconds_of_round(&parts)) as usize).clamp(1, MOST_AT_ONCE);
            if !self.take(journal, purpose, &mut parts, count, wanted)? {
                return Ok(journal.rounds(purpose).next().is_some());
            }
        }
    }

    /// Returns the seconds that the answer's rounds may take, of the study's remaining seconds.
    pub(super) fn seconds_for_rounds(&self, journal: &StudyJournal) -> f64 {
        let spent: f64 =
            journal.rounds(RoundsPurpose::Answer).map(|event| event.costs.total()).sum();
        let single = journal.closed().len() < 2;
        match self.plan.settings.budget.seconds {
            Some(all) if single => (ROUNDS_OF_ONE_SIZE.0 * all).min(ROUNDS_OF_ONE_SIZE.1),
            None if single => ROUNDS_OF_ONE_SIZE.1,
            // Seconds of the answer's own rounds are not subtracted, so a resumed study has the
            // same limit.
            Some(all) => (all - (journal.charged_for_curve() - spent)).max(0.0),
            None => UNLIMITED,
        }
    }

    /// Returns the participants of the answer's rounds: winners, and next to each its default and
    /// rivals, which alternate. Participants of the first round stay until the last, since samples
    /// of different times cannot be compared.
    fn parts(&self, journal: &StudyJournal) -> Vec<ScheduledParticipant> {
        let begun: Option<Vec<(u64, &Named)>> =
            journal.rounds(RoundsPurpose::Answer).next().map(|first| {
                first.entries.iter().map(|entry| (entry.size, &entry.configuration)).collect()
            });
        let rivals = match begun {
            None => self.rivals(journal),
            Some(_) => BTreeMap::new(),
        };
        participants(journal, |closed| {
            let best = closed.best.as_ref().map(|best| &best.configuration);
            let default = closed.default.as_ref();
            let names: Vec<&Named> = match &begun {
                Some(begun) => begun.iter().filter(|b| b.0 == closed.size).map(|b| b.1).collect(),
                None => {
                    let rivals = rivals.get(&closed.size).into_iter().flatten();
                    default
                        .map(|default| &default.configuration)
                        .into_iter()
                        .chain(rivals)
                        .collect()
                }
            };
            let seconds = |name: &Named| match default.filter(|d| d.configuration == *name) {
                Some(default) => default.seconds.median,
                None => journal.seconds_before(closed.size, name).unwrap_or(SAMPLE_SECONDS),
            };
            let others = names.into_iter().filter(|name| Some(*name) != best);
            others.map(|name| (name.clone(), seconds(name).max(SHORTEST))).collect()
        })
    }

    /// Takes rounds and writes them. Returns whether there were any.
    fn take(
        &mut self,
        journal: &mut StudyJournal,
        purpose: RoundsPurpose,
        parts: &mut [ScheduledParticipant],
        count: usize,
        seconds: f64,
    ) -> Result<bool, StudyFault> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(StudyFault::Interrupted);
        }
        let before: u64 = journal.rounds(purpose).map(|event| event.rounds.len() as u64).sum();
        let first = before + 1;
        let orders: Vec<Vec<usize>> =
            (first..).take(count).map(|round| self.order(parts, purpose, round)).collect();
        let present = orders.iter().flatten().map(|at| parts[*at].participant.size);
        let present: BTreeSet<u64> = present.collect();
        for part in parts.iter_mut() {
            part.participant.anew &= present.contains(&part.participant.size);
        }
        let participants: Vec<Participant> =
            parts.iter().map(|part| part.participant.clone()).collect();
        let taken = self.evaluator.rounds(&participants, &orders, seconds);
        self.evaluator.lacking().map_or(Ok(()), Err).map_err(StudyFault::Records)?;
        let Some(taken) = taken else { return Ok(false) };
        let none = taken.rounds.is_empty() && taken.dropped.is_empty();
        self.keep(journal, purpose, first, parts, taken)?;
        Ok(!none)
    }

    /// Returns the positions of a round's participants in random order, which depends only on the
    /// study's seed, the purpose and the round.
    fn order(
        &self,
        parts: &[ScheduledParticipant],
        purpose: RoundsPurpose,
        round: u64,
    ) -> Vec<usize> {
        let takes_part = |part: &usize| {
            let part = &parts[*part];
            let number = round as usize + part.at;
            let of_size = number / part.every;
            number.is_multiple_of(part.every)
                && part.turn.is_none_or(|(own, all)| of_size % all == own)
        };
        let mut order: Vec<usize> = (0..parts.len()).filter(takes_part).collect();
        let stream = 0x0D2D ^ (round << 1) ^ u64::from(purpose == RoundsPurpose::Answer);
        order.shuffle(&mut seeded(self.plan.settings.seed, stream));
        order
    }

    /// Writes rounds, and a trial for each participant that dropped out.
    fn keep(
        &mut self,
        journal: &mut StudyJournal,
        purpose: RoundsPurpose,
        first: u64,
        parts: &[ScheduledParticipant],
        taken: RoundsTaken,
    ) -> Result<(), StudyFault> {
        let RoundsTaken { batches, dropped, rounds, spoilt, costs } = taken;
        let why = |at: usize| {
            let found = dropped.iter().find(|(other, _)| *other == at);
            found.map(|(_, outcome): &(usize, Outcome)| outcome.reason.clone())
        };
        let entries = parts
            .iter()
            .enumerate()
            .map(|(at, ScheduledParticipant { participant, .. })| RoundEntry {
                size: participant.size,
                configuration: participant.configuration.clone(),
                batch: batches.get(at).copied().unwrap_or(0),
                anew: participant.anew,
                dropped: why(at),
            })
            .collect();
        let trials: Vec<Trial> = dropped
            .iter()
            .filter_map(|(at, outcome)| {
                let Participant { size, configuration, .. } = parts.get(*at)?.participant.clone();
                // A process that was killed at this point has already written the trial.
                if journal.failed_in_rounds(size, &configuration) {
                    return None;
                }
                let (phase, outcome) = (Phase::Round, outcome.clone());
                Some(Trial { size, phase, configuration, outcome, score: None })
            })
            .collect();
        if !trials.is_empty() {
            crate::tuning::TrialStore::record(journal, &trials).map_err(StudyFault::Records)?;
        }
        journal.write(Event::Rounds(RoundsEvent { purpose, first, entries, rounds, costs, spoilt }))
    }
}

/// Requests other memory for the participants of these sizes, and for no others.
fn give_other_memory(parts: &mut [ScheduledParticipant], sizes: &BTreeSet<u64>) {
    for part in parts {
        part.participant.anew = sizes.contains(&part.participant.size);
    }
}

/// Returns the winners of all sizes, without those that dropped out of rounds.
fn winners(journal: &StudyJournal) -> Vec<ScheduledParticipant> {
    participants(journal, |_| Vec::new())
}

/// Returns the winners of all sizes and, next to each, the configurations of `beside` that
/// alternate there, given with their seconds. Configurations that dropped out of rounds are left
/// out. How often a size takes part depends on the run times of its winner and of its first other
/// configuration.
fn participants(
    journal: &StudyJournal,
    beside: impl Fn(&SizeClosed) -> Vec<(Named, f64)>,
) -> Vec<ScheduledParticipant> {
    let mut parts = Vec::new();
    for (at, closed) in journal.tuned().values().enumerate() {
        let Some(best) = &closed.best else { continue };
        let stays = |name: &Named| journal.dropped(closed.size, name).is_none();
        let own = stays(&best.configuration)
            .then(|| (best.configuration.clone(), best.seconds.median.max(SHORTEST)));
        let mut others = beside(closed);
        others.retain(|(name, _)| stays(name));
        let pair = own.iter().chain(others.first()).map(|(_, seconds)| *seconds);
        let every = rarely(&pair.collect::<Vec<f64>>());
        let mut add = |(configuration, seconds), turn| {
            let participant = Participant { size: closed.size, configuration, anew: false };
            parts.push(ScheduledParticipant { participant, every, at, turn, seconds });
        };
        if let Some(own) = own {
            add(own, None);
        }
        let all = others.len();
        others.into_iter().enumerate().for_each(|(own, other)| add(other, Some((own, all))));
    }
    // The fastest size takes part in every round: rounds of few sizes tell little.
    let least = parts.iter().map(|part| part.every).min().unwrap_or(1);
    parts.iter_mut().for_each(|part| part.every = (part.every / least).max(1));
    parts
}

/// Returns the `n` for which configurations of these seconds take part in one of `n` rounds.
fn rarely(seconds: &[f64]) -> usize {
    (mean(seconds) / SAMPLE_SECONDS).round().clamp(1.0, RAREST as f64) as usize
}

fn seconds_of_round(parts: &[ScheduledParticipant]) -> f64 {
    let share = |part: &ScheduledParticipant| part.every * part.turn.map_or(1, |(_, all)| all);
    parts.iter().map(|part| (part.seconds + BESIDE) / share(part) as f64).sum()
}
