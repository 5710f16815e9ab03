//! A checked curve: x strictly ascending, all values finite.

pub(super) mod chord;
pub(super) mod concave;
pub(super) mod drops;
pub(super) mod levels;
pub(super) mod plane;
pub(super) mod preparation;
pub(super) mod settings;
pub(super) mod smoothing;
pub(super) mod thinning;

/// Points sorted by x, one per x.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    x: Vec<f64>,
    y: Vec<f64>,
    spread: Option<Vec<f64>>,
    samples: Option<Vec<Vec<f64>>>,
    precision: Option<f64>,
}

/// Why numbers are not a curve.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CurveError {
    /// There are no points.
    #[error("the curve has no points; give at least one row of two numbers")]
    Empty,
    /// The columns differ in length.
    #[error("the curve has {x} x values and {other} of `{what}`; give one for each x")]
    Lengths {
        /// Number of x values.
        x: usize,
        /// Length of the other column.
        other: usize,
        /// Name of the other column.
        what: &'static str,
    },
    /// A value is NaN or infinite.
    #[error("point {at} of the curve has a `{what}` that is not finite; remove that point")]
    NotFinite {
        /// Number of the point in the given order, from 1.
        at: usize,
        /// Name of the column.
        what: &'static str,
    },
}

impl Curve {
    /// A curve of points in any order. Points of equal x are merged: y is their mean, the spread
    /// their root mean square over √n, and samples are joined.
    ///
    /// # Errors
    /// If there are no points, columns differ in length, or a value is NaN or infinite.
    pub fn new(x: &[f64], y: &[f64]) -> Result<Self, CurveError> {
        Self::with_noise(x, y, None, None)
    }

    /// [`Curve::new`] with noise: standard deviations relative to y, and the samples behind each y.
    ///
    /// # Errors
    /// As [`Curve::new`].
    pub fn with_noise(
        x: &[f64],
        y: &[f64],
        spread: Option<&[f64]>,
        samples: Option<&[Vec<f64>]>,
    ) -> Result<Self, CurveError> {
        check(x, y, spread, samples)?;
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        let mut curve = Self {
            x: Vec::with_capacity(x.len()),
            y: Vec::with_capacity(x.len()),
            spread: spread.map(|_| Vec::with_capacity(x.len())),
            samples: samples.map(|_| Vec::with_capacity(x.len())),
            precision: None,
        };
        for same in order.chunk_by(|&a, &b| x[a] <= x[b] && x[b] <= x[a]) {
            let count = same.len() as f64;
            curve.x.push(x[same[0]]);
            curve.y.push(same.iter().map(|&i| y[i]).sum::<f64>() / count);
            if let (Some(merged), Some(given)) = (&mut curve.spread, spread) {
                let square = same.iter().map(|&i| given[i] * given[i]).sum::<f64>() / count;
                merged.push((square / count).sqrt());
            }
            if let (Some(merged), Some(given)) = (&mut curve.samples, samples) {
                merged.push(same.iter().flat_map(|&i| given[i].iter().copied()).collect());
            }
        }
        Ok(curve)
    }

    /// Sizes, strictly ascending.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The value at each x.
    #[must_use]
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// Standard deviation of each y, relative to y, if known.
    #[must_use]
    pub fn spread(&self) -> Option<&[f64]> {
        self.spread.as_deref()
    }

    /// Samples of each y, if kept.
    #[must_use]
    pub fn samples(&self) -> Option<&[Vec<f64>]> {
        self.samples.as_deref()
    }

    /// Number of points; never zero.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Always false: a curve has a point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    #[must_use]
    pub(crate) fn ordered(x: Vec<f64>, y: Vec<f64>) -> Self {
        debug_assert!(x.len() == y.len() && x.windows(2).all(|pair| pair[0] < pair[1]));
        Self { x, y, spread: None, samples: None, precision: None }
    }

    /// Relative standard error of the points, if each summarises many rounds.
    #[must_use]
    pub(crate) fn precision(&self) -> Option<f64> {
        self.precision
    }

    /// The same points with this relative standard error.
    #[must_use]
    pub(crate) fn known_to(self, precision: f64) -> Self {
        Self { precision: Some(precision), ..self }
    }

    /// The same x and noise with other values.
    #[must_use]
    pub(crate) fn with_y(&self, y: Vec<f64>) -> Self {
        debug_assert_eq!(y.len(), self.x.len());
        Self { y, ..self.clone() }
    }

    /// The points at these ascending indices.
    #[must_use]
    pub(crate) fn picked(&self, at: &[usize]) -> Self {
        Self {
            x: at.iter().map(|&i| self.x[i]).collect(),
            y: at.iter().map(|&i| self.y[i]).collect(),
            spread: self.spread.as_ref().map(|s| at.iter().map(|&i| s[i]).collect()),
            samples: self.samples.as_ref().map(|s| at.iter().map(|&i| s[i].clone()).collect()),
            precision: self.precision,
        }
    }
}

fn check(
    x: &[f64],
    y: &[f64],
    spread: Option<&[f64]>,
    samples: Option<&[Vec<f64>]>,
) -> Result<(), CurveError> {
    if x.is_empty() {
        return Err(CurveError::Empty);
    }
    let lengths = [
        (Some(y.len()), "y"),
        (spread.map(<[f64]>::len), "spread"),
        (samples.map(<[Vec<f64>]>::len), "samples"),
    ];
    for (length, what) in lengths {
        if let Some(other) = length.filter(|&other| other != x.len()) {
            return Err(CurveError::Lengths { x: x.len(), other, what });
        }
    }
    for at in 0..x.len() {
        let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
        let what = if !x[at].is_finite() {
            "x"
        } else if !y[at].is_finite() {
            "y"
        } else if spread.is_some_and(|s| !s[at].is_finite()) {
            "spread"
        } else if samples.is_some_and(|s| !finite(&s[at])) {
            "sample"
        } else {
            continue;
        };
        return Err(CurveError::NotFinite { at: at + 1, what });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_sorted_and_equal_x_are_merged() {
        let samples = [vec![3.0], vec![1.0], vec![5.0, 6.0]];
        let curve = Curve::with_noise(
            &[2.0, 1.0, 2.0],
            &[3.0, 1.0, 5.0],
            Some(&[0.1, 0.2, 0.1]),
            Some(&samples),
        )
        .expect("a curve");
        assert_eq!(curve.x(), [1.0, 2.0]);
        assert_eq!(curve.y(), [1.0, 4.0]);
        // The mean of two points has a spread smaller by √2.
        let spread = curve.spread().expect("given");
        assert!((spread[1] - 0.1 / 2f64.sqrt()).abs() < 1e-12);
        assert_eq!(curve.samples().expect("given")[1], [3.0, 5.0, 6.0]);
    }

    #[test]
    fn what_is_no_curve_is_refused_with_the_point() {
        assert_eq!(Curve::new(&[], &[]), Err(CurveError::Empty));
        let error = Curve::new(&[1.0, 2.0], &[1.0, f64::NAN]).expect_err("NaN");
        assert_eq!(error, CurveError::NotFinite { at: 2, what: "y" });
        assert!(Curve::new(&[1.0], &[1.0, 2.0]).is_err());
        assert!(Curve::new(&[f64::INFINITY], &[1.0]).is_err());
    }
}
