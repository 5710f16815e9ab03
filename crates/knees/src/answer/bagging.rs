//! Bagging (Breiman, Bagging predictors, 1996). On a single noisy curve, noise decides where the
//! smoothed curve bends. The curve is therefore redrawn with its own noise, and a quantile just
//! above the median of the answers counts.

use math::{normal, seeded};

use crate::{Curve, DetectorSettings};

/// Pairs of redrawn curves. The two curves of a pair have opposite noise, which reduces the
/// variance.
const PAIRS: usize = 20;

/// Quantile of the answers that counts; slightly above the median, towards saturation.
const MIDDLE: f64 = 0.55;

/// Longer curves are not redrawn: their points are averages already.
const LONGEST: usize = 100;

/// The [`MIDDLE`] quantile of `answer`'s indices for curves redrawn with `noise`. `None` if at
/// least half of the curves have no answer, if there is no noise, or if the curve is long.
pub(crate) fn bagged(
    curve: &Curve,
    noise: f64,
    settings: &DetectorSettings,
    answer: impl Fn(&Curve) -> Option<usize>,
) -> Option<usize> {
    if noise <= 0.0 || curve.len() > LONGEST {
        return None;
    }
    let mut rng = seeded(settings.seed, 0xBA66);
    let mut answers = Vec::with_capacity(2 * PAIRS);
    for _ in 0..PAIRS {
        let errors: Vec<f64> = (0..curve.len()).map(|_| noise * normal(&mut rng)).collect();
        for sign in [1.0, -1.0] {
            let redrawn = curve.y().iter().zip(&errors).map(|(y, error)| y * (1.0 + sign * error));
            answers.extend(answer(&curve.with_y(redrawn.collect())));
        }
    }
    answers.sort_unstable();
    let middle = (answers.len() as f64 * MIDDLE) as usize;
    (answers.len() > PAIRS).then(|| answers[middle])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_curves_answer_is_the_answer() {
        let x: Vec<f64> = (1..=9).map(f64::from).collect();
        let curve = Curve::new(&x, &[5.0; 9]).expect("a curve");
        let settings = DetectorSettings::default();
        let largest = |curve: &Curve| {
            let y = curve.y();
            (0..y.len()).max_by(|a, b| y[*a].total_cmp(&y[*b]))
        };
        let middle = bagged(&curve, 0.01, &settings, largest).expect("an answer");
        assert!((2..=6).contains(&middle), "{middle}");
        assert_eq!(bagged(&curve, 0.0, &settings, largest), None);
        assert_eq!(bagged(&curve, 0.01, &settings, |_| None), None);
    }
}
