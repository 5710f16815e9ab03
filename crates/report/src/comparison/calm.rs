//! Calm times: how fast configurations run while nobody else uses the machine.
//!
//! Other users make runs longer and never shorter, so a median also contains their load. The calm
//! time is the 1st percentile of the samples in rounds. On a shared virtual machine, two
//! studies of one build differed by 3 % in their medians and by 0.3 % in their calm times.

use std::{borrow::Cow, collections::BTreeMap};

use math::sorted;
use records::{Figure, Named};

use super::{
    judged::Judged,
    rounds::{ENOUGH, rounds},
    side::Studied,
};

/// Quantile of the round samples that is the calm time. It is low enough to exclude the load of
/// other users, but is not the minimum, which may be an error of the clock.
const SHARE: f64 = 0.01;

/// The rounds of a study are split into this many parts. Their spread predicts the spread of
/// studies.
const PARTS: usize = 8;

/// The quantile that is the calm time, by size: 1 %, or the share of one sample if there are fewer
/// than 100.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calm {
    shares: BTreeMap<u64, f64>,
    judged: Judged,
}

/// Calm times of a study at a size, in logarithms of seconds.
pub(super) struct CalmTimes {
    /// The calm time of all rounds.
    pub(super) whole: f64,
    /// The calm time of each part minus that of all rounds; `None` for a part without samples.
    pub(super) apart: Vec<Option<f64>>,
}

impl Calm {
    /// Keeps the sizes at which all these studies have enough samples of what is judged.
    pub fn of(studies: &[&Studied], sizes: &[u64], judged: Judged) -> Self {
        let share = |size: &u64| {
            let counts = studies.iter().filter_map(|study| {
                let parts = samples(study, *size, &judged.figure(study, *size)?.configuration);
                Some(parts.iter().map(Vec::len).sum::<usize>())
            });
            let mut counts: Vec<usize> = counts.collect();
            counts.sort_unstable();
            let (fewest, middle) = (*counts.first()?, counts[counts.len() / 2]);
            (fewest >= ENOUGH).then(|| (*size, SHARE.max(1.0 / middle as f64)))
        };
        Self { shares: sizes.iter().filter_map(share).collect(), judged }
    }

    /// Returns what a study measured of the configuration that is judged at a size.
    pub(super) fn figure<'a>(&self, study: &'a Studied, size: u64) -> Option<Cow<'a, Figure>> {
        self.judged.figure(study, size)
    }

    /// Returns the calm times of a configuration in a study; `None` if medians are compared.
    pub(super) fn times(&self, study: &Studied, size: u64, of: &Named) -> Option<CalmTimes> {
        let share = *self.shares.get(&size)?;
        let parts = samples(study, size, of);
        let all: Vec<f64> = parts.iter().flatten().copied().collect();
        let whole = quantile(&all, share)?;
        let apart = parts.iter().map(|part| Some(quantile(part, share)? - whole)).collect();
        Some(CalmTimes { whole, apart })
    }
}

/// Returns the logarithms of a configuration's round samples, for each part of the study. Disturbed
/// samples stay: they are slow, so they do not move a low quantile, and studies keep equal numbers
/// of samples.
fn samples(study: &Studied, size: u64, configuration: &Named) -> Vec<Vec<f64>> {
    let last = rounds(study).map(|event| event.first + event.rounds.len() as u64);
    let end = last.max().unwrap_or(1);
    let mut samples = vec![Vec::new(); PARTS];
    for event in rounds(study) {
        let position = event
            .entries
            .iter()
            .position(|entry| entry.size == size && entry.configuration == *configuration);
        let Some(position) = position else { continue };
        for (round, number) in event.rounds.iter().zip(event.first..) {
            let part = ((number * PARTS as u64 / end) as usize).min(PARTS - 1);
            let own = round.samples.iter().filter(|sample| sample.0 == position);
            samples[part].extend(own.filter(|sample| sample.1 > 0.0).map(|sample| sample.1.ln()));
        }
    }
    samples
}

/// A quantile that does not shift with the number of values (Hyndman and Fan 1996, type 8).
fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let values = sorted(values);
    let last = values.len().checked_sub(1)?;
    let at = (values.len() as f64 + 1.0 / 3.0) * share + 1.0 / 3.0 - 1.0;
    let at = at.clamp(0.0, last as f64);
    let below = at.floor() as usize;
    let above = (below + 1).min(last);
    Some(values[below] + (values[above] - values[below]) * (at - below as f64))
}

#[cfg(test)]
mod tests {
    use math::{mean, normal, seeded};

    use super::*;

    #[test]
    fn the_calm_time_of_few_samples_is_that_of_many() {
        let mut rng = seeded(12, 0);
        let mut of = |count: usize| {
            let mut one = || {
                let values: Vec<f64> = (0..count).map(|_| normal(&mut rng)).collect();
                quantile(&values, 0.05).expect("values")
            };
            mean(&(0..2000).map(|_| one()).collect::<Vec<_>>())
        };
        let (few, many) = (of(20), of(400));
        assert!((few - many).abs() < 0.15, "{few}, {many}");
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[3.0], 0.01), Some(3.0));
    }
}
