//! Performance of a strategy over time, from many runs, compared with random search.

use math::{isotonic_increasing, median};

use super::Baseline;

/// Evaluations count up to this share beyond the ends of the time axis.
const MARGIN: f64 = 0.1;

/// One run: the time of every answer in seconds, and its objective.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Seconds, ascending.
    pub times: Vec<f64>,
    /// Objectives; `None` where the configuration is not valid.
    pub values: Vec<Option<f64>>,
}

/// Performance at every point of the time axis: 0 is random search, 1 the optimum. The mean is the
/// score of the space. `None` if no run found anything in time.
#[must_use]
pub fn performance(baseline: &Baseline, runs: &[Run]) -> Option<Vec<f64>> {
    PooledRuns::new(baseline, runs.iter()).performance(baseline, &vec![1; runs.len()])
}

/// Evaluations of many runs, sorted by time.
#[derive(Debug, Clone)]
pub struct PooledRuns {
    points: Vec<TimedRank>,
    /// For each run that found something in time, the time of its last answer and its number.
    ends: Vec<(f64, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct TimedRank {
    time: f64,
    /// Rank of the best so far among all values of the space.
    rank: f64,
    run: usize,
}

impl PooledRuns {
    /// Pools the evaluations on the time axis and a little beyond its ends.
    #[must_use]
    pub fn new<'a>(baseline: &Baseline, runs: impl Iterator<Item = &'a Run> + Clone) -> Self {
        let longest = runs.clone().map(|run| run.times.len()).max().unwrap_or(0).max(1);
        let margin = MARGIN + 0.25 / longest as f64;
        let (from, to) = (baseline.span.0 * (1.0 - margin), baseline.span.1 * (1.0 + margin));
        let (mut points, mut ends) = (Vec::new(), Vec::new());
        for (number, run) in runs.enumerate() {
            let (mut best, mut rank) = (f64::INFINITY, 0);
            let mut end = None;
            for (time, value) in run.times.iter().zip(&run.values) {
                if let Some(value) = value.filter(|value| *value < best) {
                    best = value;
                    rank = baseline.sorted.partition_point(|known| *known < best);
                }
                if best.is_finite() && (from..=to).contains(time) {
                    points.push(TimedRank { time: *time, rank: rank as f64, run: number });
                    end = Some((*time, number));
                }
            }
            ends.extend(end);
        }
        points.sort_by(|a, b| a.time.total_cmp(&b.time));
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { points, ends }
    }

    /// Performance with each run counted `weights` times; `None` if nothing was found in time.
    #[must_use]
    pub fn performance(&self, baseline: &Baseline, weights: &[u32]) -> Option<Vec<f64>> {
        let curve = self.curve(baseline, weights)?;
        let against = curve.iter().zip(&baseline.curve);
        Some(against.map(|(value, random)| gained(*value, *random, baseline.optimum())).collect())
    }

    /// Objective over time: a monotone regression of the ranks of the best so far over all runs.
    fn curve(&self, baseline: &Baseline, weights: &[u32]) -> Option<Vec<f64>> {
        let (times, ranks) = self.monotone(weights);
        if times.is_empty() {
            return None;
        }
        let value_at = |time: &f64| {
            let rank = interpolated(&times, &ranks, *time).round_ties_even().max(0.0) as usize;
            baseline.sorted[rank.min(baseline.sorted.len() - 1)]
        };
        let mut curve: Vec<f64> = baseline.times.iter().map(value_at).collect();
        self.hold_after(&mut curve, &baseline.times, weights);
        Some(curve)
    }

    /// Non-increasing regression of ranks on time, at every distinct time.
    fn monotone(&self, run_weights: &[u32]) -> (Vec<f64>, Vec<f64>) {
        let (mut times, mut ranks, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for group in self.points.chunk_by(|a, b| a.time.total_cmp(&b.time).is_eq()) {
            let weight: f64 = group.iter().map(|p| f64::from(run_weights[p.run])).sum();
            if weight > 0.0 {
                let sum: f64 = group.iter().map(|p| p.rank * f64::from(run_weights[p.run])).sum();
                times.push(group[0].time);
                ranks.push(-sum / weight);
                weights.push(weight);
            }
        }
        let fitted = isotonic_increasing(&ranks, &weights).into_iter().map(|rank| -rank).collect();
        (times, fitted)
    }

    /// Keeps the curve constant after most runs have ended.
    fn hold_after(&self, curve: &mut [f64], times: &[f64], weights: &[u32]) {
        let counted = |(end, run): &(f64, usize)| std::iter::repeat_n(*end, weights[*run] as usize);
        let ends: Vec<f64> = self.ends.iter().flat_map(counted).collect();
        if ends.is_empty() {
            return;
        }
        let middle = median(&ends);
        let Some(stop) = ends.iter().copied().find(|end| *end > middle) else { return };
        let last = times.partition_point(|time| *time <= stop);
        if let Some(held) = last.checked_sub(1).map(|at| curve[at]) {
            curve[last..].iter_mut().for_each(|value| *value = held);
        }
    }
}

/// Share of the way from random search to the optimum.
pub(super) fn gained(value: f64, random: f64, optimum: f64) -> f64 {
    if random > optimum {
        (value - random) / (optimum - random)
    } else {
        // Random search has reached the optimum already.
        f64::from(u8::from(value <= optimum))
    }
}

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
