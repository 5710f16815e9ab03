//! How fast a study was, and how far another study of the same would lie from it.

use serde::{Deserialize, Serialize};

use super::side::Studied;
use crate::{
    numeric::{mean, median, standard_deviation},
    records::{Figure, RoundsPurpose, Tempos},
};

/// Parts of a study's rounds whose distances say how far studies lie apart.
const PARTS: usize = 8;

/// Fewer parts say nothing.
const LEAST_PARTS: usize = 4;

/// Two studies differ by this much besides, in logarithms: where buffers and code lie in memory is
/// drawn anew for each process.
const PLACEMENT: f64 = 0.005;

/// With fewer samples, an interval of their median is their range.
const FEW: usize = 9;

/// Standard error of a median over that of a mean, of normal samples.
const MEDIAN: f64 = 1.2533;

/// As good as a deviation that is known.
const MOST_FREEDOM: f64 = 1e6;

/// Half the width of a 95 % interval in standard errors.
const HALF_WIDTH: f64 = 1.96;

/// Logarithm of seconds, and its standard deviation between studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The logarithm.
    pub value: f64,
    /// How far another study of the same would lie from it.
    pub deviation: f64,
    /// Degrees of freedom of the deviation.
    pub freedom: f64,
}

impl Level {
    /// The mean of the logarithms of a study's run times over these sizes; `None` if one of them is
    /// not measured, or its figure is a single sample.
    #[must_use]
    pub fn of(study: &Studied, sizes: &[u64]) -> Option<Self> {
        let figures: Vec<&Figure> =
            sizes.iter().map(|size| figure(study, *size)).collect::<Option<_>>()?;
        let logs: Vec<f64> = figures.iter().map(|figure| figure.seconds.median.ln()).collect();
        let parts = parts(study, sizes, &figures);
        let value = mean(&logs);
        if parts.len() >= LEAST_PARTS {
            return Some(Self::new(value, standard_deviation(&parts), (parts.len() - 1) as f64));
        }
        let errors: Option<Vec<f64>> = figures.iter().map(|figure| error(figure)).collect();
        let errors = errors?;
        let freedom = figures.iter().map(|figure| figure.seconds.count).min().unwrap_or(2).max(2);
        // What disturbs one size disturbs them all.
        Some(Self::new(value, mean(&errors), (freedom - 1) as f64))
    }

    /// With a deviation that was estimated, and placement, whose size is known.
    fn new(value: f64, estimated: f64, freedom: f64) -> Self {
        let variance = estimated.powi(2) + PLACEMENT.powi(2);
        let deviation = variance.sqrt();
        let freedom = freedom * (variance / estimated.max(f64::EPSILON).powi(2)).powi(2);
        Self { value, deviation, freedom: freedom.min(MOST_FREEDOM) }
    }
}

/// Figure of the best configuration of a size, if there is a run time.
pub(super) fn figure(study: &Studied, size: u64) -> Option<&Figure> {
    let (_, figure) = study.view.held().find(|(point, _)| point.size == size)?;
    Some(figure).filter(|figure| figure.seconds.median > 0.0)
}

/// Standard error of the logarithm of a run time; `None` of a single sample, which has none.
fn error(figure: &Figure) -> Option<f64> {
    let seconds = &figure.seconds;
    if seconds.count < 2 {
        return None;
    }
    if seconds.count < FEW {
        // The range of a few samples is no interval; the error of a median is that of a mean, and a
        // quarter more.
        return Some(MEDIAN * seconds.deviation / seconds.median / (seconds.count as f64).sqrt());
    }
    let (low, high) = seconds.interval;
    let width = (high.max(f64::MIN_POSITIVE) / low.max(f64::MIN_POSITIVE)).ln();
    width.is_finite().then_some(width / (2.0 * HALF_WIDTH))
}

/// How far the parts of a study's rounds lie from the whole, over these sizes, in logarithms.
fn parts(study: &Studied, sizes: &[u64], figures: &[&Figure]) -> Vec<f64> {
    let of = |purpose| study.view.rounds.iter().filter(move |event| event.purpose == purpose);
    // Rounds of a purpose are numbered for themselves.
    let purpose = match of(RoundsPurpose::Answer).next() {
        Some(_) => RoundsPurpose::Answer,
        None => RoundsPurpose::Growth,
    };
    let last = of(purpose).map(|event| event.first + event.rounds.len() as u64);
    let Some(end) = last.max() else { return Vec::new() };
    let tempos = Tempos::of(of(purpose).filter(|_| purpose == RoundsPurpose::Answer));
    let counts = |round: u64| tempos.as_ref().is_none_or(|t| !t.left_out.contains(&round));
    let mut sums = vec![Vec::new(); PARTS];
    for (size, figure) in sizes.iter().zip(figures) {
        let mut samples = vec![Vec::new(); PARTS];
        for event in of(purpose) {
            for (entry, round, sample, disturbed) in event.samples() {
                let same = entry.size == *size && entry.configuration == figure.configuration;
                if same && !disturbed && sample.1 > 0.0 && counts(round) {
                    let part = (round * PARTS as u64 / end) as usize;
                    samples[part.min(PARTS - 1)].push(sample.1.ln());
                }
            }
        }
        let whole: Vec<f64> = samples.iter().flatten().copied().collect();
        if whole.is_empty() {
            continue;
        }
        let whole = median(&whole);
        for (sum, part) in sums.iter_mut().zip(&samples) {
            if !part.is_empty() {
                sum.push(median(part) - whole);
            }
        }
    }
    sums.iter().filter(|sum| !sum.is_empty()).map(|sum| mean(sum)).collect()
}
