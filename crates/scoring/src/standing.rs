//! Results of strategies: the score with its uncertainty, and other values that papers report.

use math::{
    mean, median, quantile, resample_into, resampled_counts, seeded, sorted, standard_deviation,
};
use search_api::Budget;

use super::{
    Landscape, PooledRuns, Run, Runs, Simulated, StrategyComparison, comparison::in_parallel,
    curve::gained,
};

/// Resamples of the runs for a standard error.
const RESAMPLES: usize = 50;

/// Result of one strategy on one space.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Mean performance over the time axis: 0 is random search, 1 the optimum. For runs with a
    /// budget, the median share of the optimum at their end.
    pub score: f64,
    /// Standard error of `score` from resampled runs; `None` for a single run.
    pub standard_error: Option<f64>,
    /// Performance at every point of the time axis; empty for runs with a budget.
    pub performance: Vec<f64>,
    /// Standard error of each point of `performance`.
    pub errors: Vec<f64>,
    /// Median over runs of the share of the optimum, at each requested number of evaluations.
    pub fractions: Vec<Option<f64>>,
    /// For each requested number of evaluations, the best cost of each run, infinite if it found
    /// nothing; `None` for a number that no run reaches.
    pub bests: Vec<Option<Vec<f64>>>,
    /// How the best so far improves in the course of the runs.
    pub progress: Vec<ProgressPoint>,
    /// Distance of the best found from the optimum, averaged over [`CHECKPOINTS`], for each run.
    pub deviations: Vec<f64>,
    /// Best value of each run at the end of the time axis, or of its budget; infinite if it found
    /// nothing.
    pub finals: Vec<f64>,
}

/// How far runs have come after a number of evaluations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProgressPoint {
    /// Different configurations.
    pub evaluations: usize,
    /// Share of the optimum: median over the runs.
    pub median: f64,
    /// Its quartiles over the runs.
    pub quartiles: (f64, f64),
}

/// Evaluations at which deviations are taken, as in Willemsen et al. 2021: 20 initial samples and
/// 200 more.
pub const CHECKPOINTS: [usize; 10] = [40, 60, 80, 100, 120, 140, 160, 180, 200, 220];

/// Most points of a strategy's progress.
const POINTS: usize = 60;

/// Results by strategy, then by landscape.
#[must_use]
pub fn standings(
    comparison: &StrategyComparison<'_>,
    all: &[Vec<Runs>],
    at: &[usize],
) -> Vec<Vec<Standing>> {
    let places = comparison.landscapes.len();
    let mut flat = in_parallel(all.len() * places, &|job| {
        let landscape = &comparison.landscapes[job % places];
        let runs = &all[job / places][job % places];
        match comparison.budget {
            Some(budget) => standing_within(landscape, runs, at, budget),
            None => standing(landscape, runs, at),
        }
    })
    .into_iter();
    (0..all.len()).map(|_| flat.by_ref().take(places).collect()).collect()
}

/// Result of one strategy on one space with a budget. A run that ended early keeps what it found.
fn standing_within(landscape: &Landscape, runs: &Runs, at: &[usize], budget: Budget) -> Standing {
    let bests: Vec<Vec<f64>> = runs.iter().map(|run| best_so_far(landscape, run)).collect();
    let most = budget.evaluations.map_or(usize::MAX, |most| most as usize);
    let known = |n: &usize| (*n <= most).then(|| all_after(&bests, *n));
    let finals = all_after(&bests, usize::MAX);
    let shares: Vec<f64> = finals.iter().map(|cost| landscape.share(*cost)).collect();
    let mut rng = seeded(runs.len() as u64, 0x5C0E);
    let mut draw = Vec::new();
    let resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            resample_into(&mut rng, &shares, &mut draw);
            median(&draw)
        })
        .collect();
    Standing {
        score: median(&shares),
        standard_error: (runs.len() > 1).then(|| standard_deviation(&resampled)),
        performance: Vec::new(),
        errors: Vec::new(),
        finals,
        ..reached(landscape, &bests, at.iter().map(known).collect())
    }
}

/// What results with and without a budget share.
fn reached(landscape: &Landscape, bests: &[Vec<f64>], known: Vec<Option<Vec<f64>>>) -> Standing {
    let share = |costs: &Option<Vec<f64>>| Some(middle_share(landscape, costs.as_ref()?));
    Standing {
        score: f64::NAN,
        standard_error: None,
        performance: Vec::new(),
        errors: Vec::new(),
        fractions: known.iter().map(share).collect(),
        bests: known,
        progress: progress(landscape, bests),
        deviations: deviations(landscape, bests),
        finals: Vec::new(),
    }
}

/// Result of one strategy on one space.
#[must_use]
pub fn standing(landscape: &Landscape, runs: &Runs, at: &[usize]) -> Standing {
    let baseline = landscape.baseline();
    let pool = PooledRuns::new(baseline, runs.iter().map(|simulated| &simulated.run));
    // A strategy that finds nothing in time gets the median, the value of a typical configuration.
    let optimum = baseline.optimum();
    let median_over = |random: &f64| gained(baseline.median, *random, optimum);
    let performance: Vec<f64> = pool
        .performance(baseline, &vec![1; runs.len()])
        .unwrap_or_else(|| baseline.curve.iter().map(median_over).collect());
    let mut rng = seeded(runs.len() as u64, 0x5C0E);
    let resampled: Vec<Vec<f64>> = (0..RESAMPLES)
        .filter_map(|_| pool.performance(baseline, &resampled_counts(&mut rng, runs.len())))
        .collect();
    let scores: Vec<f64> = resampled.iter().map(|curve| mean(curve)).collect();
    let error_at =
        |i: usize| standard_deviation(&resampled.iter().map(|curve| curve[i]).collect::<Vec<_>>());
    let bests: Vec<Vec<f64>> = runs.iter().map(|run| best_so_far(landscape, run)).collect();
    let longest = bests.iter().map(Vec::len).max().unwrap_or(0);
    let known = |n: &usize| (*n <= longest).then(|| all_after(&bests, *n));
    let known: Vec<Option<Vec<f64>>> = at.iter().map(known).collect();
    Standing {
        score: mean(&performance),
        standard_error: (runs.len() > 1).then(|| standard_deviation(&scores)),
        errors: (0..performance.len()).map(error_at).collect(),
        performance,
        finals: runs.iter().map(|run| best_in_time(landscape, &run.run)).collect(),
        ..reached(landscape, &bests, known)
    }
}

/// Best value after each different configuration; infinite while nothing was found.
fn best_so_far(landscape: &Landscape, run: &Simulated) -> Vec<f64> {
    let values = run.order.iter().map(|id| landscape.cell(*id).value.unwrap_or(f64::INFINITY));
    values
        .scan(f64::INFINITY, |best, value| {
            *best = best.min(value);
            Some(*best)
        })
        .collect()
}

/// Best value after `n` evaluations, or at the end of a shorter run.
fn after(best: &[f64], n: usize) -> f64 {
    let at = n.min(best.len());
    at.checked_sub(1).map_or(f64::INFINITY, |at| best[at])
}

/// Best value of every run after `n` evaluations.
fn all_after(bests: &[Vec<f64>], n: usize) -> Vec<f64> {
    bests.iter().map(|best| after(best, n)).collect()
}

/// Median over runs of their shares of the optimum.
fn middle_share(landscape: &Landscape, costs: &[f64]) -> f64 {
    median(&costs.iter().map(|cost| landscape.share(*cost)).collect::<Vec<_>>())
}

/// Progress of the runs up to their ends.
fn progress(landscape: &Landscape, bests: &[Vec<f64>]) -> Vec<ProgressPoint> {
    let longest = bests.iter().map(Vec::len).max().unwrap_or(0);
    let step = longest.div_ceil(POINTS).max(1);
    let point = |evaluations: usize| {
        let costs = all_after(bests, evaluations);
        let shares: Vec<f64> = costs.iter().map(|cost| landscape.share(*cost)).collect();
        let shares = sorted(&shares);
        let at = |q| quantile(&shares, q);
        ProgressPoint { evaluations, median: at(0.5), quartiles: (at(0.25), at(0.75)) }
    };
    (1..=longest).filter(|n| *n == 1 || n % step == 0 || *n == longest).map(point).collect()
}

fn deviations(landscape: &Landscape, bests: &[Vec<f64>]) -> Vec<f64> {
    let worst = landscape.worst();
    let away = |best: &Vec<f64>, n: usize| after(best, n).min(worst) - landscape.optimum();
    bests.iter().map(|best| mean(&CHECKPOINTS.map(|n| away(best, n)))).collect()
}

fn best_in_time(landscape: &Landscape, run: &Run) -> f64 {
    let in_time = run.times.iter().zip(&run.values);
    let in_time = in_time.take_while(|(time, _)| **time <= landscape.baseline().span.1);
    in_time.filter_map(|(_, value)| *value).fold(f64::INFINITY, f64::min)
}

/// Mean performance over the spaces at every point of the time axis, with its standard error.
#[must_use]
pub fn overall(standings: &[Standing]) -> (Vec<f64>, Vec<f64>) {
    let count = standings.len() as f64;
    let points = standings.first().map_or(0, |standing| standing.performance.len());
    (0..points)
        .map(|i| {
            let values: Vec<f64> = standings.iter().map(|s| s.performance[i]).collect();
            let squares: f64 = standings.iter().map(|s| s.errors[i].powi(2)).sum();
            (mean(&values), squares.sqrt() / count)
        })
        .unzip()
}

/// Score over all spaces, and its standard error.
#[must_use]
pub fn total(standings: &[Standing]) -> (f64, Option<f64>) {
    let score = mean(&standings.iter().map(|s| s.score).collect::<Vec<_>>());
    let squares: Option<f64> = standings.iter().map(|s| s.standard_error.map(|e| e * e)).sum();
    (score, squares.map(|sum| sum.sqrt() / standings.len() as f64))
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
