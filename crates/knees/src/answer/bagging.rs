//! Bagging (Breiman, Bagging predictors, 1996): noise would decide where the smoothed curve bends,
//! so the curve is redrawn with its own noise and the middle of the answers counts, a little towards the
//! saturated side.

use math::{normal, seeded};

use crate::{Curve, DetectorSettings};

/// Pairs of redrawn curves; the two of a pair have opposite noise, which leaves less to chance.
const PAIRS: usize = 20;

/// Share of the answers below the answer that counts.
pub(crate) const MIDDLE: f64 = 0.55;

/// Limit of points: longer curves are averages already.
const LONGEST: usize = 100;

/// Middle of `answer`'s indices for curves redrawn with `noise`; `None` when most have none,
/// without noise, and for long curves.
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
