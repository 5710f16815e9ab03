//! The curve again without each of its points, as the jackknife leaves them out (Tukey, Bias and confidence in
//! not quite large samples, 1958). Rounds that are drawn again have the same sizes, so no interval sees that a
//! single one decides where the knee is: a size that divides its tiles well, or was tuned worse than its neighbours.

use std::fmt;

use super::{bagging::MIDDLE, confidence::WIDEST};
use crate::knees::Curve;

/// Drawn curves that are looked at without each point.
pub(super) const DRAWN: usize = 40;

/// A point that a knee leans on: without it the knee is elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Leaning {
    /// The point's x.
    without: f64,
    /// The knee's x then, if there is one.
    knee: Option<f64>,
}

impl fmt::Display for Leaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.knee {
            Some(knee) => write!(f, "without {} it would be {knee}", self.without),
            None => write!(f, "without {} there would be none", self.without),
        }
    }
}

/// The point that the knee at an index leans on most, if it leans on any: without it the middle knee of the
/// `drawn` curves, which have the same x, is more steps away than a settled one's interval spans, or most have none.
pub(super) fn leaning(
    knee: usize,
    drawn: &[Curve],
    knee_of: impl Fn(&Curve) -> Option<usize>,
) -> Option<Leaning> {
    let x = drawn.first()?.x();
    let moved = (0..x.len()).filter_map(|without| {
        let others: Vec<usize> = (0..x.len()).filter(|at| *at != without).collect();
        let knees = drawn.iter().filter_map(|curve| knee_of(&curve.picked(&others)));
        let mut knees: Vec<usize> = knees.map(|at| others[at]).collect();
        knees.sort_unstable();
        let middle =
            (2 * knees.len() > drawn.len()).then(|| knees[(knees.len() as f64 * MIDDLE) as usize]);
        let steps = middle.map_or(usize::MAX, |middle| middle.abs_diff(knee));
        let leaning = Leaning { without: x[without], knee: middle.map(|at| x[at]) };
        (steps > WIDEST).then_some((steps, leaning))
    });
    moved.max_by_key(|(steps, _)| *steps).map(|(_, leaning)| leaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(y: &[f64]) -> Vec<Curve> {
        let x: Vec<f64> = (1..=y.len()).map(|at| 10.0 * at as f64).collect();
        vec![Curve::new(&x, y).expect("a curve"); 3]
    }

    /// The first point that is 1 or more.
    fn first(curve: &Curve) -> Option<usize> {
        curve.y().iter().position(|y| *y >= 1.0)
    }

    #[test]
    fn a_knee_leans_on_the_point_without_which_it_is_far_away() {
        let alone = curve(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        let found = leaning(1, &alone, first).expect("it leans");
        assert_eq!(found.to_string(), "without 20 it would be 60");
        let only = curve(&[0.0, 1.0, 0.0, 0.0]);
        let found = leaning(1, &only, first).expect("it leans");
        assert_eq!(found.to_string(), "without 20 there would be none");
    }

    #[test]
    fn a_knee_leans_on_no_point_where_its_neighbour_would_do() {
        let steady = curve(&[0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(leaning(2, &steady, first), None);
        assert_eq!(leaning(2, &[], first), None);
    }
}
