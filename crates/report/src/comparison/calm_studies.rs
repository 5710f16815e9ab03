//! Compares sides of several studies each. If other users load the machine during a whole study,
//! all its samples are slow and no quantile of them shows it. Load never makes a study faster, so a
//! side is judged by its faster studies.

use math::{median, quantile, sorted};

use super::{
    level::Level,
    view::{LEAST, View},
};

/// Quantile of a side's studies that stands for the side. It is almost as precise as their median,
/// and still right if half of the studies were disturbed.
const CALMER: f64 = 0.25;

/// Standard deviation of that quantile, times the root of the number of studies, over that of one
/// study.
const QUANTILE: f64 = 1.25;

/// The median distance of `n` normal values from their median is `MIDDLE · (1 − FEW / n)` standard
/// deviations.
const MIDDLE: f64 = 0.6745;
const FEW: f64 = 1.2;

/// Degrees of freedom of that median distance, over those of a standard deviation.
const FREEDOM: f64 = 0.35;

/// The time of a side by its calmer studies, as the logarithm of seconds.
fn calmer(side: &[Level]) -> f64 {
    quantile(&sorted(&side.iter().map(|level| level.value).collect::<Vec<_>>()), CALMER)
}

/// Compares two sides by their calmer studies; `None` if a side has fewer than three.
pub(super) fn by_calmer_studies(first: &[Level], other: &[Level]) -> Option<View> {
    let fewest = first.len().min(other.len());
    if fewest < LEAST {
        return None;
    }
    // The median distance is robust: how far a disturbed study lies from the rest does not change
    // it.
    let mut distances = Vec::new();
    for side in [first, other] {
        let values: Vec<f64> = side.iter().map(|level| level.value).collect();
        let middle = median(&values);
        distances.extend(values.iter().map(|value| (value - middle).abs()));
    }
    let deviation = median(&distances) / (MIDDLE * (1.0 - FEW / fewest as f64));
    let squares: Vec<f64> =
        first.iter().chain(other).map(|level| level.deviation.powi(2)).collect();
    let (m, n) = (first.len() as f64, other.len() as f64);
    let share = QUANTILE.powi(2) * (1.0 / m + 1.0 / n);
    Some(View {
        sides: (calmer(first), calmer(other)),
        seen: share * deviation.powi(2),
        freedom: FREEDOM * (m + n - 2.0),
        // Disturbed studies vary more, so the lower quartile of the variances counts.
        expected: share * quantile(&sorted(&squares), CALMER),
    })
}

#[cfg(test)]
mod tests {
    use math::{Rng, normal, seeded};
    use rand::RngExt as _;

    use super::*;
    use crate::comparison::Ratio;

    /// Studies, of which other users slow the share `busy` by 10 to 35 %.
    fn side(count: usize, busy: f64, shift: f64, rng: &mut Rng) -> Vec<Level> {
        let mut study = || {
            let others = if rng.random_bool(busy) { 0.1 + 0.25 * rng.random::<f64>() } else { 0.0 };
            let value = shift + others + 0.005 * normal(rng);
            Level { value, deviation: 0.01, freedom: 7.0 }
        };
        (0..count).map(|_| study()).collect()
    }

    #[test]
    fn studies_that_met_others_change_no_side() {
        let mut rng = seeded(2, 0);
        let mut first = side(5, 0.0, 0.0, &mut rng);
        let other = side(5, 0.0, 0.05, &mut rng);
        let calm = by_calmer_studies(&first, &other).expect("five each");
        assert!((calm.middle() + 0.05).abs() < 0.01, "{calm:?}");
        first[0].value += 0.3;
        first[3].value += 0.2;
        let busy = by_calmer_studies(&first, &other).expect("five each");
        assert!((busy.middle() - calm.middle()).abs() < 0.01, "{busy:?}");
        assert!(busy.seen < 4.0 * calm.seen, "{busy:?}");
        assert!(by_calmer_studies(&first[..2], &other).is_none());
    }

    #[test]
    fn equals_rarely_alarm_though_some_met_others_and_what_is_slower_is_found() {
        let mut rng = seeded(2, 1);
        let (mut alarms, mut found) = (0, 0);
        for _ in 0..1000 {
            let mut ratio = |shift: f64| {
                let (a, b) = (side(5, 0.1, 0.0, &mut rng), side(5, 0.1, shift, &mut rng));
                let view = by_calmer_studies(&a, &b).expect("five each");
                Ratio::seen(&[view], 1.0).expect("a ratio").0
            };
            alarms += usize::from(ratio(0.0).chance < 0.05);
            found += usize::from(ratio(0.05).chance < 0.0125);
        }
        assert!(alarms <= 50, "{alarms} of 1000");
        assert!(found >= 850, "{found} of 1000");
    }
}
