//! `dfdt`: the point whose slope is nearest the threshold between steep and flat slopes. Antunes,
//! Gomes and Aguiar (2018), with the threshold of Ridler and Calvard (ISODATA).

use math::{first_derivatives, mean};

use super::{Curve, Detection, Detector, DetectorSettings, View, curve::plane::plane};

inventory::submit!(Detector {
    name: "dfdt",
    about: "the point whose slope parts the steep slopes from the flat ones",
    reference: "Antunes, Gomes, Aguiar: Knee/Elbow Estimation Based on First Derivative Threshold (2018)",
    knobs: &[],
    view: View::Rise,
    detect,
});

/// The iteration stops when the threshold moves by less than this.
const SETTLED: f64 = 1e-6;

/// Largest number of iterations for the threshold.
const ROUNDS: usize = 100;

fn detect(curve: &Curve, settings: &DetectorSettings) -> Detection {
    let plane = match plane(curve, settings) {
        Ok(plane) => plane,
        Err(why) => return Detection::none(why),
    };
    let slopes = first_derivatives(&plane.x, &plane.y);
    let knee = refined(&slopes);
    let slope = slopes[knee];
    Detection::at(curve, plane.original(knee), format!("slope {slope:.3}")).with("slope", slope)
}

/// The knee. The search is repeated without the first half of the points before it, until the knee
/// stays in place.
fn refined(slopes: &[f64]) -> usize {
    let (mut knee, mut from, mut before) = (0, 0, None);
    while before.is_none_or(|before| before < knee) && slopes.len() - from > 2 {
        before = Some(knee);
        knee = from + nearest_threshold(&slopes[from..]);
        from = knee.div_ceil(2);
    }
    knee
}

/// The inner point whose slope is nearest the threshold.
fn nearest_threshold(slopes: &[f64]) -> usize {
    let threshold = isodata(slopes);
    let distance = |at: &usize| (slopes[*at] - threshold).abs();
    let nearest = |a: usize, b: usize| if distance(&b) < distance(&a) { b } else { a };
    (1..slopes.len() - 1).reduce(nearest).unwrap_or(1)
}

/// The value midway between the mean of the values above it and the mean of the rest.
fn isodata(values: &[f64]) -> f64 {
    let mut threshold = mean(values);
    for _ in 0..ROUNDS {
        let (low, high): (Vec<f64>, Vec<f64>) = values.iter().partition(|v| **v <= threshold);
        if low.is_empty() || high.is_empty() {
            break;
        }
        let next = f64::midpoint(mean(&low), mean(&high));
        let moved = (next - threshold).abs();
        threshold = next;
        if moved < SETTLED {
            break;
        }
    }
    threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_lies_midway_between_two_groups() {
        assert!((isodata(&[0.0, 1.0, 10.0, 12.0]) - 5.75).abs() < 1e-12);
        assert!((isodata(&[2.0; 4]) - 2.0).abs() < 1e-12, "one group is its own threshold");
    }

    #[test]
    fn the_slope_between_a_steep_and_a_flat_part_is_the_knee() {
        assert_eq!(nearest_threshold(&[10.0, 10.0, 9.0, 5.0, 1.0, 0.0, 0.0]), 3);
    }
}
