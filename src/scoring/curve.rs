//! What a strategy reaches over time, from many runs, and how that compares with random search.

use super::Baseline;
use crate::numeric::{isotonic_increasing, median};

/// How far beyond the ends of the time axis evaluations still count.
const MARGIN: f64 = 0.1;

/// One run: when every evaluation was answered, in seconds, and with which objective.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Ascending.
    pub times: Vec<f64>,
    /// None where the configuration is not valid.
    pub values: Vec<Option<f64>>,
}

/// The performance at every point of the time axis: 0 as random search, 1 at the optimum. The
/// score of a space is its mean. None if no run found anything in time.
#[must_use]
pub fn performance(baseline: &Baseline, runs: &[Run]) -> Option<Vec<f64>> {
    let curve = curve(baseline, runs)?;
    let optimum = baseline.optimum();
    let against = curve.iter().zip(&baseline.curve);
    Some(against.map(|(value, random)| (value - random) / (optimum - random)).collect())
}

/// The objective reached over time: one monotone regression of the rank of the best so far, over
/// the evaluations of all runs together.
fn curve(baseline: &Baseline, runs: &[Run]) -> Option<Vec<f64>> {
    let longest = runs.iter().map(|run| run.times.len()).max().unwrap_or(0).max(1);
    let margin = MARGIN + 0.25 / longest as f64;
    let (from, to) = (baseline.span.0 * (1.0 - margin), baseline.span.1 * (1.0 + margin));
    let (mut points, mut ends) = (Vec::new(), Vec::new());
    for run in runs {
        let mut best = f64::INFINITY;
        let mut end = None;
        for (time, value) in run.times.iter().zip(&run.values) {
            best = value.filter(|value| value.is_finite()).map_or(best, |value| best.min(value));
            if best.is_finite() && (from..=to).contains(time) {
                let rank = baseline.sorted.partition_point(|known| *known < best);
                points.push((*time, rank as f64));
                end = Some(*time);
            }
        }
        ends.extend(end);
    }
    if points.is_empty() {
        return None;
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (times, ranks) = monotone(&points);
    let mut curve: Vec<f64> = baseline
        .times
        .iter()
        .map(|time| {
            let rank = interpolated(&times, &ranks, *time).round_ties_even().max(0.0) as usize;
            baseline.sorted[rank.min(baseline.sorted.len() - 1)]
        })
        .collect();
    hold_after(&mut curve, &baseline.times, &mut ends);
    Some(curve)
}

/// The non-increasing regression of ranks on time, at every different time.
fn monotone(points: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    let (mut times, mut ranks, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for group in points.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        times.push(group[0].0);
        ranks.push(-group.iter().map(|point| point.1).sum::<f64>() / group.len() as f64);
        weights.push(group.len() as f64);
    }
    let fitted = isotonic_increasing(&ranks, &weights).into_iter().map(|rank| -rank).collect();
    (times, fitted)
}

/// Linear between the points, constant outside.
fn interpolated(x: &[f64], y: &[f64], at: f64) -> f64 {
    let right = x.partition_point(|known| *known <= at);
    if right == 0 {
        return y[0];
    }
    if right == x.len() {
        return y[right - 1];
    }
    let share = (at - x[right - 1]) / (x[right] - x[right - 1]);
    y[right - 1] + share * (y[right] - y[right - 1])
}

/// Where most runs have ended, what they found stays.
fn hold_after(curve: &mut [f64], times: &[f64], ends: &mut [f64]) {
    ends.sort_by(f64::total_cmp);
    let middle = median(ends);
    let Some(stop) = ends.iter().copied().find(|end| *end > middle) else { return };
    let last = times.partition_point(|time| *time <= stop);
    if let Some(held) = last.checked_sub(1).map(|at| curve[at]) {
        curve[last..].iter_mut().for_each(|value| *value = held);
    }
}
