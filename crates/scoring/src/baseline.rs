//! The calculated curve of random search on a space, and the time axis of a score.

use math::{Pchip, mean, median};

/// Points of the time axis.
pub(super) const RESOLUTION: usize = 1000;
/// Shares of the way from the median to the optimum at which the time axis begins and ends.
const CUT_OFFS: (f64, f64) = (0.01, 0.95);

/// One configuration of a recorded space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaselineRow {
    /// Objective, lower is better; `None` if the configuration is not valid.
    pub value: Option<f64>,
    /// Cost of an evaluation, in seconds.
    pub cost: f64,
}

/// Constants of a space, and its random-search curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// Valid objective values, best first.
    pub sorted: Vec<f64>,
    /// Median of `sorted`.
    pub median: f64,
    /// Objective at which the time axis ends.
    pub cut_off: f64,
    /// Evaluations of random search at the two ends of the time axis.
    pub evaluations: (u64, u64),
    /// Ends of the time axis, in seconds.
    pub span: (f64, f64),
    /// Median cost of a configuration, in seconds.
    pub median_cost: f64,
    /// Mean cost of an evaluation as the methodology defines it, in seconds.
    pub mean_cost: f64,
    /// Points of the time axis, in seconds.
    pub times: Vec<f64>,
    /// Objective that random search reaches at each point of the time axis.
    pub curve: Vec<f64>,
}

impl Baseline {
    /// The baseline of a space; `None` if no configuration is valid.
    #[must_use]
    pub fn new(rows: &[BaselineRow]) -> Option<Self> {
        let mut sorted: Vec<f64> =
            rows.iter().filter_map(|row| row.value).filter(|value| value.is_finite()).collect();
        if sorted.is_empty() {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        let middle = median(&sorted);
        let costs: Vec<f64> = rows.iter().map(|row| row.cost).collect();
        let median_cost = median(&costs);
        let (valid, invalid): (Vec<&BaselineRow>, Vec<&BaselineRow>) =
            rows.iter().partition(|row| row.value.is_some_and(f64::is_finite));
        let of = |rows: &[&BaselineRow]| mean(&rows.iter().map(|row| row.cost).collect::<Vec<_>>());
        let share = invalid.len() as f64 / rows.len() as f64;
        let mean_cost = of(&valid) + if invalid.is_empty() { 0.0 } else { share * of(&invalid) };
        let reached = |share: f64| evaluations_to(&sorted, middle, share);
        let (mut first, mut last) = (reached(CUT_OFFS.0), reached(CUT_OFFS.1));
        if last.saturating_sub(first) < 2 {
            (first, last) = (first.saturating_sub(1), last + 1);
        }
        let span = (first as f64 * median_cost, last as f64 * median_cost);
        let step = (span.1 - span.0) / (RESOLUTION - 1) as f64;
        let times: Vec<f64> = (0..RESOLUTION).map(|i| span.0 + i as f64 * step).collect();
        let curve = random_search(&sorted, &times, mean_cost);
        let cut_off = target(&sorted, middle, CUT_OFFS.1);
        let evaluations = (first, last);
        Some(Self {
            median: middle,
            sorted,
            cut_off,
            evaluations,
            span,
            median_cost,
            mean_cost,
            times,
            curve,
        })
    }

    /// Best value of the space.
    #[must_use]
    pub fn optimum(&self) -> f64 {
        self.sorted[0]
    }
}

/// The value at this share of the way from the median to the optimum.
fn target(sorted: &[f64], median: f64, share: f64) -> f64 {
    sorted[0] + (median - sorted[0]) * (1.0 - share)
}

/// Evaluations that random search needs to reach the target, by the target's rank from the worst.
fn evaluations_to(sorted: &[f64], median: f64, share: f64) -> u64 {
    let target = target(sorted, median, share);
    let n = sorted.len();
    let better = sorted.partition_point(|value| *value <= target);
    let mut at = n - better;
    if at < n && at > 0 && sorted[n - 1 - at] <= sorted[0] {
        at -= 1;
    }
    (at as f64 / (n + 1 - at) as f64).ceil() as u64
}

/// The objective that random search reaches at each time: the value at the expected rank after as
/// many draws as fit into that time, smoothed.
fn random_search(sorted: &[f64], times: &[f64], mean_cost: f64) -> Vec<f64> {
    let n = sorted.len();
    let value = |draws: f64| {
        let rank = (draws * (n + 1) as f64 / (draws + 1.0)).round_ties_even() as usize;
        sorted[n - 1 - rank.min(n - 1)]
    };
    let mut draws: Vec<f64> =
        times.iter().map(|time| (time / mean_cost).max(1.0).round_ties_even()).collect();
    draws.dedup();
    let values: Vec<f64> = draws.iter().map(|draws| value(*draws)).collect();
    let smooth = Pchip::new(&draws, &values);
    let (first, last) = (draws[0], draws[draws.len() - 1]);
    let step = (last - first) / (times.len() - 1).max(1) as f64;
    (0..times.len()).map(|i| smooth.at(first + i as f64 * step)).collect()
}
