//! Mean deviation factors (Willemsen, van Nieuwpoort and van Werkhoven 2021).

use rand::RngExt;

use super::Standing;
use crate::numeric::{Rng, mean, quantile, seeded, sorted, standard_deviation};

/// Resamples of the runs for an interval.
const RESAMPLES: usize = 200;

/// A strategy's distance from the optimum relative to the mean over all strategies; lower is better.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviationFactor {
    /// Mean over the spaces.
    pub mean: f64,
    /// Standard deviation over the spaces; none for a single space.
    pub spread: Option<f64>,
    /// 95 % interval of the mean, from resampled runs of all strategies.
    pub interval: (f64, f64),
    /// Of every space.
    pub of_spaces: Vec<f64>,
}

/// Deviation factors of every strategy; `all` are results by strategy, then by space.
#[must_use]
pub fn deviation_factors(all: &[Vec<Standing>]) -> Vec<DeviationFactor> {
    let whole = factors(all, &mut |runs| mean(runs));
    let mut rng = seeded(all.len() as u64, 0xDEF4);
    let resampled: Vec<Vec<Vec<f64>>> =
        (0..RESAMPLES).map(|_| factors(all, &mut |runs| resampled_mean(runs, &mut rng))).collect();
    let of = |(at, of_spaces): (usize, Vec<f64>)| {
        let means: Vec<f64> = resampled.iter().map(|one| mean(&one[at])).collect();
        let means = sorted(&means);
        let spread = (of_spaces.len() > 1).then(|| standard_deviation(&of_spaces));
        let interval = (quantile(&means, 0.025), quantile(&means, 0.975));
        DeviationFactor { mean: mean(&of_spaces), spread, interval, of_spaces }
    };
    whole.into_iter().enumerate().map(of).collect()
}

/// Factors by strategy and space, with a mean of runs for each.
fn factors(all: &[Vec<Standing>], over: &mut dyn FnMut(&[f64]) -> f64) -> Vec<Vec<f64>> {
    let means: Vec<Vec<f64>> = all
        .iter()
        .map(|standings| standings.iter().map(|standing| over(&standing.deviations)).collect())
        .collect();
    let places = means.first().map_or(0, Vec::len);
    let of_all: Vec<f64> = (0..places)
        .map(|place| mean(&means.iter().map(|of| of[place]).collect::<Vec<_>>()))
        .collect();
    let factor = |(own, all): (&f64, &f64)| if *all > 0.0 { own / all } else { 1.0 };
    means.iter().map(|own| own.iter().zip(&of_all).map(factor).collect()).collect()
}

fn resampled_mean(runs: &[f64], rng: &mut Rng) -> f64 {
    let drawn = (0..runs.len()).map(|_| runs[rng.random_range(0..runs.len())]);
    drawn.sum::<f64>() / runs.len() as f64
}
