//! A curve scaled to the unit square, mirrored so that it rises and is concave, and its height
//! above the diagonal. Used by detectors that look for the point farthest from a chord.

use math::Polynomial;

use crate::{Curve, DetectorSettings, Direction, Interpolation, Shape};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnitCurve {
    /// Positions from 0 to 1, ascending.
    pub x: Vec<f64>,
    /// Height of the mirrored curve above the diagonal at each position.
    pub above: Vec<f64>,
    /// Whether the points run in the reverse order of the original curve.
    pub mirrored: bool,
}

impl UnitCurve {
    /// Index in the original curve.
    pub(crate) fn original(&self, index: usize) -> usize {
        if self.mirrored { self.x.len() - 1 - index } else { index }
    }

    /// The point nearest to the middle of the peak's top. The top is the stretch around `index`
    /// whose height is within a share `depth` of the peak's. Noise moves the highest point of a
    /// flat top by whole steps, but hardly moves the steep sides.
    pub(crate) fn middle_of_top(&self, index: usize, depth: f64) -> usize {
        if depth <= 0.0 {
            return index;
        }
        let peak = self.above[index];
        let reach = depth * peak.abs();
        let level = peak - reach;
        let is_outside = |height: &f64| (*height - peak).abs() > reach;
        let (before, behind) = (&self.above[..index], &self.above[index..]);
        let left = before.iter().rposition(is_outside);
        let right = behind.iter().position(is_outside).map(|steps| index + steps);
        let start = left.map_or(self.x[0], |at| self.end_of_top(at + 1, at, level));
        let last = self.x[self.x.len() - 1];
        let end = right.map_or(last, |at| self.end_of_top(at - 1, at, level));
        let middle = f64::midpoint(start, end);
        let away = |at: &usize| (self.x[*at] - middle).abs();
        let points = left.map_or(0, |at| at + 1)..right.unwrap_or(self.x.len());
        // Of two equally near points, take the one closer to saturation.
        let nearest = |a: &usize, b: &usize| away(a).total_cmp(&away(b));
        let found = match self.mirrored {
            true => points.min_by(nearest),
            false => points.rev().min_by(nearest),
        };
        found.unwrap_or(index)
    }

    /// Where the top ends between its last point and the point outside: where the line crosses
    /// `level`, or at the last point if the curve rises to a higher peak.
    fn end_of_top(&self, inside: usize, outside: usize, level: f64) -> f64 {
        match self.above[outside] < level {
            true => self.crossing(inside, outside, level),
            false => self.x[inside],
        }
    }

    /// Where the line between two neighbours crosses `level`; only `outside` lies below it.
    fn crossing(&self, inside: usize, outside: usize, level: f64) -> f64 {
        let (high, low) = (self.above[inside], self.above[outside]);
        let share = (high - level) / (high - low);
        self.x[inside] + share * (self.x[outside] - self.x[inside])
    }
}

/// Scales a curve to the unit square, or explains why it cannot. O(n), with a polynomial O(n ·
/// degree²).
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

/// Positions on the x axis, or why there are none.
pub(crate) fn positions(curve: &Curve, settings: &DetectorSettings) -> Result<Vec<f64>, String> {
    let x: Vec<f64> = curve.x().iter().map(|&x| settings.x_scale.position(x)).collect();
    match x.iter().all(|x| x.is_finite()) {
        true => Ok(x),
        false => Err("a logarithmic axis needs sizes above zero; use the linear scale".to_owned()),
    }
}

/// Scales the values to 0 to 1; `None` if all are equal.
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
    use crate::XScale;

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

    fn unit(x: &[f64], above: &[f64], mirrored: bool) -> UnitCurve {
        UnitCurve { x: x.to_vec(), above: above.to_vec(), mirrored }
    }

    #[test]
    fn the_middle_of_a_flat_top_does_not_follow_its_highest_point() {
        let x: Vec<f64> = (0..9).map(|at| f64::from(at) / 8.0).collect();
        let flat = unit(&x, &[0.0, 0.2, 0.40, 0.42, 0.41, 0.43, 0.41, 0.2, 0.0], false);
        for highest in [3, 5] {
            assert_eq!(flat.middle_of_top(highest, 0.1), 4);
            assert_eq!(flat.middle_of_top(highest, 0.0), highest, "as published");
        }
    }

    #[test]
    fn a_top_ends_where_its_sides_cross_a_level_between_points() {
        // The top runs from 0.375 to 0.95: its middle is nearer to 0.7 than to 0.6.
        let x = [0.0, 0.3, 0.4, 0.6, 0.7, 0.9, 1.0];
        let above = [0.0, 0.3, 0.5, 0.5, 0.5, 0.475, 0.425];
        let top = |mirrored: bool| unit(&x, &above, mirrored).middle_of_top(2, 0.1);
        assert_eq!((top(false), top(true)), (4, 4));
        // The middle is equally far from both points.
        let even = |mirrored: bool| {
            let x = [0.0, 0.25, 0.5, 0.75];
            unit(&x, &[0.0, 0.5, 0.5, 0.0], mirrored).middle_of_top(1, 0.5)
        };
        assert_eq!((even(false), even(true)), (2, 1), "the saturated side");
    }

    #[test]
    fn neither_a_shallow_peak_nor_one_beside_a_higher_reaches_beyond_its_own() {
        let x: Vec<f64> = (0..11).map(|at| f64::from(at) / 10.0).collect();
        let mut shallow = [0.0; 11];
        shallow[2..5].copy_from_slice(&[0.03, 0.045, 0.03]);
        assert_eq!(unit(&x, &shallow, false).middle_of_top(3, 0.1), 3);
        let two = [0.0, 0.25, 0.30, 0.28, 0.29, 0.5, 0.6, 0.5, 0.3, 0.1, 0.0];
        assert_eq!(unit(&x, &two, false).middle_of_top(2, 0.1), 3, "from 0.14 to 0.4");
        assert_eq!(unit(&x, &two, false).middle_of_top(6, 0.1), 6);
        assert_eq!(unit(&x[..3], &[0.0, 0.1, 0.42], false).middle_of_top(2, 0.1), 2, "at the end");
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
