//! `lmethod`: the point where two lines, one for each side, fit the curve best. Salvador and Chan
//! (2004), with two changes from Kneeliverse: lines through the ends of each side, and a more
//! stable refinement.

use super::{Curve, Detection, Detector, DetectorSettings, View, curve::plane::plane};

inventory::submit!(Detector {
    name: "lmethod",
    about: "the point where two straight lines fit the curve best",
    reference: "Salvador, Chan: Determining the Number of Clusters/Segments (2004); Kneeliverse 1.0.1",
    knobs: &[],
    view: View::Rise,
    detect,
});

/// The refinement keeps at least this many points: with fewer, noise would dominate.
const FEWEST: usize = 10;

fn detect(curve: &Curve, settings: &DetectorSettings) -> Detection {
    let plane = match plane(curve, settings) {
        Ok(plane) => plane,
        Err(why) => return Detection::none(why),
    };
    let (mut knee, mut before) = (plane.x.len(), None);
    let mut end = plane.x.len();
    // A long tail pulls the corner towards itself, so the search is repeated on shorter curves.
    while before != Some(knee) {
        before = Some(knee);
        let seen = ..(end + 1).min(plane.x.len());
        let last = knee;
        knee = corner(&plane.x[seen], &plane.y[seen]);
        end = FEWEST.max(usize::midpoint(knee, last));
    }
    let error = error_of(&plane.x, &plane.y, knee);
    Detection::at(curve, plane.original(knee), format!("two lines fit within {error:.3}"))
        .with("error", error)
}

/// The index where two lines fit best; at least 2.
fn corner(x: &[f64], y: &[f64]) -> usize {
    let mut best = (2, error_of(x, y, 2));
    for at in 3..x.len().saturating_sub(2) {
        let error = error_of(x, y, at);
        if error < best.1 {
            best = (at, error);
        }
    }
    best.0
}

/// Root mean square distance of the points from the two lines, each side weighted by its length.
fn error_of(x: &[f64], y: &[f64], corner: usize) -> f64 {
    let whole = x[x.len() - 1] - x[0];
    let side = |length: f64, residuals: f64| {
        let share = length / whole;
        share * (share * residuals).sqrt()
    };
    side(x[corner] - x[0], residuals(&x[..=corner], &y[..=corner]))
        + side(x[x.len() - 1] - x[corner], residuals(&x[corner..], &y[corner..]))
}

/// Sum of squared vertical distances from the line through the first and the last point.
fn residuals(x: &[f64], y: &[f64]) -> f64 {
    let last = x.len() - 1;
    let width = x[0] - x[last];
    let slope = if last == 0 { 0.0 } else { (y[0] - y[last]) / width };
    let offset = if last == 0 { 0.0 } else { y[0] - slope * x[0] };
    x.iter().zip(y).map(|(x, y)| (y - (x * slope + offset)).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::XScale;

    #[test]
    fn the_corner_of_two_straight_lines_is_found() {
        let x: Vec<f64> = (0..=20).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| (x * 0.2).min(1.0 + (x - 5.0) * 0.01)).collect();
        let settings = DetectorSettings { x_scale: XScale::Linear, ..DetectorSettings::default() };
        let found = detect(&Curve::new(&x, &y).expect("a curve"), &settings);
        assert_eq!(found.knee.expect("a knee").index, 5);
    }

    #[test]
    fn short_curves_are_refused() {
        let short = Curve::new(&[1.0, 2.0], &[5.0, 6.0]).expect("a curve");
        assert!(detect(&short, &DetectorSettings::default()).knee.is_none());
    }
}
