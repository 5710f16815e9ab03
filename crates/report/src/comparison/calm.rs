//! Calm times: how fast a study's winners are while nobody else uses the machine.
//!
//! What others do to a machine makes runs longer and never shorter, so their middle is the middle of the
//! others' work, too. Of rounds, the calm time counts, which one sample in a hundred takes at most: two studies
//! of one build that lay 3 % apart in their medians on a virtual machine lay 0.3 % apart in calm times.

use std::collections::BTreeMap;

use math::sorted;
use records::{Figure, RoundsPurpose, since_anew};

use super::side::Studied;

/// Share of the samples in rounds that take the calm time at most: few enough to miss what others do, and
/// not the fastest one, which may be an accident of the clock.
const SHARE: f64 = 0.01;

/// Fewest samples of a size that have a calm time. Fewer have a median alone, and all studies that are held
/// against each other have the same.
const ENOUGH: usize = 20;

/// Parts of a study's rounds whose distances say how far studies lie apart.
const PARTS: usize = 8;

/// Which share of the samples takes the calm time at most, by size: one that so many samples have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calm(BTreeMap<u64, f64>);

/// Calm times of a study at a size, in logarithms of seconds.
pub(super) struct CalmTimes {
    /// Of all rounds.
    pub(super) whole: f64,
    /// How far parts of the rounds lie from that, where a part has samples.
    pub(super) apart: Vec<Option<f64>>,
}

impl Calm {
    /// Of sizes at which all these studies have enough samples.
    pub fn of(studies: &[&Studied], sizes: &[u64]) -> Self {
        let share = |size: &u64| {
            let counts = studies.iter().filter_map(|study| {
                let parts = samples(study, *size, study.figure(*size)?);
                Some(parts.iter().map(Vec::len).sum::<usize>())
            });
            let mut counts: Vec<usize> = counts.collect();
            counts.sort_unstable();
            let (fewest, middle) = (*counts.first()?, counts[counts.len() / 2]);
            (fewest >= ENOUGH).then(|| (*size, SHARE.max(1.0 / middle as f64)))
        };
        Self(sizes.iter().filter_map(share).collect())
    }

    /// The calm times of a study's best configuration; `None` where medians count.
    pub(super) fn times(&self, study: &Studied, size: u64, figure: &Figure) -> Option<CalmTimes> {
        let share = *self.0.get(&size)?;
        let parts = samples(study, size, figure);
        let all: Vec<f64> = parts.iter().flatten().copied().collect();
        let whole = quantile(&all, share)?;
        let apart = parts.iter().map(|part| Some(quantile(part, share)? - whole)).collect();
        Some(CalmTimes { whole, apart })
    }
}

/// Logarithms of the samples of a configuration in rounds, by parts of the study. Disturbed ones are among
/// them: they are slow, so that the calm time is beyond them, and a study that met many has as many samples.
fn samples(study: &Studied, size: u64, figure: &Figure) -> Vec<Vec<f64>> {
    let of = |purpose| study.view.rounds.iter().filter(move |event| event.purpose == purpose);
    // Rounds of a purpose are numbered for themselves.
    let purpose = match of(RoundsPurpose::Answer).next() {
        Some(_) => RoundsPurpose::Answer,
        None => RoundsPurpose::Growth,
    };
    let last = of(purpose).map(|event| event.first + event.rounds.len() as u64);
    let end = last.max().unwrap_or(1);
    let since = since_anew(of(purpose)).get(&size).copied().unwrap_or(0);
    let mut samples = vec![Vec::new(); PARTS];
    for event in of(purpose).filter(|event| event.first >= since) {
        let position = event
            .entries
            .iter()
            .position(|entry| entry.size == size && entry.configuration == figure.configuration);
        let Some(position) = position else { continue };
        for (round, number) in event.rounds.iter().zip(event.first..) {
            let part = ((number * PARTS as u64 / end) as usize).min(PARTS - 1);
            let own = round.samples.iter().filter(|sample| sample.0 == position);
            samples[part].extend(own.filter(|sample| sample.1 > 0.0).map(|sample| sample.1.ln()));
        }
    }
    samples
}

/// A quantile whose place does not depend on how many values there are (Hyndman and Fan 1996, type 8).
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
