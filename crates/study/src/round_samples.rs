//! The samples of a study's rounds, by size and configuration.

use std::collections::BTreeMap;

use records::{Named, Round, RoundEntry, RoundSample, RoundsEvent, RoundsPurpose};

use super::StudyJournal;

/// A sample of a configuration at a size.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sample {
    pub(super) round: u64,
    pub(super) seconds: f64,
    /// Share of the sample's time that other programs took.
    pub(super) lost: f64,
    /// How often sizes had exchanged their memory before.
    pub(super) placement: u64,
}

/// The rounds of a purpose, in order.
pub(super) struct RoundSamples<'a> {
    /// With the number of exchanges of memory before each.
    events: Vec<(&'a RoundsEvent, u64)>,
}

impl<'a> RoundSamples<'a> {
    pub(super) fn of(journal: &'a StudyJournal, purpose: RoundsPurpose) -> Self {
        let mut placement = 0;
        let number = |event: &'a RoundsEvent| {
            placement += u64::from(event.moved);
            (event, placement)
        };
        Self { events: journal.common_rounds(purpose).into_iter().map(number).collect() }
    }

    pub(super) fn count(&self) -> u64 {
        self.events.iter().map(|(event, _)| event.rounds.len() as u64).sum()
    }

    /// Returns the samples of all configurations, by size.
    pub(super) fn all(&self) -> BTreeMap<u64, Vec<(&'a Named, Vec<Sample>)>> {
        let mut found: BTreeMap<u64, Vec<(&Named, Vec<Sample>)>> = BTreeMap::new();
        for (event, placement) in &self.events {
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
            for (round, number) in event.rounds.iter().zip(event.first..) {
                for sample in &round.samples {
                    let Some((size, at)) = places.get(sample.0) else { continue };
                    let sample = sample_of((event, *placement), round, sample, number);
                    found.entry(*size).or_default()[*at].1.push(sample);
                }
            }
        }
        found
    }

    pub(super) fn of_one(&self, size: u64, configuration: &Named) -> Vec<Sample> {
        let mut found = Vec::new();
        for (event, placement) in &self.events {
            let is_it =
                |entry: &RoundEntry| entry.size == size && entry.configuration == *configuration;
            let Some(position) = event.entries.iter().position(is_it) else { continue };
            for (round, number) in event.rounds.iter().zip(event.first..) {
                let own = round.samples.iter().filter(|sample| sample.0 == position);
                found.extend(
                    own.map(|sample| sample_of((event, *placement), round, sample, number)),
                );
            }
        }
        found
    }
}

/// Converts a recorded sample. Lost time is at most the sample's own time, since the counters also
/// cover the gaps between samples. A throttled round loses at least `THROTTLED`; the real loss is
/// unknown.
fn sample_of(
    (event, placement): (&RoundsEvent, u64),
    round: &Round,
    sample: &RoundSample,
    number: u64,
) -> Sample {
    const THROTTLED: f64 = 0.2;
    let lost = (sample.2 / event.seconds(sample)).clamp(0.0, 1.0);
    let lost = if round.throttled { lost.max(THROTTLED) } else { lost };
    Sample { round: number, seconds: sample.1, lost, placement }
}
