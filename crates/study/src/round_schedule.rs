//! Rounds over all sizes. A round measures the winner of every size and one configuration that it
//! is compared with, in random order; sizes with long runs skip rounds.
//!
//! The answer's rounds give the curve and the knee that a study reports. While sizes grow, a few
//! rounds tell whether larger sizes must follow.

use std::sync::atomic::Ordering;

use knees::LEAST_ROUNDS;
use math::{mean, seeded};
use rand::seq::SliceRandom as _;
use records::{
    Event, Named, Outcome, Phase, RoundEntry, RoundsEvent, RoundsPurpose, SizeClosed, Trial,
    settings::MeasuringPolicy,
};
use worker::{Participant, RoundsTaken};

use super::{StudyFault, StudyJournal, round_samples::RoundSamples, running::RunningStudy};

/// Sizes measured regardless of the budget: a knee needs at least five points.
pub(super) const LEAST_SIZES: usize = 5;
/// Maximum number of rounds per request.
const MOST_AT_ONCE: usize = 64;
/// Minimum expected seconds of a sample.
const SHORTEST: f64 = 200e-6;
/// Overhead of a sample in seconds.
const BESIDE: f64 = 60e-6;

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
    /// Takes a few rounds over the closed sizes.
    pub(super) fn scout(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        if self.policy().rounds <= 0.0 {
            return Ok(());
        }
        let closed = journal.closed().values().filter(|c| c.best.is_some()).count();
        let scouted = |size: u64| {
            let events = journal.rounds(RoundsPurpose::Growth);
            events.flat_map(|event| &event.entries).any(|entry| entry.size == size)
        };
        if journal.grown_sizes().into_iter().all(scouted) || closed < LEAST_SIZES {
            return Ok(());
        }
        let parts = winners(journal, self.policy());
        let all = self.plan.settings.budget.seconds.unwrap_or(self.policy().unlimited_rounds);
        let (rounds, share) = (self.policy().scouting_rounds, self.policy().scouting_share);
        self.take(journal, RoundsPurpose::Growth, &parts, rounds as usize, share * all).map(drop)
    }

    /// Takes rounds that locate the knee roughly, for about `limit` seconds at most.
    pub(super) fn locate(
        &mut self,
        journal: &mut StudyJournal,
        limit: f64,
    ) -> Result<(), StudyFault> {
        let parts = winners(journal, self.policy());
        if parts.len() < LEAST_SIZES || self.policy().rounds <= 0.0 {
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
        loop {
            let common = journal.common_rounds(purpose);
            let taken: usize = common.iter().map(|event| event.rounds.len()).sum();
            let spent: f64 = common.iter().map(|event| event.costs.total()).sum();
            if !needed && (taken as f64 >= self.policy().locating_rounds || spent >= limit) {
                return Ok(());
            }
            needed = false;
            let wanted = self.policy().request.min(limit - spent).max(of_round);
            let count = ((wanted / of_round) as usize).clamp(1, MOST_AT_ONCE);
            if !self.take(journal, purpose, &parts, count, wanted)? {
                return Ok(());
            }
        }
    }

    /// Takes rounds until the knee is settled or `limit` seconds are charged.
    pub(super) fn rounds_until_settled(
        &mut self,
        journal: &mut StudyJournal,
        limit: f64,
    ) -> Result<(), StudyFault> {
        let purpose = RoundsPurpose::Answer;
        loop {
            let parts = self.parts(journal);
            if parts.is_empty() {
                return Ok(());
            }
            let taken = RoundSamples::of(journal, purpose).count();
            let spent: f64 = journal.rounds(purpose).map(|e| e.costs.total()).sum();
            let left = limit - spent;
            if left <= 0.0 {
                return Ok(());
            }
            self.listener.rounds(taken, spent, limit);
            // A replacement must be measured in every round before the knee can be settled.
            if is_time_to_look(journal, taken, self.policy())
                && !self.replace_beaten(journal, false)?
                && self.is_settled(journal)?
            {
                return Ok(());
            }
            let wanted = self.policy().request.min(left);
            let count = ((wanted / seconds_of_round(&parts)) as usize).clamp(1, MOST_AT_ONCE);
            if !self.take(journal, purpose, &parts, count, wanted)? {
                return Ok(());
            }
        }
    }

    /// Returns the seconds that the answer's rounds may take, of the study's remaining seconds.
    pub(super) fn seconds_for_rounds(&self, journal: &StudyJournal) -> f64 {
        let spent: f64 =
            journal.rounds(RoundsPurpose::Answer).map(|event| event.costs.total()).sum();
        let policy = self.policy();
        if policy.rounds <= 0.0 {
            return 0.0;
        }
        let single = journal.closed().len() < 2;
        match self.plan.settings.budget.seconds {
            Some(all) if single => (policy.single_size_share * all).min(policy.single_size_rounds),
            None if single => policy.single_size_rounds,
            // Seconds of the answer's own rounds are not subtracted, so a resumed study has the
            // same limit.
            Some(all) => {
                let left =
                    (1.0 - policy.after_rounds) * all - (journal.charged_for_curve() - spent);
                left.max(policy.least_rounds_share * all)
            }
            None => policy.unlimited_rounds,
        }
    }

    /// Returns the participants of the answer's rounds: winners, and next to each its default and
    /// candidates, which alternate. Participants of the first round stay until the last, since samples
    /// of different times cannot be compared.
    fn parts(&self, journal: &StudyJournal) -> Vec<ScheduledParticipant> {
        let begun: Option<Vec<(u64, &Named)>> =
            journal.rounds(RoundsPurpose::Answer).next().map(|first| {
                first.entries.iter().map(|entry| (entry.size, &entry.configuration)).collect()
            });
        participants(journal, self.policy(), |closed| {
            let best = closed.best.as_ref().map(|best| &best.configuration);
            let default = closed.default.as_ref();
            let default = default.map(|own| (own.configuration.clone(), own.seconds.median));
            let all = default.into_iter().chain(self.candidates(journal, closed));
            let takes_part = |name: &Named| match &begun {
                Some(begun) => begun.contains(&(closed.size, name)),
                None => true,
            };
            let mut others: Vec<(Named, f64)> = all.collect();
            // A winner that was replaced goes on as a candidate.
            for (_, name) in begun.iter().flatten().filter(|(size, _)| *size == closed.size) {
                if others.iter().all(|(other, _)| other != *name) {
                    others.push(((*name).clone(), self.policy().sample));
                }
            }
            others.retain(|(name, _)| Some(name) != best && takes_part(name));
            others.into_iter().map(|(name, seconds)| (name, seconds.max(SHORTEST))).collect()
        })
    }

    /// Takes rounds and writes them. Returns whether there were any.
    fn take(
        &mut self,
        journal: &mut StudyJournal,
        purpose: RoundsPurpose,
        parts: &[ScheduledParticipant],
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
        let participants: Vec<Participant> =
            parts.iter().map(|part| part.participant.clone()).collect();
        let moves = purpose == RoundsPurpose::Answer && is_time_to_move(journal, self.policy());
        let taken = self.evaluator.rounds(&participants, &orders, (seconds, moves));
        self.evaluator.lacking().map_or(Ok(()), Err).map_err(StudyFault::Records)?;
        let Some(taken) = taken else { return Ok(false) };
        let none = taken.rounds.is_empty() && taken.dropped.is_empty();
        self.keep(journal, (purpose, first), parts, taken)?;
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
        (purpose, first): (RoundsPurpose, u64),
        parts: &[ScheduledParticipant],
        taken: RoundsTaken,
    ) -> Result<(), StudyFault> {
        let RoundsTaken { batches, dropped, moved, rounds, spoilt, costs } = taken;
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
        let event = RoundsEvent { purpose, first, moved, entries, rounds, costs, spoilt };
        journal.write(Event::Rounds(event))
    }
}

/// Whether the last rounds call for a look at the answer: their number has grown by `look_growth`
/// since a look. Depends only on the journal, so that a resumed study looks at the same
/// time.
fn is_time_to_look(journal: &StudyJournal, taken: u64, policy: &MeasuringPolicy) -> bool {
    let last = journal.rounds(RoundsPurpose::Answer).last().map_or(0, |event| event.rounds.len());
    let looks = |rounds: u64| match rounds >= LEAST_ROUNDS as u64 {
        true => {
            1.0 + (rounds as f64 / LEAST_ROUNDS as f64)
                .log(1.0 + policy.look_growth.max(1e-3))
                .floor()
        }
        false => 0.0,
    };
    looks(taken) > looks(taken.saturating_sub(last as u64))
}

/// Whether sizes exchange the memory of their buffers before the next rounds. What a piece of memory
/// does to a size then averages out; filling it again takes a small share of the rounds' time.
fn is_time_to_move(journal: &StudyJournal, policy: &MeasuringPolicy) -> bool {
    let (mut moving, mut measuring) = (0.0, 0.0);
    for (at, event) in journal.rounds(RoundsPurpose::Answer).enumerate() {
        measuring += event.costs.measure;
        // The first rounds fill the copies in any case.
        if event.moved && at > 0 {
            moving += event.costs.fill + event.costs.overhead;
        }
    }
    moving < policy.exchange_share * measuring
}

/// Returns the winners of all sizes, without those that dropped out of rounds.
fn winners(journal: &StudyJournal, policy: &MeasuringPolicy) -> Vec<ScheduledParticipant> {
    participants(journal, policy, |_| Vec::new())
}

/// Returns the winners of all sizes and, next to each, the configurations of `beside` that
/// alternate there, given with their seconds. Configurations that dropped out of rounds are left
/// out. How often a size takes part depends on the run times of its winner and of its first other
/// configuration.
fn participants(
    journal: &StudyJournal,
    policy: &MeasuringPolicy,
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
        let every = rarely(&pair.collect::<Vec<f64>>(), policy);
        let mut add = |(configuration, seconds), turn| {
            let participant = Participant { size: closed.size, configuration };
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
fn rarely(seconds: &[f64], policy: &MeasuringPolicy) -> usize {
    (mean(seconds) / policy.sample).round().clamp(1.0, policy.rarest.max(1.0)) as usize
}

fn seconds_of_round(parts: &[ScheduledParticipant]) -> f64 {
    let share = |part: &ScheduledParticipant| part.every * part.turn.map_or(1, |(_, all)| all);
    parts.iter().map(|part| (part.seconds + BESIDE) / share(part) as f64).sum()
}
