//! Which rounds count, and the samples in them.

use std::collections::{BTreeMap, BTreeSet};

use records::{Named, Round, RoundEntry, RoundsEvent, RoundsPurpose, Tempos, since_anew};

use super::StudyJournal;

/// Rounds that give a size three samples, however rarely it takes part.
const ENOUGH: usize = 48;

/// A sample of a configuration at a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub(super) round: u64,
    pub(super) seconds: f64,
    pub(super) disturbed: bool,
}

/// The rounds of a purpose that count, in order.
pub(super) struct CountedRounds<'a> {
    events: Vec<&'a RoundsEvent>,
    /// Those of an answer in which the machine had another tempo.
    left_out: BTreeSet<u64>,
    /// The first round of the sizes that had other memory, since which theirs count.
    since: BTreeMap<u64, u64>,
}

impl<'a> CountedRounds<'a> {
    pub(super) fn of(journal: &'a StudyJournal, purpose: RoundsPurpose) -> Self {
        let tempos = match purpose {
            RoundsPurpose::Answer => Tempos::of(journal.rounds(purpose)),
            // A few rounds while sizes grow have no two tempos.
            RoundsPurpose::Growth => None,
        };
        let left_out = tempos.map(|tempos| tempos.left_out).unwrap_or_default();
        Self::without(left_out, journal, purpose)
    }

    /// Those of an answer in which the machine was slower, and which do not count there; `None` if there are too few, or
    /// if they waited for a core.
    pub(super) fn when_slower(journal: &'a StudyJournal) -> Option<Self> {
        let purpose = RoundsPurpose::Answer;
        let tempos = Tempos::of(journal.rounds(purpose))?;
        if tempos.waited() || !tempos.has_enough_slow() {
            return None;
        }
        let events = journal.common_rounds(purpose);
        let numbers = events.iter().flat_map(|event| (event.first..).take(event.rounds.len()));
        let left_out = numbers.filter(|number| !tempos.slow.contains(number)).collect();
        Some(Self::without(left_out, journal, purpose))
    }

    fn without(left_out: BTreeSet<u64>, journal: &'a StudyJournal, purpose: RoundsPurpose) -> Self {
        let events = journal.common_rounds(purpose);
        let numbers = events.iter().flat_map(|event| (event.first..).take(event.rounds.len()));
        let counted: Vec<u64> = numbers.filter(|number| !left_out.contains(number)).collect();
        let mut since = since_anew(journal.rounds(purpose));
        // Where hardly any are left, those before are better than none.
        since.retain(|_, first| counted.iter().filter(|number| *number >= first).count() >= ENOUGH);
        Self { events, left_out, since }
    }

    /// Whether samples of a size count in an event.
    fn has_counted(&self, event: &RoundsEvent, size: u64) -> bool {
        self.since.get(&size).is_none_or(|since| event.first >= *since)
    }

    /// How many times slower the machine was in a tenth of them than in another; `None` for few.
    pub(super) fn swing(&self) -> Option<f64> {
        Tempos::swing_without(self.events.iter().copied(), &self.left_out)
    }

    /// The rounds of an event that count, with their numbers.
    fn rounds_of(&self, event: &'a RoundsEvent) -> impl Iterator<Item = (&'a Round, u64)> {
        let numbered = event.rounds.iter().zip(event.first..);
        numbered.filter(|(_, number)| !self.left_out.contains(number))
    }

    /// Number of rounds that count.
    pub(super) fn count(&self) -> u64 {
        self.events.iter().map(|event| self.rounds_of(event).count() as u64).sum()
    }

    /// The share of the samples' time that others took; `None` without samples. Counts of what others took
    /// cover what lies between samples as well, so that a sample has at most lost all of its own.
    pub(super) fn share_taken(&self) -> Option<f64> {
        let (mut all, mut taken) = (0.0, 0.0);
        for event in &self.events {
            for sample in self.rounds_of(event).flat_map(|(round, _)| &round.samples) {
                let seconds = event.seconds(sample);
                all += seconds;
                taken += sample.2.min(seconds);
            }
        }
        (all > 0.0).then(|| taken / all)
    }

    /// Samples of all that took part, by size.
    pub(super) fn all_samples(&self) -> BTreeMap<u64, Vec<(&'a Named, Vec<Sample>)>> {
        let mut found: BTreeMap<u64, Vec<(&Named, Vec<Sample>)>> = BTreeMap::new();
        for event in &self.events {
            let mut place = |entry: &'a RoundEntry| {
                let of_size = found.entry(entry.size).or_default();
                let known = of_size.iter().position(|(name, _)| **name == entry.configuration);
                let at = known.unwrap_or(of_size.len());
                if known.is_none() {
                    of_size.push((&entry.configuration, Vec::new()));
                }
                (entry.size, at)
            };
            let places: Vec<(u64, usize)> = event.entries.iter().map(&mut place).collect();
            for (round, number) in self.rounds_of(event) {
                for sample in &round.samples {
                    let Some((size, at)) = places.get(sample.0) else { continue };
                    if !self.has_counted(event, *size) {
                        continue;
                    }
                    let disturbed = event.is_disturbed(round, sample);
                    let sample = Sample { round: number, seconds: sample.1, disturbed };
                    found.entry(*size).or_default()[*at].1.push(sample);
                }
            }
        }
        found
    }

    /// Samples of a configuration at a size.
    pub(super) fn samples(&self, size: u64, configuration: &Named) -> Vec<Sample> {
        let mut found = Vec::new();
        for event in self.events.iter().filter(|event| self.has_counted(event, size)) {
            let position = event
                .entries
                .iter()
                .position(|entry| entry.size == size && entry.configuration == *configuration);
            let Some(position) = position else { continue };
            for (round, number) in self.rounds_of(event) {
                for sample in round.samples.iter().filter(|sample| sample.0 == position) {
                    let disturbed = event.is_disturbed(round, sample);
                    found.push(Sample { round: number, seconds: sample.1, disturbed });
                }
            }
        }
        found
    }
}
