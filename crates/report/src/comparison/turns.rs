//! Pairs the studies of two sides that were made in turn. Slow changes of the machine affect both
//! studies of a pair, so they cancel in the difference within the pair.

use math::{mean, standard_deviation};

use super::{
    level::Level,
    side::Studied,
    view::{LEAST, View},
};

/// Returns pairs of neighbours in time if the studies of both sides were made in turn; `None` if
/// there are fewer than three.
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

/// Compares two sides by the differences within pairs; `None` for fewer than three pairs.
pub(super) fn by_pairs(pairs: &[(Level, Level)]) -> Option<View> {
    if pairs.len() < LEAST {
        return None;
    }
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a.value - b.value).collect();
    let side = |of: fn(&(Level, Level)) -> f64| mean(&pairs.iter().map(of).collect::<Vec<_>>());
    let expected: Vec<f64> =
        pairs.iter().map(|(a, b)| a.deviation.powi(2) + b.deviation.powi(2)).collect();
    let count = pairs.len() as f64;
    Some(View {
        sides: (side(|pair| pair.0.value), side(|pair| pair.1.value)),
        seen: standard_deviation(&differences).powi(2) / count,
        freedom: count - 1.0,
        expected: mean(&expected) / count,
    })
}

#[cfg(test)]
mod tests {
    use math::{Rng, normal, seeded};

    use super::*;
    use crate::comparison::Ratio;

    fn level(value: f64, deviation: f64) -> Level {
        Level { value, deviation, freedom: 7.0 }
    }

    /// Pairs on a machine that drifts by 5 % between pairs, and by `apart` within a pair.
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
        let view = by_pairs(&pairs(5, 0.001, 0.05, &mut rng)).expect("five pairs");
        assert!((view.middle() + 0.05).abs() < 0.002, "{view:?}");
        assert!(by_pairs(&pairs(2, 0.001, 0.05, &mut rng)).is_none());
    }

    #[test]
    fn equals_of_a_single_benchmark_rarely_alarm_though_pairs_lie_apart() {
        let mut rng = seeded(9, 0);
        for count in [3, 5] {
            // The parts predict a deviation of 1 %, and the studies deviate by `apart`.
            for apart in [0.005, 0.01, 0.02, 0.05] {
                let mut alarm = || {
                    let view = by_pairs(&pairs(count, apart, 0.0, &mut rng)).expect("enough");
                    Ratio::seen(&[view], 1.0).expect("a ratio").0.chance < 0.05
                };
                let alarms = (0..1000).filter(|_| alarm()).count();
                assert!(alarms <= 90, "{alarms} of 1000 with {count} pairs and {apart}");
            }
        }
    }
}
