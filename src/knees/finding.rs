//! From a curve to an answer: prepare, detect, map back, say how sure.

use super::bagging::bagged;
use super::preparation::Prepared;
use super::uncertainty::interval;
use super::{Curve, Detection, Detector, Direction, Knee, Settings, View, prepare};

/// Of the points of a prepared curve that lie this nearly as far above the chord, the last is the
/// knee: what noise decides between goes to the side that is saturated.
const TIE: f64 = 0.03;

/// Whether a curve is prepared before a detector sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preparation {
    /// As [`prepare`] has it.
    #[default]
    Prepared,
    /// The points as they are.
    Raw,
}

/// A detector's answer about a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Whose answer this is.
    pub detector: &'static str,
    /// The knee, as an index into the curve that was given.
    pub knee: Option<Knee>,
    /// The interval of the knee's x, at the confidence of the settings.
    pub interval: Option<(f64, f64)>,
    /// The knee's y as a share of the largest y, on rising curves.
    pub share: Option<f64>,
    /// Why there is no knee, or what speaks for it.
    pub why: String,
    /// Figures of the method by name.
    pub facts: Vec<(String, f64)>,
}

/// What a detector answers about a curve, with an interval.
#[must_use]
pub fn find(
    detector: &dyn Detector,
    curve: &Curve,
    settings: &Settings,
    preparation: Preparation,
) -> Finding {
    let mut finding = locate(detector, curve, settings, preparation);
    if finding.knee.is_some() {
        finding.interval = interval(curve, settings, |drawn| {
            let detection = match preparation {
                Preparation::Raw => detector.detect(drawn, settings),
                Preparation::Prepared => prepared(detector, drawn, settings).0,
            };
            detection.knee.map(|k| k.x)
        });
    }
    finding
}

/// [`find`] without an interval, for those who ask often.
pub(crate) fn locate(
    detector: &dyn Detector,
    curve: &Curve,
    settings: &Settings,
    preparation: Preparation,
) -> Finding {
    let detection = match preparation {
        Preparation::Raw => detector.detect(curve, settings),
        Preparation::Prepared => steadied(detector, curve, settings),
    };
    let share = detection.knee.filter(|_| settings.direction == Direction::Increasing).map(|k| {
        let largest = curve.y().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        curve.y()[k.index] / largest
    });
    Finding {
        detector: detector.name(),
        knee: detection.knee,
        interval: None,
        share: share.filter(|s| s.is_finite()),
        why: detection.why,
        facts: detection.facts,
    }
}

/// What a detector answers about the prepared curve. One that looks for the farthest point of the
/// rise answers for the middle of what the noise allows.
fn steadied(detector: &dyn Detector, curve: &Curve, settings: &Settings) -> Detection {
    let (mut detection, noise) = prepared(detector, curve, settings);
    if detector.view() == View::Rise && detection.knee.is_some() {
        let answer = |redrawn: &Curve| prepared(detector, redrawn, settings).0.knee;
        let middle = bagged(curve, noise, settings, |redrawn| answer(redrawn).map(|k| k.index));
        let knee = |index: usize| Knee { index, x: curve.x()[index] };
        detection.knee = middle.map(knee).or(detection.knee);
    }
    detection
}

/// What a detector answers about one prepared curve, and the curve's noise.
fn prepared(detector: &dyn Detector, curve: &Curve, settings: &Settings) -> (Detection, f64) {
    let Prepared { rise, rise_at, whole, whole_at, noise, .. } = prepare(curve, settings);
    let (seen, at) = match detector.view() {
        View::Rise => (rise, rise_at),
        View::Whole => (whole, whole_at),
    };
    let settings = Settings { tie: TIE, ..settings.clone() };
    (detector.detect(&seen, &settings).mapped(curve, &at), noise)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knees::{DETECTORS, detector};
    use crate::numeric::{normal, seeded};

    fn saturating(noise: f64) -> Curve {
        let mut rng = seeded(2, 0);
        let x: Vec<f64> = (0..34).map(|i| 1e3 * 1.5f64.powi(i)).collect();
        let y: Vec<f64> =
            x.iter().map(|x| x / (x + 2e5) * (1.0 + noise * normal(&mut rng))).collect();
        Curve::new(&x, &y).expect("a curve")
    }

    #[test]
    fn every_detector_finds_a_saturation_point_with_its_interval() {
        for detector in DETECTORS {
            let curve = saturating(0.01);
            let found = find(*detector, &curve, &Settings::default(), Preparation::Prepared);
            let knee = found.knee.unwrap_or_else(|| panic!("{found:?}"));
            assert!((curve.x()[knee.index] - knee.x).abs() < 1e-9);
            let (low, high) = found.interval.expect("an interval");
            assert!(low <= knee.x * 1.51 && knee.x <= high * 1.51, "{found:?}");
            assert!(found.share.expect("a share") > 0.75, "{found:?}");
        }
    }

    #[test]
    fn the_raw_curve_of_a_log_axis_gives_kneedle_its_foot() {
        let curve = saturating(0.0);
        let kneedle = detector("kneedle").expect("registered");
        let raw = find(kneedle, &curve, &Settings::default(), Preparation::Raw);
        let prepared = find(kneedle, &curve, &Settings::default(), Preparation::Prepared);
        let at = |f: &Finding| f.knee.map_or(0, |k| k.index);
        assert!(at(&raw) < 3 && at(&prepared) > 15);
    }

    #[test]
    fn no_detector_fails_on_degenerate_curves() {
        let shapes: [&[f64]; 6] = [
            &[1.0],
            &[1.0, 2.0],
            &[1.0; 5],
            &[0.0; 7],
            &[-1.0, -2.0, -3.0, -4.0],
            &[5.0, 1.0, 5.0, 1.0, 5.0],
        ];
        for y in shapes {
            for first in [-2.0, 0.0, 1.0] {
                let x: Vec<f64> = (0..y.len()).map(|i| first + i as f64).collect();
                let curve = Curve::new(&x, y).expect("a curve");
                for detector in DETECTORS {
                    for preparation in [Preparation::Prepared, Preparation::Raw] {
                        let found = find(*detector, &curve, &Settings::default(), preparation);
                        assert!(!found.why.is_empty());
                    }
                }
            }
        }
    }

    /// How many of a hundred noisy draws of a curve without a knee get one.
    fn knees_of(noise: f64, value: impl Fn(f64) -> f64, name: &str) -> usize {
        let mut rng = seeded(8, 0);
        let settings = Settings { resamples: 0, ..Settings::default() };
        (0..100)
            .filter(|_| {
                let x: Vec<f64> = (0..30).map(|i| 1e3 * 1.5f64.powi(i)).collect();
                let y: Vec<f64> =
                    x.iter().map(|&x| value(x) * (1.0 + noise * normal(&mut rng))).collect();
                let curve = Curve::new(&x, &y).expect("a curve");
                let detector = detector(name).expect("registered");
                find(detector, &curve, &settings, Preparation::Prepared).knee.is_some()
            })
            .count()
    }

    type Named = (&'static str, fn(f64) -> f64);

    #[test]
    fn ramps_and_flat_curves_have_no_knee() {
        for name in ["triangle", "kneedle"] {
            for (noise, most) in [(0.01, 10), (0.05, 20)] {
                let shapes: [Named; 4] = [
                    ("flat", |_| 5.0),
                    ("linear", |x| x),
                    ("root", f64::sqrt),
                    ("logarithm", |x| x.log2() - 9.0),
                ];
                for (shape, value) in shapes {
                    let found = knees_of(noise, value, name);
                    assert!(found <= most, "{name} {shape} {noise}: {found} of 100");
                }
            }
        }
    }
}
