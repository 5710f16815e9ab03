//! Confirms a knee while the curve is still being measured, which decides whether growth may stop.

use math::weighted_line;

use super::find::locate;
use crate::{Curve, Detector, DetectorSettings, Knee, Preparation};

/// A curve that rises by more than this share per octave of work is still climbing.
const STILL_CLIMBING: f64 = 0.045;
/// While sizes grow, the limit is a fifth lower: the final curve has more sizes and other rounds,
/// and noise must not make it look climbing again.
const LEVEL_ENOUGH: f64 = 0.036;

/// The slope at the end of a curve is fitted over this many octaves of work.
const LAST_OCTAVES: f64 = 3.5;

/// Conditions for confirming a knee.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confirmation {
    /// The curve needs at least this many points.
    pub least_points: usize,
    /// A run at the largest size must take at least this many seconds.
    pub least_run_time: f64,
    /// So many larger sizes must leave the knee in place, within one step.
    pub further_sizes: usize,
    /// Work grows as the size to this power: 1 for a vector, 2 for the rows of a matrix.
    pub work_exponent: f64,
}

impl Confirmation {
    /// The conditions, read from the settings' knobs.
    #[must_use]
    pub fn of(settings: &DetectorSettings) -> Self {
        let number =
            |name: &str| usize::try_from(settings.knobs.integer(name)).unwrap_or(usize::MAX);
        Self {
            least_points: number("least_points"),
            further_sizes: number("confirming_sizes"),
            ..Self::default()
        }
    }
}

impl Default for Confirmation {
    fn default() -> Self {
        Self { least_points: 5, least_run_time: 1e-3, further_sizes: 3, work_exponent: 1.0 }
    }
}

/// The knee of the sizes measured so far, if it is confirmed. `last_run_time` is the largest size's
/// run time in seconds. The function keeps no state: it searches again the curves without the last
/// sizes.
#[must_use]
pub fn confirm(
    detector: &Detector,
    curve: &Curve,
    last_run_time: f64,
    confirmation: &Confirmation,
    settings: &DetectorSettings,
    preparation: Preparation,
) -> Option<Knee> {
    let n = curve.len();
    let further = confirmation.further_sizes;
    if n < confirmation.least_points + further || last_run_time < confirmation.least_run_time {
        return None;
    }
    let knee_of = |points: usize| {
        locate(detector, &curve.picked(&(0..points).collect::<Vec<_>>()), settings, preparation)
            .knee
    };
    let now = knee_of(n)?;
    let near = |knee: Knee| knee.index.abs_diff(now.index) <= 1;
    let stands = now.index + further < n
        && climbs(curve, confirmation.work_exponent) <= LEVEL_ENOUGH
        && (n - further..n).all(|points| knee_of(points).is_some_and(near));
    stands.then_some(now)
}

/// Whether the curve is nearly level over its last octaves. Otherwise its knee may only belong to
/// its beginning.
#[must_use]
pub fn has_levelled_off(curve: &Curve, work_exponent: f64) -> bool {
    climbs(curve, work_exponent) <= STILL_CLIMBING
}

/// Slope of ln y per octave of work over the last octaves, from a fitted line. Each point is
/// weighted by the octaves around it, so that the denser sizes near the knee do not dominate.
fn climbs(curve: &Curve, work_exponent: f64) -> f64 {
    let (x, y) = (curve.x(), curve.y());
    let last = x.len() - 1;
    if x[0] <= 0.0 || y[last] <= 0.0 {
        return 0.0;
    }
    let from = x
        .partition_point(|at| work_exponent * (x[last] / at).log2() > LAST_OCTAVES)
        .min(last.saturating_sub(2));
    let position: Vec<f64> = x[from..].iter().map(|x| x.log2()).collect();
    let z: Vec<f64> = y[from..].iter().map(|y| y.max(f64::MIN_POSITIVE).ln()).collect();
    let line = weighted_line(&position, &z, &widths(&position));
    line.map_or(0.0, |line| line.slope / work_exponent)
}

/// For each position, half of the distance between its neighbours.
fn widths(position: &[f64]) -> Vec<f64> {
    let gap = |at: usize| position.get(at + 1).map_or(0.0, |next| next - position[at]);
    (0..position.len()).map(|at| at.checked_sub(1).map_or(0.0, gap).midpoint(gap(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DETECTORS;

    fn decide(points: usize, run_time: f64) -> bool {
        let x: Vec<f64> = (0..points).map(|i| 1e3 * 1.5f64.powi(i as i32)).collect();
        let y: Vec<f64> = x.iter().map(|x| x / (x + 1e5)).collect();
        let curve = Curve::new(&x, &y).expect("a curve");
        let triangle = DETECTORS.find("triangle").expect("registered");
        let confirmation = Confirmation::default();
        let (settings, prepared) = (DetectorSettings::default(), Preparation::Prepared);
        confirm(triangle, &curve, run_time, &confirmation, &settings, prepared).is_some()
    }

    #[test]
    fn growth_goes_on_until_the_knee_has_stood_still() {
        assert!(!decide(4, 1.0) && !decide(12, 1.0));
        assert!(decide(34, 1.0));
    }

    #[test]
    fn sizes_around_the_knee_do_not_make_a_curve_climb() {
        let curve = |x: &[f64]| {
            let y: Vec<f64> = x.iter().map(|x| x / (x + 3e4)).collect();
            Curve::new(x, &y).expect("a curve")
        };
        let mut x: Vec<f64> = (0..19).map(|i| 1e3 * 1.5f64.powi(i)).collect();
        let grown = climbs(&curve(&x), 1.0);
        x.extend([2.1e5, 2.2e5, 2.3e5, 2.4e5, 2.5e5, 2.6e5]);
        x.sort_by(f64::total_cmp);
        let refined = climbs(&curve(&x), 1.0);
        assert!((refined / grown - 1.0).abs() < 0.05, "{grown} {refined}");
    }

    #[test]
    fn octaves_are_counted_in_work() {
        let x: Vec<f64> = (0..18).map(|i| 32.0 * 1.5f64.powi(i)).collect();
        let y: Vec<f64> = x.iter().map(|n| n.powf(0.06 / std::f64::consts::LN_2)).collect();
        let curve = Curve::new(&x, &y).expect("a curve");
        assert!(!has_levelled_off(&curve, 1.0), "6 % per octave of work still climb");
        assert!(has_levelled_off(&curve, 2.0), "3 % per octave of work do not");
    }

    #[test]
    fn short_run_times_are_never_accepted() {
        assert!(!decide(34, 1e-4));
    }
}
