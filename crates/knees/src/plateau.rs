//! `plateau`: the smallest size from which the curve reaches and keeps its sustained level. A fall
//! to a level that holds for three octaves ends a cache hump, and the lower level counts. Any other
//! fall is a regression, and the level before it counts.

use math::{isotonic_increasing, mean, median};
use registry::Knob;

use super::{
    Curve, Detection, Detector, DetectorSettings, Direction, Shape, View,
    answer::find::LEVEL,
    curve::{
        concave::concave_fit, drops::first_fall, settings::SHARE, smoothing::residual_noise,
        thinning::thin,
    },
};

inventory::submit!(Detector {
    name: "plateau",
    about: "the smallest size from which the sustained level is reached and held",
    reference: "monotone regression: Ayer et al., An empirical distribution function (1955)",
    knobs: KNOBS,
    view: View::Whole,
    detect,
});

/// The sustained level must hold for at least this many octaves of x.
const HELD_OCTAVES: f64 = 3.0;

const KNOBS: &[Knob] = &[SHARE];

fn detect(curve: &Curve, settings: &DetectorSettings) -> Detection {
    let (thinned, at) = thin(curve, settings);
    search(&thinned, settings).mapped(curve, &at)
}

fn search(curve: &Curve, settings: &DetectorSettings) -> Detection {
    if (settings.direction, settings.shape) != (Direction::Increasing, Shape::Concave) {
        return Detection::none("a plateau is sought on curves that rise to a level");
    }
    if curve.len() < 4 {
        return Detection::none(format!("{} points; it needs at least four", curve.len()));
    }
    let position: Vec<f64> = curve.x().iter().map(|&x| settings.x_scale.position(x)).collect();
    let largest = curve.y().iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let z: Vec<f64> = curve.y().iter().map(|y| (y / largest).max(1e-3).ln()).collect();
    let noise = residual_noise(&position, &z);
    let mut start = 0;
    // There may be several falls, one per cache.
    let mut end = z.len();
    while let Some(fall) = first_fall(&z[start..], noise).map(|fall| start + fall) {
        match sustained_from(&z[fall..], &curve.x()[fall..], settings) {
            Some(at) if first_fall(&z[fall + at..], noise).is_none() => {
                return settled_knee(curve, &z, fall, fall + at);
            }
            Some(at) => start = fall + at,
            None => {
                end = fall;
                break;
            }
        }
    }
    rising_knee(curve, &position, (&z, largest), start..end, settings)
}

/// Where the rising part first reaches the share of its level and keeps it; `z` is ln(y / largest).
fn rising_knee(
    curve: &Curve,
    position: &[f64],
    (z, largest): (&[f64], f64),
    part: std::ops::Range<usize>,
    settings: &DetectorSettings,
) -> Detection {
    let y: Vec<f64> = isotonic_increasing(&z[part.clone()], &[]).iter().map(|z| z.exp()).collect();
    let x = &position[part.clone()];
    // The level is the end of a concave fit above half height, so that a single high last point
    // counts little.
    let half = y.iter().position(|v| *v >= 0.5 * y[y.len() - 1]).unwrap_or(0);
    let raw: Vec<f64> = z[part.clone()].iter().map(|z| z.exp()).collect();
    let fit = concave_fit(&x[half..], &raw[half..], &vec![1.0; raw.len() - half]);
    let level = fit[fit.len() - 1];
    let reached = fit.iter().position(|v| *v >= settings.share() * level);
    let Some(reached) = reached.map(|i| part.start + half + i) else {
        return Detection::none("no level is reached");
    };
    let held = (curve.x()[part.end - 1] / curve.x()[reached]).log2();
    let last = part.end - 1 - reached;
    if last < 2 {
        return Detection::none("the curve still rises at its end");
    }
    let within = 100.0 * (1.0 - settings.share());
    let why = format!("the first within {within:.0} % of the plateau, held for {held:.1} octaves");
    Detection::at(curve, reached, why).with(LEVEL, level * largest)
}

/// First index from which values stay near their final level, if that is for long enough.
fn sustained_from(z: &[f64], x: &[f64], settings: &DetectorSettings) -> Option<usize> {
    let last = x[x.len() - 1];
    let tail = x.iter().position(|x| (last / x).log2() <= HELD_OCTAVES + 1e-9).unwrap_or(0);
    let level = median(&z[tail..]);
    // Regression of a falling sequence: that of a rising one, on the reversed values.
    let reversed: Vec<f64> = z.iter().rev().copied().collect();
    let falling: Vec<f64> = isotonic_increasing(&reversed, &[]).into_iter().rev().collect();
    let near = -(0.5 + 0.5 * settings.share()).ln();
    let at = falling.iter().position(|f| f - level <= near)?;
    // A level that is still falling has not settled.
    let steady = falling[tail] - falling[falling.len() - 1] <= 2.0 * near;
    ((last / x[at]).log2() >= HELD_OCTAVES - 0.1 && steady).then_some(at)
}

fn settled_knee(curve: &Curve, z: &[f64], fall: usize, at: usize) -> Detection {
    let hump = mean(&z[fall.saturating_sub(2)..fall]) - mean(&z[at..]);
    let why = format!("settled behind a cache hump {:.2} times as high", hump.exp());
    Detection::at(curve, at, why).with(LEVEL, median(&curve.y()[at..])).with("hump", hump.exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(y: &[f64]) -> Curve {
        let x: Vec<f64> = (0..y.len()).map(|i| 1000.0 * 2f64.powf(i as f64)).collect();
        Curve::new(&x, y).expect("a curve")
    }

    #[test]
    fn the_level_is_the_one_that_is_held() {
        let y = [1.0, 2.0, 4.0, 7.0, 9.5, 10.0, 10.0, 10.0, 10.0];
        let found = detect(&curve(&y), &DetectorSettings::default());
        assert_eq!(found.knee.expect("a knee").index, 4);
        assert!(found.why.starts_with("the first within 10 % of the plateau"), "{}", found.why);
        let level = found.facts.iter().find(|(name, _)| name == LEVEL).expect("a level").1;
        assert!((level - 10.0).abs() < 0.1, "in the curve's own unit: {level}");
    }

    #[test]
    fn behind_a_long_fall_the_lower_level_counts_and_behind_a_short_one_the_higher() {
        let hump = [1.0, 4.0, 8.0, 12.0, 12.0, 12.0, 8.0, 5.0, 5.0, 5.0, 5.0, 5.0];
        let found = detect(&curve(&hump), &DetectorSettings::default());
        assert_eq!(found.knee.expect("a knee").index, 7);
        let short = detect(&curve(&hump[..9]), &DetectorSettings::default());
        assert_eq!(short.knee.expect("a knee").index, 3);
    }

    #[test]
    fn a_curve_that_rises_to_its_end_has_no_plateau() {
        let found = detect(&curve(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), &DetectorSettings::default());
        assert!(found.knee.is_none());
    }
}
