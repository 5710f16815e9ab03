//! How fast a study was, and how far another study of the same would lie from it.

use super::side::Studied;
use crate::{
    numeric::{mean, median, standard_deviation},
    records::Figure,
};

/// Parts of a study's rounds whose distances say how far studies lie apart.
const PARTS: usize = 8;

/// Fewer parts say nothing.
const LEAST_PARTS: usize = 4;

/// Two studies differ by this much besides, in logarithms: where buffers and code lie in memory is
/// drawn anew for each process.
const PLACEMENT: f64 = 0.005;

/// As good as a deviation that is known.
const MOST_FREEDOM: f64 = 1e6;

/// Half the width of a 95 % interval in standard errors.
const HALF_WIDTH: f64 = 1.96;

/// Logarithm of seconds, and its standard deviation between studies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    pub(super) value: f64,
    pub(super) deviation: f64,
    /// Degrees of freedom of the deviation.
    pub(super) freedom: f64,
}

impl Level {
    /// The mean of the logarithms of a study's run times over these sizes; `None` if one of them is
    /// not measured.
    pub(super) fn of(study: &Studied, sizes: &[u64]) -> Option<Self> {
        let figures: Vec<&Figure> =
            sizes.iter().map(|size| figure(study, *size)).collect::<Option<_>>()?;
        let logs: Vec<f64> = figures.iter().map(|figure| figure.seconds.median.ln()).collect();
        let parts = parts(study, sizes, &figures);
        let value = mean(&logs);
        if parts.len() >= LEAST_PARTS {
            return Some(Self::new(value, standard_deviation(&parts), (parts.len() - 1) as f64));
        }
        let errors: Vec<f64> = figures.iter().map(|figure| error(figure)).collect();
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
    let point = study.view.sizes.iter().find(|point| point.size == size)?;
    point.best().filter(|figure| figure.seconds.median > 0.0)
}

/// Standard error of the logarithm of a run time, by its interval.
fn error(figure: &Figure) -> f64 {
    let (low, high) = figure.seconds.interval;
    let width = (high.max(f64::MIN_POSITIVE) / low.max(f64::MIN_POSITIVE)).ln();
    if width.is_finite() { width / (2.0 * HALF_WIDTH) } else { 1.0 }
}

/// How far the parts of a study's rounds lie from the whole, over these sizes, in logarithms.
fn parts(study: &Studied, sizes: &[u64], figures: &[&Figure]) -> Vec<f64> {
    let last = study.view.rounds.iter().map(|event| event.first + event.rounds.len() as u64);
    let Some(end) = last.max() else { return Vec::new() };
    let mut sums = vec![Vec::new(); PARTS];
    for (size, figure) in sizes.iter().zip(figures) {
        let mut samples = vec![Vec::new(); PARTS];
        for event in &study.view.rounds {
            for (entry, round, sample, disturbed) in event.samples() {
                let same = entry.size == *size && entry.configuration == figure.configuration;
                if same && !disturbed && sample.1 > 0.0 {
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
