//! The curve again without each of its points, as the jackknife leaves them out (Tukey, Bias and confidence in
//! not quite large samples, 1958). Rounds that are drawn again have the same sizes, so no interval sees that a
//! single one decides where the knee is: a size that divides its tiles well, or was tuned worse than its neighbours.

use std::fmt;

use math::seeded;

use super::{
    bagging::MIDDLE,
    confidence::WIDEST,
    find::once,
    finding::{Confidence, Finding},
};
use crate::{Curve, Detector, DetectorSettings, Preparation, RepeatedCurve};

/// Redrawn curves that are looked at without a point that moves the knee of the curve itself.
const DRAWN: usize = 40;
/// Most points: of longer curves none counts for much.
const LONGEST: usize = 100;

/// A point that a knee leans on: without it the knee is elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Leaning {
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

/// The same finding about a curve in rounds, weak if it was settled and leans on a single point.
#[must_use]
pub fn unless_leaning(
    finding: Finding,
    detector: &Detector,
    repeated: &RepeatedCurve,
    (settings, preparation): (&DetectorSettings, Preparation),
) -> Finding {
    let is_settled = finding.confidence == Confidence::Settled;
    let Some(knee) = finding.knee.filter(|_| is_settled && repeated.x().len() <= LONGEST) else {
        return finding;
    };
    let mut rng = seeded(settings.seed, 0x1EA0);
    let drawn = || (0..DRAWN).map(|_| repeated.curve_of(&repeated.redraw(&mut rng, 1))).collect();
    let knee_of = |curve: &Curve| Some(once(detector, curve, settings, preparation).knee?.index);
    match leaning(knee.index, &repeated.curve(), drawn, knee_of) {
        Some(leaning) => finding.doubted(leaning.to_string()),
        None => finding,
    }
}

/// The point that the knee of a curve at an index leans on most, if it leans on any: without it the knee is more
/// steps away than a settled one's interval spans, or there is none. `drawn` gives such curves as rounds that are drawn
/// again do, with the same x; what is true of the curve must be true of the middle one of these.
fn leaning(
    knee: usize,
    curve: &Curve,
    drawn: impl FnOnce() -> Vec<Curve>,
    knee_of: impl Fn(&Curve) -> Option<usize>,
) -> Option<Leaning> {
    let x = curve.x();
    // Steps to the middle knee of curves without a point, and that knee.
    let moved = |without: usize, curves: &[Curve]| {
        let others: Vec<usize> = (0..x.len()).filter(|at| *at != without).collect();
        let knees = curves.iter().filter_map(|curve| knee_of(&curve.picked(&others)));
        let mut knees: Vec<usize> = knees.map(|at| others[at]).collect();
        knees.sort_unstable();
        let middle =
            (2 * knees.len() > curves.len()).then(|| knees[(knees.len() as f64 * MIDDLE) as usize]);
        let steps = middle.map_or(usize::MAX, |middle| middle.abs_diff(knee));
        (steps > WIDEST).then_some((steps, middle))
    };
    let alone = std::slice::from_ref(curve);
    let suspects: Vec<usize> = (0..x.len()).filter(|at| moved(*at, alone).is_some()).collect();
    if suspects.is_empty() {
        return None;
    }
    let drawn = drawn();
    let leanings = suspects.into_iter().filter_map(|at| Some((at, moved(at, &drawn)?)));
    let (at, (_, middle)) = leanings.max_by_key(|(_, (steps, _))| *steps)?;
    Some(Leaning { without: x[at], knee: middle.map(|middle| x[middle]) })
}

#[cfg(test)]
mod tests {
    use math::normal;

    use super::*;
    use crate::{CurveValue, DETECTORS, find_repeated};

    /// The confidence of a curve in rounds, and what speaks against it.
    fn judged(y: &[f64]) -> (Confidence, Vec<String>) {
        let mut rng = seeded(3, 0);
        let value = |at: usize, round: u64, rng: &mut _| CurveValue {
            x: 1e3 * 1.5_f64.powi(at as i32),
            y: y[at] * (0.01 * normal(rng)).exp(),
            round,
            disturbed: false,
        };
        let readings: Vec<CurveValue> = (0..40)
            .flat_map(|round| (0..y.len()).map(move |at| (at, round)))
            .map(|(at, round)| value(at, round, &mut rng))
            .collect();
        let repeated = RepeatedCurve::new(&readings).expect("readings");
        let kneedle = DETECTORS.find("kneedle").expect("registered");
        let settings = DetectorSettings::default();
        let found = find_repeated(kneedle, &repeated, &settings, Preparation::Prepared);
        let with = (&settings, Preparation::Prepared);
        let judged = unless_leaning(found, kneedle, &repeated, with);
        (judged.confidence, judged.against)
    }

    #[test]
    fn a_usual_curve_in_rounds_leans_on_no_size() {
        let y: Vec<f64> = (0..20).map(|at| 1.0 / (1.0 + 20.0 / 1.5_f64.powi(at))).collect();
        assert_eq!(judged(&y), (Confidence::Settled, Vec::new()));
    }

    #[test]
    fn a_single_size_that_stands_out_decides_where_a_slow_rise_bends() {
        // It goes on rising slowly, as where larger tiles become worth it.
        let slow = [10, 13, 17, 22, 27, 31, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45];
        let mut y = slow.map(f64::from);
        assert_eq!(judged(&y).0, Confidence::Settled);
        y[11] *= 1.2;
        let (confidence, against) = judged(&y);
        assert_eq!(confidence, Confidence::Weak);
        assert_eq!(against, ["without 86497.55859375 it would be 17085.9375"]);
    }

    /// What a knee leans on if the drawn curves are like the curve.
    fn leaning_of(knee: usize, y: &[f64]) -> Option<String> {
        let x: Vec<f64> = (1..=y.len()).map(|at| 10.0 * at as f64).collect();
        let curve = Curve::new(&x, y).expect("a curve");
        let found = leaning(knee, &curve, || vec![curve.clone(); 3], first);
        found.map(|leaning| leaning.to_string())
    }

    /// The first point that is 1 or more.
    fn first(curve: &Curve) -> Option<usize> {
        curve.y().iter().position(|y| *y >= 1.0)
    }

    #[test]
    fn a_knee_leans_on_the_point_without_which_it_is_far_away() {
        let alone = leaning_of(1, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(alone.as_deref(), Some("without 20 it would be 60"));
        let only = leaning_of(1, &[0.0, 1.0, 0.0, 0.0]);
        assert_eq!(only.as_deref(), Some("without 20 there would be none"));
    }

    #[test]
    fn a_knee_leans_on_no_point_where_its_neighbour_would_do_or_rounds_do_not_say_so() {
        let steady = [0.0, 0.0, 1.0, 1.0, 1.0];
        assert_eq!(leaning_of(2, &steady), None);
        let x = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0];
        let [curve, usual] = [[0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
            .map(|y| Curve::new(&x, &y).expect("a curve"));
        assert_eq!(leaning(1, &curve, || vec![usual.clone(); 3], first), None);
    }
}
