//! Studies of two sides that were made in turn: what changes slowly meets both studies of a pair, and only
//! what lies between neighbours in time is left of it.

use super::{level::Level, side::Studied};
use crate::numeric::{mean, standard_deviation};

/// How many further pairs the parts of the studies count for, when they say how far a pair lies from the
/// next: enough that few pairs can be judged, few enough that pairs which lie apart are heard.
const PRIOR: f64 = 4.0;

/// Fewest pairs that are judged as such.
const LEAST: usize = 3;

/// Pairs of neighbours in time, if the studies of both sides were made in turn; `None` of fewer than three.
pub(super) fn in_turn<'a>(
    first: &[&'a Studied],
    other: &[&'a Studied],
) -> Option<Vec<(&'a Studied, &'a Studied)>> {
    if first.len() != other.len() || first.len() < LEAST {
        return None;
    }
    let pairs: Vec<_> = first.iter().copied().zip(other.iter().copied()).collect();
    let started = |study: &Studied| study.record.started;
    let ordered = pairs.windows(2).all(|two| {
        let ((a, b), (next_a, next_b)) = (two[0], two[1]);
        started(a).max(started(b)) < started(next_a).min(started(next_b))
    });
    ordered.then_some(pairs)
}

/// Differences between the studies of pairs, in logarithms of seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Differences {
    /// Number of pairs.
    count: f64,
    /// How much longer the first side takes.
    pub(super) middle: f64,
    /// Variance of a difference, as the pairs show it.
    variance: f64,
    /// Variance of a difference, as the parts of the studies let expect it.
    expected: f64,
}

impl Differences {
    /// Of pairs of levels; `None` of fewer than three.
    pub(super) fn of(pairs: &[(Level, Level)]) -> Option<Self> {
        if pairs.len() < LEAST {
            return None;
        }
        let differences: Vec<f64> = pairs.iter().map(|(a, b)| a.value - b.value).collect();
        let expected: Vec<f64> =
            pairs.iter().map(|(a, b)| a.deviation.powi(2) + b.deviation.powi(2)).collect();
        Some(Self {
            count: pairs.len() as f64,
            middle: mean(&differences),
            variance: standard_deviation(&differences).powi(2),
            expected: mean(&expected),
        })
    }

    /// Variance of the mean difference and its degrees of freedom. Expected and seen variance are
    /// weighed as Smyth (2004) does for many small experiments; `wander` is how many times the
    /// expected one other benchmarks of the table show. Pairs that lie farther apart than is expected
    /// speak for themselves.
    pub(super) fn variance_of_mean(&self, wander: f64) -> (f64, f64) {
        let seen = self.count - 1.0;
        let expected = wander * self.expected;
        if self.variance > expected {
            return (self.variance / self.count, seen);
        }
        let variance = (PRIOR * expected + seen * self.variance) / (PRIOR + seen);
        (variance / self.count, PRIOR + seen)
    }
}

/// How many times the expected variance these benchmarks show; one at least, and of none.
pub(super) fn wander<'a>(others: impl Iterator<Item = &'a Differences>) -> f64 {
    let (mut seen, mut expected) = (0.0, 0.0);
    for differences in others {
        let freedom = differences.count - 1.0;
        // Each benchmark counts the same, however noisy it is.
        seen += freedom * differences.variance / differences.expected;
        expected += freedom;
    }
    if expected > 0.0 { (seen / expected).max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        comparison::Ratio,
        numeric::{Rng, normal, seeded},
    };

    fn level(value: f64, deviation: f64) -> Level {
        Level { value, deviation, freedom: 7.0 }
    }

    /// Pairs on a machine that drifts by 5 % between pairs and by `apart` within one.
    fn pairs(count: usize, apart: f64, slower: f64, rng: &mut Rng) -> Vec<(Level, Level)> {
        let mut pair = || {
            let drift = 0.05 * normal(rng);
            let mut one = |shift: f64| level(drift + shift + apart * normal(rng), 0.01);
            (one(0.0), one(slower))
        };
        (0..count).map(|_| pair()).collect()
    }

    #[test]
    fn what_both_studies_of_a_pair_meet_is_in_no_difference() {
        let mut rng = seeded(3, 0);
        let differences = Differences::of(&pairs(5, 0.001, 0.05, &mut rng)).expect("five pairs");
        assert!((differences.middle + 0.05).abs() < 0.002, "{differences:?}");
        assert!(Differences::of(&pairs(2, 0.001, 0.05, &mut rng)).is_none());
    }

    #[test]
    fn few_pairs_that_agree_by_luck_are_no_closer_than_their_parts_let_expect() {
        let alike = [0.0, 0.5, 0.2].map(|at| (level(at, 0.01), level(at, 0.01)));
        let (variance, freedom) = Differences::of(&alike).expect("three").variance_of_mean(1.0);
        let expected = PRIOR * 2e-4 / (PRIOR + 2.0) / 3.0;
        assert!((variance / expected - 1.0).abs() < 1e-9, "{variance}");
        assert!((freedom - (PRIOR + 2.0)).abs() < 1e-12);
    }

    #[test]
    fn equals_of_a_single_benchmark_rarely_alarm_though_pairs_lie_apart() {
        let mut rng = seeded(9, 0);
        for count in [3, 5] {
            // Parts let expect a deviation of 1 %; studies have another.
            for apart in [0.005, 0.01, 0.02, 0.05] {
                let mut alarm = || {
                    let differences = Differences::of(&pairs(count, apart, 0.0, &mut rng));
                    let ratio = Ratio::in_turn(&differences.expect("enough"), 1.0);
                    ratio.expect("a ratio").chance < 0.05
                };
                let alarms = (0..1000).filter(|_| alarm()).count();
                assert!(alarms <= 90, "{alarms} of 1000 with {count} pairs and {apart}");
            }
        }
    }

    #[test]
    fn a_machine_that_wanders_more_than_parts_show_is_known_from_other_benchmarks() {
        let mut rng = seeded(4, 0);
        let table: Vec<Differences> = (0..20)
            .map(|_| Differences::of(&pairs(4, 0.04, 0.0, &mut rng)).expect("four pairs"))
            .collect();
        // Four times the deviation is sixteen times the variance.
        let wander = wander(table.iter());
        assert!((10.0..25.0).contains(&wander), "{wander}");
        assert!((super::wander(std::iter::empty()) - 1.0).abs() < 1e-12);
    }
}
