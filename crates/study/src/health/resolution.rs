//! The smallest difference between two configurations that would be seen on this machine.
//!
//! A series is compared with itself (A/A) many times, as two configurations would be compared. The
//! share [`CONFIDENCE`] of these differences lies within a limit. A true difference is seen if its
//! measured value is above the limit. The result is the smallest difference that is seen in the
//! share [`POWER`] of cases. No distribution of the noise is assumed.

use math::{Rng, median, quantile, seeded, sorted};
use rand::RngExt as _;
use serde::Serialize;

/// Share of cases without a difference in which none is seen.
pub const CONFIDENCE: f64 = 0.95;
/// Share of cases in which the smallest difference is seen.
pub const POWER: f64 = 0.8;
/// Numbers of samples per configuration for which the smallest difference is computed.
pub const SAMPLES: [usize; 4] = [10, 30, 100, 300];

const COMPARISONS: usize = 2000;
/// Moments are compared only if the series is at least this many times as long as one moment.
const STRETCHES: usize = 8;

/// The smallest relative difference that would be seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Resolution {
    /// Number of samples per configuration.
    pub samples: usize,
    /// If both are measured alternately, in rounds spread over the time: the median ratio of
    /// neighbouring samples is compared. Drift that is slower than a round cancels. `None` if the
    /// series is too short.
    pub in_turn: Option<f64>,
    /// If each is measured at another moment: the ratio of two medians of consecutive samples is
    /// compared. Drift does not cancel, and more samples do not help. `None` if the series is too
    /// short.
    pub apart: Option<f64>,
}

/// Computes the resolutions from a series of times. Each pair of times was taken in direct
/// succession.
#[must_use]
pub fn resolutions(seconds: &[f64], seed: u64) -> Vec<Resolution> {
    let logs: Vec<f64> = seconds.iter().map(|time| time.max(f64::MIN_POSITIVE).ln()).collect();
    let answer = |samples: usize| {
        let rng = &mut seeded(seed, samples as u64);
        Resolution {
            samples,
            in_turn: in_turn(&logs, samples, rng).map(smallest),
            apart: apart(&logs, samples, rng).map(smallest),
        }
    };
    SAMPLES.into_iter().map(answer).collect()
}

fn in_turn(logs: &[f64], samples: usize, rng: &mut Rng) -> Option<Vec<f64>> {
    let (pairs, _) = logs.as_chunks::<2>();
    if pairs.len() < samples {
        return None;
    }
    let mut ratios = vec![0.0; samples];
    let mut compare = || {
        ratios.fill_with(|| {
            let [first, second] = pairs[rng.random_range(0..pairs.len())];
            // The order of the two configurations is random in every round.
            if rng.random::<bool>() { second - first } else { first - second }
        });
        median(&ratios)
    };
    Some((0..COMPARISONS).map(|_| compare()).collect())
}

/// Returns differences of the series from itself, between moments that do not overlap.
fn apart(logs: &[f64], samples: usize, rng: &mut Rng) -> Option<Vec<f64>> {
    if logs.len() < STRETCHES * samples {
        return None;
    }
    let starts = logs.len() - samples + 1;
    let mut compare = || loop {
        let (one, other) = (rng.random_range(0..starts), rng.random_range(0..starts));
        if one.abs_diff(other) >= samples {
            return median(&logs[one..one + samples]) - median(&logs[other..other + samples]);
        }
    };
    Some((0..COMPARISONS).map(|_| compare()).collect())
}

/// Returns the smallest difference that is seen, from measured differences of equal configurations.
fn smallest(mut differences: Vec<f64>) -> f64 {
    // The two could be exchanged, so each difference counts with both signs.
    differences.extend(differences.clone().into_iter().map(|difference| -difference));
    let differences = sorted(&differences);
    // The distribution is symmetric: equal shares lie above the limit and below its negative.
    let limit = quantile(&differences, (1.0 + CONFIDENCE) / 2.0);
    (limit + quantile(&differences, POWER)).exp() - 1.0
}

#[cfg(test)]
mod tests {
    use math::normal;

    use super::*;

    /// Times around a millisecond: independent noise, and a wave with ten periods in the series.
    fn series(noise: f64, wave: f64) -> Vec<f64> {
        let mut rng = seeded(5, 1);
        let time = |at: usize| {
            let phase = std::f64::consts::TAU * at as f64 / 2000.0;
            1e-3 * (noise * normal(&mut rng) + wave * phase.sin()).exp()
        };
        (0..20_000).map(time).collect()
    }

    #[test]
    fn independent_noise_is_resolved_as_theory_says() {
        // A median of n normal values has the standard deviation 1.2533 sd / sqrt(n), and the
        // difference of two values sqrt(2) sd; both tails: 1.96 + 0.8416.
        for answer in resolutions(&series(0.01, 0.0), 1) {
            let theory = 2.8016 * 1.2533 * 2f64.sqrt() * 0.01 / (answer.samples as f64).sqrt();
            for seen in [answer.in_turn, answer.apart].map(|seen| seen.expect("enough")) {
                assert!((seen / theory - 1.0).abs() < 0.15, "{answer:?}, in theory {theory}");
            }
        }
    }

    #[test]
    fn drift_cancels_in_turn_and_stays_apart_however_many_samples() {
        let answers = resolutions(&series(0.001, 0.05), 1);
        for answer in answers {
            let (in_turn, apart) = (answer.in_turn.expect("enough"), answer.apart.expect("enough"));
            assert!(in_turn < 0.004, "{answer:?}");
            assert!(apart > 0.08, "{answer:?}");
        }
    }

    #[test]
    fn a_quiet_series_resolves_everything_and_a_short_one_says_nothing() {
        let quiet = resolutions(&[1e-3; 4000], 1);
        assert!(quiet.iter().all(|a| a.in_turn == Some(0.0) && a.apart == Some(0.0)), "{quiet:?}");
        let short = resolutions(&[1e-3; 100], 1);
        let known: Vec<_> =
            short.iter().map(|a| (a.in_turn.is_some(), a.apart.is_some())).collect();
        assert_eq!(known, [(true, true), (true, false), (false, false), (false, false)]);
        assert!(resolutions(&[], 1).iter().all(|a| a.in_turn.is_none()));
    }

    #[test]
    fn the_same_seed_gives_the_same_answers() {
        let series = series(0.01, 0.01);
        assert_eq!(resolutions(&series, 3), resolutions(&series, 3));
    }
}
