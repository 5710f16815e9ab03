//! The curve of a study so far.

use knees::{Curve, has_levelled_off};
use records::{RoundsPurpose, SizeClosed};

use super::{Plan, StudyJournal, Subject, values_in_rounds};

/// Returns the curve of the metric over these sizes.
pub(super) fn curve(closed: &[&SizeClosed]) -> Option<Curve> {
    let mut x = Vec::new();
    let mut y = Vec::new();
    let mut samples = Vec::new();
    for point in closed {
        let Some(metric) = point.best.as_ref().and_then(|best| best.metric.as_ref()) else {
            continue;
        };
        x.push(point.size as f64);
        y.push(metric.value);
        samples.push(metric.samples.clone());
    }
    let samples = samples.iter().all(|s| s.len() > 1).then_some(samples);
    Curve::with_noise(&x, &y, None, samples.as_deref()).ok()
}

/// Returns the closed sizes that have a best configuration, ascending.
pub(super) fn points(journal: &StudyJournal) -> Vec<&SizeClosed> {
    journal.closed().into_values().filter(|closed| closed.best.is_some()).collect()
}

/// Returns the curve measured by the rounds of a purpose, or without rounds the curve of the closed
/// sizes.
pub(super) fn curve_in_rounds(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> Option<Curve> {
    let repeated = values_in_rounds::repeated(plan, subject, journal, purpose);
    repeated.map(|repeated| repeated.curve()).or_else(|| curve(&points(journal)))
}

/// Whether the curve still climbs at its end: growth ended before the curve levelled off.
pub(super) fn still_climbs(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> bool {
    let exponent = work_exponent(&points(journal));
    let curve = curve_in_rounds(plan, subject, journal, purpose);
    curve.is_some_and(|curve| !has_levelled_off(&curve, exponent))
}

/// Estimates from the last four sizes with which power of the size the run time grows.
pub(super) fn work_exponent(points: &[&SizeClosed]) -> f64 {
    let time = |point: &SizeClosed| {
        Some(((point.size as f64).ln(), point.best.as_ref()?.seconds.median.ln()))
    };
    let last: Vec<(f64, f64)> = points.iter().rev().take(4).filter_map(|p| time(p)).collect();
    let (Some(first), Some(end)) = (last.last(), last.first()) else { return 1.0 };
    let slope = (end.1 - first.1) / (end.0 - first.0);
    if slope.is_finite() { slope.round().clamp(1.0, 4.0) } else { 1.0 }
}
