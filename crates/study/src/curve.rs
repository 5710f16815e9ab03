//! The curve of a study so far.

use knees::{Curve, has_levelled_off};
use records::{RoundsPurpose, SizeClosed};

use super::{Plan, StudyJournal, Subject, values_in_rounds};

/// The curve of the metric over the sizes, from closed sizes alone.
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

/// The sizes that have a best configuration, ascending.
pub(super) fn points(journal: &StudyJournal) -> Vec<&SizeClosed> {
    journal.closed().into_values().filter(|closed| closed.best.is_some()).collect()
}

/// The curve of the rounds of a purpose, if there are any, else of the finals of each size.
pub(super) fn curve_in_rounds(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> Option<Curve> {
    let repeated = values_in_rounds::repeated(plan, subject, journal, purpose);
    repeated.map(|repeated| repeated.curve()).or_else(|| curve(&points(journal)))
}

/// Whether the largest sizes have reached no level: growth ended before they did.
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

/// Exponent of the size in the run time, at the end of the sizes so far.
pub(super) fn work_exponent(points: &[&SizeClosed]) -> f64 {
    let time = |point: &SizeClosed| {
        Some(((point.size as f64).ln(), point.best.as_ref()?.seconds.median.ln()))
    };
    let last: Vec<(f64, f64)> = points.iter().rev().take(4).filter_map(|p| time(p)).collect();
    let (Some(first), Some(end)) = (last.last(), last.first()) else { return 1.0 };
    let slope = (end.1 - first.1) / (end.0 - first.0);
    if slope.is_finite() { slope.round().clamp(1.0, 4.0) } else { 1.0 }
}
