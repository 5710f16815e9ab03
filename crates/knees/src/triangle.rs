//! `triangle`: the point farthest from the chord between the ends of the curve, with both axes
//! scaled to one. After the triangle method for histograms of Zack, Rogers and Latt (1977).

use registry::{Allowed, Knob};

use super::{Curve, Detection, Detector, DetectorSettings, View, curve::chord::unit_curve};

inventory::submit!(Detector {
    name: "triangle",
    about: "the point farthest from the chord of the normalised curve, or the middle of those that are about as far",
    reference: "Zack, Rogers, Latt: Automatic measurement of sister chromatid exchange frequency (1977)",
    knobs: KNOBS,
    view: View::Rise,
    detect,
});

const KNOBS: &[Knob] = &[Knob {
    name: "threshold",
    about: "the smallest distance from the chord of the unit square that is a knee",
    default: "0.1",
    allowed: Allowed::Number(0.0, 1.0),
}];

fn detect(curve: &Curve, settings: &DetectorSettings) -> Detection {
    let unit = match unit_curve(curve, settings) {
        Ok(unit) => unit,
        Err(why) => return Detection::none(why),
    };
    let mut best = 0;
    for (i, above) in unit.above.iter().enumerate() {
        if *above > unit.above[best] {
            best = i;
        }
    }
    // The diagonal is at 45 degrees, so the perpendicular distance is the vertical one over √2.
    let distance = unit.above[best] * std::f64::consts::FRAC_1_SQRT_2;
    let threshold = settings.knobs.number("threshold");
    if distance < threshold {
        let why = format!(
            "the curve stays within {distance:.3} of its chord, below the threshold {threshold}"
        );
        return Detection::none(why).with("distance", distance);
    }
    let knee = unit.middle_of_top(best, settings.top());
    Detection::at(curve, unit.original(knee), format!("{distance:.3} from the chord"))
        .with("distance", distance)
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
        // The lines cross at x = 5.
        assert_eq!(found.knee.expect("a knee").index, 5);
    }

    #[test]
    fn a_straight_line_has_no_knee() {
        let x = [1.0, 2.0, 3.0, 4.0];
        let settings = DetectorSettings { x_scale: XScale::Linear, ..DetectorSettings::default() };
        let found = detect(&Curve::new(&x, &x).expect("a curve"), &settings);
        assert!(found.knee.is_none() && found.why.contains("threshold"));
    }
}
