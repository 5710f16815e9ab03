//! How much nearer to fronts one strategy comes than another, how much sooner, and in how much less
//! time: tables 2 to 5 of *NSGA-II and NSGA-III in Kernel Tuner* (2025).

use math::{mean, median, quantile, seeded, sorted, standard_deviation};
use rand::RngExt;

use super::FrontRun;

/// Resamples of the runs for an interval.
const RESAMPLES: usize = 200;

/// A value over several spaces.
#[derive(Debug, Clone, PartialEq)]
pub struct OverSpaces {
    /// Mean over the spaces that have the value; NaN if none has.
    pub mean: f64,
    /// Standard deviation over these spaces; `None` for a single one.
    pub spread: Option<f64>,
    /// 95 % interval of the mean, from resampled runs.
    pub interval: (f64, f64),
    /// Value on every space; NaN where there is none.
    pub of_spaces: Vec<f64>,
}

/// Compares searches for fronts.
#[derive(Debug, Clone, Copy)]
pub struct FrontFigures<'a> {
    /// Runs by strategy, space and run.
    pub runs: &'a [Vec<Vec<FrontRun>>],
    /// Seed of the resamples.
    pub seed: u64,
}

/// Runs of a strategy on one space, with the positions of those that count.
type Counting<'a> = (&'a [FrontRun], &'a [usize]);

/// Runs of two strategies on one space.
type Pair<'a> = [Counting<'a>; 2];

impl FrontFigures<'_> {
    /// Share by which the median IGD+ of a strategy after `n` evaluations is below another's.
    #[must_use]
    pub fn gain(&self, strategy: usize, other: usize, n: usize) -> OverSpaces {
        self.over_spaces(strategy, other, &|[ours, theirs]| {
            let (ours, theirs) = (igd_plus(ours, n), igd_plus(theirs, n));
            match (ours.is_finite(), theirs.is_finite()) {
                (false, false) => 0.0,
                (false, true) => -1.0,
                (true, false) => 1.0,
                // The other strategy has the whole front: nothing can be gained.
                (true, true) if theirs > 0.0 => 1.0 - ours / theirs,
                (true, true) => 0.0,
            }
        })
    }

    /// By how much fewer evaluations a strategy reaches the median IGD+ that another has after `n`:
    /// 1 is half of them. NaN if it never does.
    #[must_use]
    pub fn faster_by_evaluations(&self, strategy: usize, other: usize, n: usize) -> OverSpaces {
        self.over_spaces(strategy, other, &|[ours, theirs]| {
            let target = igd_plus(theirs, n);
            let at = |runs: &FrontRun, evaluations: f64| runs.igd_plus_after(evaluations as usize);
            let steps = |run: &FrontRun| (1..=run.igd_plus.len()).map(|n| n as f64).collect();
            needed(ours, target, &steps, &at).map_or(f64::NAN, |needed| n as f64 / needed - 1.0)
        })
    }

    /// As [`Self::faster_by_evaluations`], in the recorded seconds of the evaluations.
    #[must_use]
    pub fn faster_by_time(&self, strategy: usize, other: usize, n: usize) -> OverSpaces {
        self.over_spaces(strategy, other, &|[ours, theirs]| {
            let target = igd_plus(theirs, n);
            let steps = |run: &FrontRun| run.seconds.clone();
            let needed = needed(ours, target, &steps, &FrontRun::igd_plus_at);
            let needed = needed.filter(|seconds| *seconds > 0.0);
            needed.map_or(f64::NAN, |needed| seconds(theirs, n) / needed - 1.0)
        })
    }

    /// Share by which the median time of a strategy's first `n` evaluations is below another's.
    #[must_use]
    pub fn less_time(&self, strategy: usize, other: usize, n: usize) -> OverSpaces {
        self.over_spaces(strategy, other, &|pair| {
            let [ours, theirs] = pair.map(|runs| seconds(runs, n));
            if theirs > 0.0 { 1.0 - ours / theirs } else { f64::NAN }
        })
    }

    fn over_spaces(
        &self,
        strategy: usize,
        other: usize,
        figure: &dyn Fn(Pair<'_>) -> f64,
    ) -> OverSpaces {
        let pairs = || self.runs[strategy].iter().zip(&self.runs[other]);
        let whole = |runs: &[FrontRun]| (0..runs.len()).collect::<Vec<_>>();
        let of_spaces: Vec<f64> = pairs()
            .map(|(ours, theirs)| figure([(ours, &whole(ours)), (theirs, &whole(theirs))]))
            .collect();
        let known: Vec<f64> = of_spaces.iter().copied().filter(|value| !value.is_nan()).collect();
        let mut rng = seeded(self.seed, 0xF207);
        let mut drawn = |runs: &[FrontRun]| -> Vec<usize> {
            (0..runs.len()).map(|_| rng.random_range(0..runs.len())).collect()
        };
        let resampled = (0..RESAMPLES).map(|_| {
            let values = pairs().map(|(ours, theirs)| {
                let first = drawn(ours);
                // A strategy compared with itself uses the same runs.
                let second = if strategy == other { first.clone() } else { drawn(theirs) };
                figure([(ours, &first), (theirs, &second)])
            });
            mean(&values.filter(|value| !value.is_nan()).collect::<Vec<_>>())
        });
        let resampled: Vec<f64> = resampled.filter(|value| !value.is_nan()).collect();
        let resampled = sorted(&resampled);
        OverSpaces {
            mean: mean(&known),
            spread: (known.len() > 1).then(|| standard_deviation(&known)),
            interval: (quantile(&resampled, 0.025), quantile(&resampled, 0.975)),
            of_spaces,
        }
    }
}

fn over_runs((runs, at): Counting<'_>, value: impl Fn(&FrontRun) -> f64) -> f64 {
    median(&at.iter().map(|at| value(&runs[*at])).collect::<Vec<_>>())
}

/// Median IGD+ of runs after `n` evaluations.
fn igd_plus(runs: Counting<'_>, n: usize) -> f64 {
    over_runs(runs, |run| run.igd_plus_after(n))
}

/// Median seconds of the first `n` evaluations of runs.
fn seconds(runs: Counting<'_>, n: usize) -> f64 {
    over_runs(runs, |run| run.seconds_after(n))
}

/// The first step (a number of evaluations, or of seconds) at which the median IGD+ is at most
/// `target`; `None` if there is none. The median never rises, so bisection finds it.
fn needed(
    runs: Counting<'_>,
    target: f64,
    steps: &dyn Fn(&FrontRun) -> Vec<f64>,
    igd_plus: &dyn Fn(&FrontRun, f64) -> f64,
) -> Option<f64> {
    let mut steps: Vec<f64> = runs.1.iter().flat_map(|at| steps(&runs.0[*at])).collect();
    steps.sort_by(f64::total_cmp);
    let misses = |step: &f64| over_runs(runs, |run| igd_plus(run, *step)) > target;
    steps.get(steps.partition_point(misses)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs with these values of IGD+ and `seconds` per evaluation.
    fn runs(of: &[&[f64]], seconds: f64) -> Vec<FrontRun> {
        of.iter()
            .map(|values| FrontRun {
                reached: Vec::new(),
                igd_plus: values.to_vec(),
                seconds: (1..=values.len()).map(|n| seconds * n as f64).collect(),
                fault: None,
            })
            .collect()
    }

    #[test]
    fn figures_are_those_of_medians_and_means_of_spaces() {
        // Medians after 4: random 0.4 and 0.8, ours 0.1 and 0.6.
        let random = vec![
            runs(&[&[1.0, 0.8, 0.6, 0.4][..]; 3], 2.0),
            runs(&[&[1.0, 0.9, 0.9, 0.8][..]; 3], 2.0),
        ];
        let ours = vec![
            runs(&[&[0.9, 0.4, 0.2, 0.1], &[0.9, 0.4, 0.2, 0.1], &[1.0, 1.0, 1.0, 1.0]], 1.0),
            runs(&[&[1.0, 1.0, 0.9, 0.6][..]; 3], 1.0),
        ];
        let figures = FrontFigures { runs: &[random, ours], seed: 1 };
        let gain = figures.gain(1, 0, 4);
        assert!((gain.of_spaces[0] - 0.75).abs() < 1e-12 && (gain.mean - 0.5).abs() < 1e-12);
        let spread = gain.spread.expect("two spaces");
        assert!((spread - 0.125_f64.sqrt()).abs() < 1e-12, "{spread}");
        assert!(gain.interval.0 <= gain.mean && gain.mean <= gain.interval.1);
        // 0.4 is reached after 2 of 4, 0.8 after 4 of 4.
        let faster = figures.faster_by_evaluations(1, 0, 4);
        assert!((faster.of_spaces[0] - 1.0).abs() < 1e-12 && faster.of_spaces[1].abs() < 1e-12);
        // Random search takes 8 s for its 4, ours 2 s and 4 s.
        let faster = figures.faster_by_time(1, 0, 4);
        assert!((faster.of_spaces[0] - 3.0).abs() < 1e-12);
        assert!((faster.of_spaces[1] - 1.0).abs() < 1e-12);
        assert!((figures.less_time(1, 0, 4).mean - 0.5).abs() < 1e-12);
        assert!(figures.gain(0, 0, 4).mean.abs() < 1e-12);
        for never in [figures.faster_by_evaluations(0, 1, 4), figures.faster_by_time(0, 1, 4)] {
            assert!(never.mean.is_nan() && never.of_spaces.iter().all(|value| value.is_nan()));
        }
    }
}
