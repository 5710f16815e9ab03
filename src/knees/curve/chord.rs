//! A curve in the unit square, turned so that its knee is concave and rising, and its height above
//! the diagonal. For detectors of the point farthest from a chord.

use crate::{
    knees::{Curve, DetectorSettings, Direction, Interpolation, Shape},
    numeric::Polynomial,
};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnitCurve {
    /// Positions from 0 to 1, rising.
    pub x: Vec<f64>,
    /// Height of the turned curve above the diagonal at each position.
    pub above: Vec<f64>,
    /// Whether the points run backwards along the original curve.
    pub mirrored: bool,
}

impl UnitCurve {
    /// Index in the original curve.
    pub(crate) fn original(&self, index: usize) -> usize {
        if self.mirrored { self.x.len() - 1 - index } else { index }
    }

    /// The last of the points from `index` on that stay within `tie` of its height.
    pub(crate) fn last_tied(&self, index: usize, tie: f64) -> usize {
        let behind = self.above[index + 1..].iter();
        index + behind.take_while(|height| **height >= self.above[index] - tie).count()
    }
}

/// Puts a curve into the unit square, or says why not. O(n), with a polynomial O(n · degree²).
pub(crate) fn unit_curve(curve: &Curve, settings: &DetectorSettings) -> Result<UnitCurve, String> {
    if curve.len() < 3 {
        return Err(format!("{} points; a knee needs at least three", curve.len()));
    }
    let mut x = positions(curve, settings)?;
    let mut y = match settings.interpolation {
        Interpolation::Linear => curve.y().to_vec(),
        Interpolation::Polynomial(degree) => {
            let polynomial = Polynomial::fit(&x, curve.y(), degree);
            x.iter().map(|&x| polynomial.at(x)).collect()
        }
    };
    let flat = || "the curve is flat".to_owned();
    normalise(&mut x).ok_or_else(flat)?;
    normalise(&mut y).ok_or_else(flat)?;
    let mirrored = match (settings.direction, settings.shape) {
        (Direction::Increasing, Shape::Concave) => false,
        (Direction::Decreasing, Shape::Convex) => {
            turn_over(&mut y);
            false
        }
        (Direction::Decreasing, Shape::Concave) => true,
        (Direction::Increasing, Shape::Convex) => {
            turn_over(&mut y);
            true
        }
    };
    if mirrored {
        turn_over(&mut x);
        x.reverse();
        y.reverse();
    }
    let above = y.iter().zip(&x).map(|(y, x)| y - x).collect();
    Ok(UnitCurve { x, above, mirrored })
}

/// Places on the axis, or why there are none.
pub(crate) fn positions(curve: &Curve, settings: &DetectorSettings) -> Result<Vec<f64>, String> {
    let x: Vec<f64> = curve.x().iter().map(|&x| settings.x_scale.position(x)).collect();
    match x.iter().all(|x| x.is_finite()) {
        true => Ok(x),
        false => Err("a logarithmic axis needs sizes above zero; use the linear scale".to_owned()),
    }
}

/// Scales to 0 to 1; `None` if all values are equal.
fn normalise(values: &mut [f64]) -> Option<()> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if high - low <= 0.0 || !(high - low).is_finite() {
        return None;
    }
    values.iter_mut().for_each(|v| *v = (*v - low) / (high - low));
    Some(())
}

fn turn_over(values: &mut [f64]) {
    values.iter_mut().for_each(|v| *v = 1.0 - *v);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knees::XScale;

    #[test]
    fn all_four_turns_of_one_knee_give_the_same_distances() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0];
        let y = [0.0, 3.0, 3.5, 3.8, 4.0];
        let turns = [
            (Direction::Increasing, Shape::Concave, y.to_vec()),
            (Direction::Decreasing, Shape::Convex, y.iter().map(|y| 4.0 - y).collect()),
            (Direction::Decreasing, Shape::Concave, y.iter().rev().copied().collect()),
            (Direction::Increasing, Shape::Convex, y.iter().rev().map(|y| 4.0 - y).collect()),
        ];
        for (direction, shape, y) in turns {
            let settings = DetectorSettings {
                x_scale: XScale::Linear,
                direction,
                shape,
                ..DetectorSettings::default()
            };
            let unit = unit_curve(&Curve::new(&x, &y).expect("a curve"), &settings).expect("unit");
            for (found, expected) in unit.above.iter().zip([0.0, 0.5, 0.375, 0.2, 0.0]) {
                assert!((found - expected).abs() < 1e-12, "{direction:?} {shape:?}");
            }
            assert_eq!(unit.original(1), if unit.mirrored { 3 } else { 1 });
        }
    }

    #[test]
    fn flat_and_short_curves_are_refused_in_words() {
        let flat = Curve::new(&[1.0, 2.0, 3.0], &[5.0; 3]).expect("a curve");
        assert!(unit_curve(&flat, &DetectorSettings::default()).is_err());
        let short = Curve::new(&[1.0, 2.0], &[5.0, 6.0]).expect("a curve");
        assert!(unit_curve(&short, &DetectorSettings::default()).is_err());
        let zero = Curve::new(&[0.0, 2.0, 3.0], &[5.0, 6.0, 7.0]).expect("a curve");
        assert!(
            unit_curve(&zero, &DetectorSettings::default())
                .expect_err("log")
                .contains("above zero")
        );
    }
}
