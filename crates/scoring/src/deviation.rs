//! Mean deviation factors (Willemsen, van Nieuwpoort and van Werkhoven 2021).

use math::{Rng, mean, quantile, seeded, sorted, standard_deviation};
use rand::RngExt;

use super::Standing;

/// Resamples of the runs for an interval.
const RESAMPLES: usize = 200;

/// A strategy's distance from the optimum over the mean of all strategies; lower is better.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviationFactor {
    /// Mean over the spaces.
    pub mean: f64,
    /// Standard deviation over the spaces; `None` for a single space.
    pub spread: Option<f64>,
    /// 95 % interval of the mean, from resampled runs of all strategies.
    pub interval: (f64, f64),
    /// Factor on every space.
    pub of_spaces: Vec<f64>,
    /// The mean in every resample. Equal positions of all strategies are the same resample.
    resampled: Vec<f64>,
}

impl DeviationFactor {
    /// Share by which the mean is below that of another strategy, with its 95 % interval.
    #[must_use]
    pub fn below(&self, other: &Self) -> (f64, (f64, f64)) {
        let less = |own: f64, other: f64| 1.0 - own / other;
        let pairs = self.resampled.iter().zip(&other.resampled);
        let resampled = sorted(&pairs.map(|(own, other)| less(*own, *other)).collect::<Vec<_>>());
        let interval = (quantile(&resampled, 0.025), quantile(&resampled, 0.975));
        (less(self.mean, other.mean), interval)
    }
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
        let ordered = sorted(&means);
        let spread = (of_spaces.len() > 1).then(|| standard_deviation(&of_spaces));
        let interval = (quantile(&ordered, 0.025), quantile(&ordered, 0.975));
        DeviationFactor { mean: mean(&of_spaces), spread, interval, of_spaces, resampled: means }
    };
    whole.into_iter().enumerate().map(of).collect()
}

/// Factors by strategy and space; `over` averages runs.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(deviations: &[f64]) -> Standing {
        Standing {
            score: 0.0,
            standard_error: None,
            performance: Vec::new(),
            errors: Vec::new(),
            fractions: Vec::new(),
            bests: Vec::new(),
            progress: Vec::new(),
            deviations: deviations.to_vec(),
            finals: Vec::new(),
        }
    }

    #[test]
    fn factors_are_in_units_of_the_mean_of_all_strategies() {
        // Means 1 and 3 on one space, 4 and 4 on the other: factors 0.5, 1.5 and 1, 1.
        let all = [
            vec![standing(&[0.5, 1.5]), standing(&[4.0, 4.0])],
            vec![standing(&[3.0, 3.0]), standing(&[4.0, 4.0])],
        ];
        let factors = deviation_factors(&all);
        assert!((factors[0].mean - 0.75).abs() < 1e-12 && (factors[1].mean - 1.25).abs() < 1e-12);
        let spread = factors[0].spread.expect("two spaces");
        assert!((spread - 0.125_f64.sqrt()).abs() < 1e-12, "{spread}");
        let (less, (low, high)) = factors[0].below(&factors[1]);
        assert!((less - 0.4).abs() < 1e-12 && low <= less && less <= high);
    }
}
