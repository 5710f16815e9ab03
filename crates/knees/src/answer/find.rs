//! From a curve to a finding: prepare the curve, detect, map the knee back, and judge it.

use math::{Rng, median, seeded};

use super::{
    bagging::bagged,
    confidence::{LEAST_SHARE, judge},
    finding::Finding,
    uncertainty::{redrawn_knees, steps_between},
};
use crate::{
    Curve, Detection, Detector, DetectorSettings, Direction, Knee, MachineInRounds, Preparation,
    RepeatedCurve, View, XScale,
    curve::{preparation::PreparedCurve, thinning::thin},
    prepare,
};

/// Curves with more points are first averaged in bins.
const LONGEST: usize = 5000;

/// Name of the fact in which a detector reports the level that counts as saturated.
pub(crate) const LEVEL: &str = "level";

/// Finds the knee of a curve with a detector, and adds interval and confidence.
#[must_use]
pub fn find(
    detector: &Detector,
    curve: &Curve,
    settings: &DetectorSettings,
    preparation: Preparation,
) -> Finding {
    if curve.len() > LONGEST && preparation == Preparation::Prepared {
        // Long curves are binned once here instead of once per redrawn curve.
        let (binned, at) = thin(curve, settings);
        if binned.len() < curve.len() {
            let mut finding = find(detector, &binned, settings, preparation);
            finding.knee = finding.knee.map(|knee| Knee { index: at[knee.index], x: knee.x });
            return finding;
        }
    }
    let finding = locate(detector, curve, settings, preparation);
    if finding.knee.is_none() {
        return finding;
    }
    let once = |drawn: &Curve| once(detector, drawn, settings, preparation).knee;
    let knees = redrawn_knees(curve, settings, once);
    concluded(finding, curve, &knees, (settings, preparation), None)
}

/// Finds the knee of a curve measured in rounds, on curves of resampled rounds. Curves as noisy as
/// the curve itself give the knee, their median. Curves as far off as it may be, with what sizes
/// have of their own, give the interval and the probability.
#[must_use]
pub fn find_repeated(
    detector: &Detector,
    repeated: &RepeatedCurve,
    settings: &DetectorSettings,
    preparation: Preparation,
) -> Finding {
    let curve = repeated.curve();
    if !repeated.is_repeated() || settings.resamples == 0 {
        return find(detector, &curve, settings, preparation);
    }
    let detection = once(detector, &curve, settings, preparation);
    let mut rng = seeded(settings.seed, 0x20D5);
    let knee = |drawn: &Curve| {
        let Detection { knee, facts, .. } = once(detector, drawn, settings, preparation);
        let index = knee?.index;
        let rises_on = |share: f64| preparation == Preparation::Prepared && share < LEAST_SHARE;
        (!share(drawn, index, &facts, settings).is_some_and(rises_on)).then_some(index)
    };
    let mut draw = |of: &dyn Fn(&mut Rng) -> Curve| -> Vec<Option<usize>> {
        (0..settings.resamples).map(|_| knee(&of(&mut rng))).collect()
    };
    let near = draw(&|rng| repeated.redrawn(rng));
    let wide = draw(&|rng| repeated.redrawn_widely(rng, true));
    let by_rounds = draw(&|rng| repeated.redrawn_widely(rng, false));
    let mut finding = Finding {
        knee: detection.knee,
        facts: detection.facts,
        ..Finding::none(detector.name, detection.why)
    };
    let mut found: Vec<usize> = near.iter().flatten().copied().collect();
    found.sort_unstable();
    if 2 * found.len() <= near.len() {
        if finding.knee.take().is_some() {
            let without = 100.0 * (1.0 - found.len() as f64 / near.len() as f64);
            finding.why = format!("{without:.0} % of the redrawn curves have no knee");
        }
        return finding;
    }
    let index = found[found.len() / 2];
    finding.knee = Some(Knee { index, x: curve.x()[index] });
    if detection.knee.is_none() {
        finding.why = "most of the redrawn curves have one".to_owned();
    }
    finding.share = share(&curve, index, &finding.facts, settings);
    finding.by_rounds = Some(within_a_step(&by_rounds, index));
    concluded(finding, &curve, &wide, (settings, preparation), Some(repeated.machine()))
}

/// Share of the redrawn curves whose knee is at most one step from a point.
fn within_a_step(knees: &[Option<usize>], index: usize) -> f64 {
    let near = knees.iter().flatten().filter(|knee| knee.abs_diff(index) <= 1).count();
    near as f64 / knees.len().max(1) as f64
}

/// Adds interval, probability and confidence. On a prepared curve, a knee below [`LEAST_SHARE`] is
/// rejected.
fn concluded(
    mut finding: Finding,
    curve: &Curve,
    knees: &[Option<usize>],
    (settings, preparation): (&DetectorSettings, Preparation),
    machine: Option<MachineInRounds>,
) -> Finding {
    let Some(knee) = finding.knee else { return finding };
    if let Some(share) = finding.share
        && share < LEAST_SHARE
        && preparation == Preparation::Prepared
    {
        let why = format!(
            "the curve bends at {} where it has reached {:.1} % of its level, and goes on rising",
            knee.x,
            100.0 * share
        );
        return Finding { facts: finding.facts, ..Finding::none(finding.detector, why) };
    }
    let steps = steps_between(knees, settings.confidence);
    let steps = steps.map(|(low, high)| (low.min(knee.index), high.max(knee.index)));
    finding.interval = steps.map(|steps| between(curve.x(), steps, settings.x_scale));
    finding.probability = (!knees.is_empty()).then(|| within_a_step(knees, knee.index));
    (finding.confidence, finding.against) = judge(&finding, machine);
    finding
}

/// The interval around points of a curve: it reaches halfway to the next points on both sides,
/// because the knee is not known more precisely.
fn between(x: &[f64], (low, high): (usize, usize), scale: XScale) -> (f64, f64) {
    let halfway = |a: f64, b: f64| match scale {
        XScale::Log if a > 0.0 => (a * b).sqrt(),
        _ => f64::midpoint(a, b),
    };
    let start = low.checked_sub(1).map_or(x[low], |before| halfway(x[before], x[low]));
    let end = x.get(high + 1).map_or(x[high], |after| halfway(x[high], *after));
    (start, end)
}

/// [`find`] without the interval: fast enough for frequent calls.
pub(crate) fn locate(
    detector: &Detector,
    curve: &Curve,
    settings: &DetectorSettings,
    preparation: Preparation,
) -> Finding {
    let detection = match preparation {
        Preparation::Raw => (detector.detect)(curve, settings),
        Preparation::Prepared => steadied(detector, curve, settings),
    };
    Finding {
        knee: detection.knee,
        share: detection.knee.and_then(|knee| share(curve, knee.index, &detection.facts, settings)),
        facts: detection.facts,
        ..Finding::none(detector.name, detection.why)
    }
}

/// Share of the level that a point of a rising curve reaches. The level is the detector's, or else
/// the highest median of three neighbours, so that a single high point does not count.
fn share(
    curve: &Curve,
    index: usize,
    facts: &[(String, f64)],
    settings: &DetectorSettings,
) -> Option<f64> {
    if settings.direction != Direction::Increasing {
        return None;
    }
    let y = curve.y();
    let stated = facts.iter().find(|(name, _)| name == LEVEL).map(|(_, level)| *level);
    let highest = || y.windows(y.len().min(3)).map(median).fold(f64::NEG_INFINITY, f64::max);
    let share = y[index] / stated.unwrap_or_else(highest).max(y[index]);
    Some(share).filter(|share| share.is_finite())
}

/// Runs a detector on a curve once, without redrawing.
pub(super) fn once(
    detector: &Detector,
    curve: &Curve,
    settings: &DetectorSettings,
    preparation: Preparation,
) -> Detection {
    match preparation {
        Preparation::Raw => (detector.detect)(curve, settings),
        Preparation::Prepared => prepared(detector, curve, settings).0,
    }
}

/// Runs a detector on the prepared curve. If the detector works on the rise, its answer is bagged
/// over redrawn curves.
fn steadied(detector: &Detector, curve: &Curve, settings: &DetectorSettings) -> Detection {
    let (mut detection, noise) = prepared(detector, curve, settings);
    if detector.view == View::Rise && detection.knee.is_some() {
        let answer = |redrawn: &Curve| prepared(detector, redrawn, settings).0.knee;
        let middle = bagged(curve, noise, settings, |redrawn| answer(redrawn).map(|k| k.index));
        let knee = |index: usize| Knee { index, x: curve.x()[index] };
        detection.knee = middle.map(knee).or(detection.knee);
    }
    detection
}

/// Runs a detector on the prepared curve once; also returns the curve's noise.
fn prepared(detector: &Detector, curve: &Curve, settings: &DetectorSettings) -> (Detection, f64) {
    let PreparedCurve { rise, rise_at, whole, whole_at, noise, flat, .. } =
        prepare(curve, settings);
    let (seen, at) = match detector.view {
        View::Rise => (rise, rise_at),
        View::Whole => (whole, whole_at),
    };
    let settings = DetectorSettings { preparation: Preparation::Prepared, ..settings.clone() };
    let mut detection = (detector.detect)(&seen, &settings).mapped(curve, &at);
    if let (None, View::Rise, Some(flat)) = (detection.knee, detector.view, flat) {
        detection.why = flat;
    }
    (detection, noise)
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;
    use crate::DETECTORS;

    fn saturating(noise: f64) -> Curve {
        let mut rng = seeded(2, 0);
        let x: Vec<f64> = (0..34).map(|i| 1e3 * 1.5f64.powi(i)).collect();
        let y: Vec<f64> =
            x.iter().map(|x| x / (x + 2e5) * (1.0 + noise * normal(&mut rng))).collect();
        Curve::new(&x, &y).expect("a curve")
    }

    #[test]
    fn every_detector_finds_a_saturation_point_with_its_interval() {
        for detector in DETECTORS.iter() {
            let curve = saturating(0.01);
            let found = find(detector, &curve, &DetectorSettings::default(), Preparation::Prepared);
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
        let kneedle = DETECTORS.find("kneedle").expect("registered");
        let raw = find(kneedle, &curve, &DetectorSettings::default(), Preparation::Raw);
        let prepared = find(kneedle, &curve, &DetectorSettings::default(), Preparation::Prepared);
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
                for detector in DETECTORS.iter() {
                    for preparation in [Preparation::Prepared, Preparation::Raw] {
                        let found =
                            find(detector, &curve, &DetectorSettings::default(), preparation);
                        assert!(!found.why.is_empty());
                    }
                }
            }
        }
    }

    /// How many of a hundred noisy draws of a curve without a knee get a knee.
    fn knees_of(noise: f64, value: impl Fn(f64) -> f64, name: &str) -> usize {
        let mut rng = seeded(8, 0);
        let settings = DetectorSettings { resamples: 0, ..DetectorSettings::default() };
        (0..100)
            .filter(|_| {
                let x: Vec<f64> = (0..30).map(|i| 1e3 * 1.5f64.powi(i)).collect();
                let y: Vec<f64> =
                    x.iter().map(|&x| value(x) * (1.0 + noise * normal(&mut rng))).collect();
                let curve = Curve::new(&x, &y).expect("a curve");
                let detector = DETECTORS.find(name).expect("registered");
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
