//! `kneedle`: the local maxima of the curve's height above the diagonal that are followed by a
//! large enough fall. Satopää, Albrecht, Irwin and Raghavan (2011), offline and online. Open points
//! are decided as in the widespread Python implementation: borders and plateaus count as extrema, a
//! maximum is armed until the next local minimum, and a knee is declared when the next point is
//! below the threshold.

use registry::{Allowed, Knob};

use super::{Curve, Detection, Detector, DetectorSettings, Mode, View, curve::chord::unit_curve};

inventory::submit!(Detector {
    name: "kneedle",
    about: "the first maximum of the difference curve that is followed by a clear fall",
    reference: "Satopää et al.: Finding a Kneedle in a Haystack (2011)",
    knobs: KNOBS,
    view: View::Rise,
    detect,
});

const KNOBS: &[Knob] = &[
    Knob {
        name: "sensitivity",
        about: "S: how far the difference curve must fall behind a knee, in mean steps of x",
        default: "1",
        allowed: Allowed::Number(0.0, 1e6),
    },
    Knob {
        name: "fall",
        about: "the same as a share of the curve's height, for any number of points: \
                S = fall × (points − 1); 0: by sensitivity",
        default: "0",
        allowed: Allowed::Number(0.0, 1.0),
    },
];

fn detect(curve: &Curve, settings: &DetectorSettings) -> Detection {
    let unit = match unit_curve(curve, settings) {
        Ok(unit) => unit,
        Err(why) => return Detection::none(why),
    };
    let steps = (unit.x.len() - 1) as f64;
    let mean_step = ((unit.x[unit.x.len() - 1] - unit.x[0]) / steps).abs();
    let share = settings.knobs.number("fall");
    let sensitivity =
        if share > 0.0 { share * steps } else { settings.knobs.number("sensitivity") };
    let fall = sensitivity * mean_step;
    match last_knee(&unit.above, fall, settings.mode) {
        Some(at) => {
            let height = unit.above[at];
            let at = unit.middle_of_top(at, settings.top());
            Detection::at(curve, unit.original(at), format!("{height:.3} above the diagonal"))
                .with("height", height)
        }
        None => Detection::none("no maximum of the difference curve is followed by a fall"),
    }
}

/// Index of the last knee, from one pass over the heights above the diagonal. O(n).
fn last_knee(above: &[f64], fall: f64, mode: Mode) -> Option<usize> {
    let last = above.len() - 1;
    // The current maximum, and the height below which it becomes a knee.
    let mut armed: Option<(usize, f64)> = None;
    let mut knee = None;
    for i in 0..last {
        let (here, next) = (above[i], above[i + 1]);
        let before = if i == 0 { here } else { above[i - 1] };
        if here >= before && here >= next {
            armed = Some((i, here - fall));
        }
        if here <= before && here <= next {
            armed = None;
        }
        if let Some((at, threshold)) = armed
            && next < threshold
        {
            knee = Some(at);
            if mode == Mode::Offline {
                break;
            }
        }
    }
    knee
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::XScale;

    #[test]
    fn the_figure_of_the_paper_has_its_knee_at_two_ninths() {
        // Figure 2 of the paper: y = -1 / (x + 0.1) + 5 at ten points.
        let x: Vec<f64> = (0..10).map(|i| f64::from(i) / 9.0).collect();
        let y: Vec<f64> = x.iter().map(|x| -1.0 / (x + 0.1) + 5.0).collect();
        let settings = DetectorSettings { x_scale: XScale::Linear, ..DetectorSettings::default() };
        let found = detect(&Curve::new(&x, &y).expect("a curve"), &settings);
        assert_eq!(found.knee.expect("a knee").index, 2);
    }

    #[test]
    fn offline_answers_the_first_knee_and_online_the_last() {
        let above = [0.0, 0.5, 0.2, 0.1, 0.6, 0.1, 0.0];
        assert_eq!(last_knee(&above, 0.1, Mode::Offline), Some(1));
        assert_eq!(last_knee(&above, 0.1, Mode::Online), Some(4));
    }

    #[test]
    fn a_fall_finds_the_same_knee_at_any_number_of_points_and_a_sensitivity_does_not() {
        // Above the diagonal: a small top at 0.2, and the knee at 0.6.
        let corners = [(0.0, 0.0), (0.2, 0.2), (0.3, 0.15), (0.6, 0.5), (1.0, 0.0)];
        let above = |x: f64| {
            let pair = corners.windows(2).find(|pair| x <= pair[1].0).expect("inside");
            pair[0].1 + (pair[1].1 - pair[0].1) * (x - pair[0].0) / (pair[1].0 - pair[0].0)
        };
        let knee = |steps: u32, knob: (&str, &str)| {
            let x: Vec<f64> = (0..=steps).map(|i| f64::from(i) / f64::from(steps)).collect();
            let y: Vec<f64> = x.iter().map(|x| x + above(*x)).collect();
            let knobs = [(knob.0.to_owned(), knob.1.to_owned())].into();
            let settings =
                DetectorSettings { x_scale: XScale::Linear, ..DetectorSettings::default() };
            let settings = settings.with_knobs(&knobs).expect("allowed");
            let found = detect(&Curve::new(&x, &y).expect("a curve"), &settings);
            found.knee.expect("a knee").index as f64 / f64::from(steps)
        };
        for steps in [10, 100, 1000] {
            assert!((knee(steps, ("fall", "0.1")) - 0.6).abs() < 1e-9, "{steps}");
        }
        let by_steps = [10, 100].map(|steps| knee(steps, ("sensitivity", "1")));
        assert!((by_steps[0] - 0.6).abs() < 1e-9 && (by_steps[1] - 0.2).abs() < 1e-9);
    }

    #[test]
    fn a_maximum_without_a_sufficient_fall_is_no_knee() {
        assert_eq!(last_knee(&[0.0, 0.5, 0.45, 0.5, 0.4], 0.2, Mode::Offline), None);
    }
}
