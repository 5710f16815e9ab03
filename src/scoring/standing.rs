//! Results of strategies: the score with its uncertainty, and other figures that papers report.

use super::{
    Landscape, PooledRuns, Run, Runs, Simulated, StrategyComparison, comparison::in_parallel,
    curve::gained,
};
use crate::numeric::{mean, median, resampled_counts, seeded, standard_deviation};

/// Resamples of the runs for a standard error.
const RESAMPLES: usize = 50;

/// Result of one strategy on one space.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Mean performance over the time axis: 0 is random search, 1 the optimum.
    pub score: f64,
    /// Standard error of `score` from resampled runs; `None` for a single run.
    pub standard_error: Option<f64>,
    /// Performance at every point of the time axis.
    pub performance: Vec<f64>,
    /// Standard error of each point of `performance`.
    pub errors: Vec<f64>,
    /// Median over runs of optimum / best found, at each requested number of evaluations.
    pub fractions: Vec<Option<f64>>,
    /// Mean distance of the best found from the optimum, over [`CHECKPOINTS`] and runs.
    pub deviation: f64,
    /// Best value of each run at the end of the time axis; infinite if it found nothing.
    pub finals: Vec<f64>,
}

/// Evaluations of deviations, as in Willemsen et al. 2021: 20 initial samples and 200 more.
pub const CHECKPOINTS: [usize; 10] = [40, 60, 80, 100, 120, 140, 160, 180, 200, 220];

/// Results by strategy, then by landscape.
#[must_use]
pub fn standings(
    comparison: &StrategyComparison<'_>,
    all: &[Vec<Runs>],
    at: &[usize],
) -> Vec<Vec<Standing>> {
    let places = comparison.landscapes.len();
    let mut flat = in_parallel(all.len() * places, &|job| {
        standing(&comparison.landscapes[job % places], &all[job / places][job % places], at)
    })
    .into_iter();
    (0..all.len()).map(|_| flat.by_ref().take(places).collect()).collect()
}

/// Result of one strategy on one space.
#[must_use]
pub fn standing(landscape: &Landscape, runs: &Runs, at: &[usize]) -> Standing {
    let baseline = landscape.baseline();
    let pool = PooledRuns::new(baseline, runs.iter().map(|simulated| &simulated.run));
    // A strategy that finds nothing in time has the median, the value of a typical configuration.
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
    Standing {
        score: mean(&performance),
        standard_error: (runs.len() > 1).then(|| standard_deviation(&scores)),
        errors: (0..performance.len()).map(error_at).collect(),
        performance,
        fractions: at.iter().map(|n| fraction(landscape, &bests, *n)).collect(),
        deviation: deviation(landscape, &bests),
        finals: runs.iter().map(|run| best_in_time(landscape, &run.run)).collect(),
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

/// Best value after `n` evaluations; the last one if the run ended before.
fn after(best: &[f64], n: usize) -> f64 {
    let at = n.min(best.len());
    at.checked_sub(1).map_or(f64::INFINITY, |at| best[at])
}

fn fraction(landscape: &Landscape, bests: &[Vec<f64>], n: usize) -> Option<f64> {
    let longest = bests.iter().map(Vec::len).max().unwrap_or(0);
    let shares: Vec<f64> = bests.iter().map(|best| landscape.optimum() / after(best, n)).collect();
    (n <= longest).then(|| median(&shares))
}

fn deviation(landscape: &Landscape, bests: &[Vec<f64>]) -> f64 {
    let baseline = landscape.baseline();
    let worst = baseline.sorted[baseline.sorted.len() - 1];
    let away = |best: &Vec<f64>, n: usize| after(best, n).min(worst) - baseline.optimum();
    let of_run = |best: &Vec<f64>| mean(&CHECKPOINTS.map(|n| away(best, n)));
    mean(&bests.iter().map(of_run).collect::<Vec<_>>())
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

/// Mean deviation factor of every strategy: its distance from the optimum relative to the mean over
/// all strategies, averaged over the spaces (Willemsen et al. 2021); lower is better.
#[must_use]
pub fn deviation_factors(all: &[Vec<Standing>]) -> Vec<f64> {
    let places = all.first().map_or(0, Vec::len);
    let means: Vec<f64> = (0..places)
        .map(|place| mean(&all.iter().map(|s| s[place].deviation).collect::<Vec<_>>()))
        .collect();
    let factor = |(standing, mean): (&Standing, &f64)| {
        if *mean > 0.0 { standing.deviation / mean } else { 1.0 }
    };
    all.iter()
        .map(|standings| mean(&standings.iter().zip(&means).map(factor).collect::<Vec<_>>()))
        .collect()
}

/// Probability that a run of `one` beats a run of `other`, ties shared, averaged over the spaces.
#[must_use]
pub fn beats(one: &[Standing], other: &[Standing]) -> f64 {
    let on = |(one, other): (&Standing, &Standing)| {
        let mut won = 0.0;
        for a in &one.finals {
            for b in &other.finals {
                won += match a.total_cmp(b) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
            }
        }
        won / (one.finals.len() * other.finals.len()).max(1) as f64
    };
    mean(&one.iter().zip(other).map(on).collect::<Vec<_>>())
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
