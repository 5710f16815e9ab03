//! Prepares the curve for every detector. Throughput over the logarithm of size is S-shaped, and
//! detectors of concave knees would answer with its foot. The curve is therefore
//!
//! 1. sorted and merged (as a [`Curve`] always is), and thinned to a hundred bins if it has more
//!    points;
//! 2. measured for noise: its own spread, or how much points differ from their neighbours;
//! 3. held at the first lasting fall (see [`first_fall`]): a regression, or the far side of a cache
//!    hump, is replaced by the level before it;
//! 4. cut before its steepest rise, found with local lines whose width depends on the noise;
//! 5. smoothed by the nearest rising concave curve that is level at its end; sizes that dip clearly
//!    below it (tiles may not divide them) are left out;
//! 6. cut to the surroundings of the end of the rise, with plateau and rise in a fixed proportion,
//!    so that the answer does not depend on the largest size.
//!
//! No saturation formula is fitted. Curves that fall or are convex are only smoothed.

use math::{isotonic_increasing, mad, mean, median, quantile, sorted, weighted_line};

use super::{
    concave::concave_fit,
    drops::first_fall,
    smoothing::{LocalLines, local_lines, residual_noise},
    thinning::thin,
};
use crate::{Curve, DetectorSettings, Direction, Shape};

/// The rise ends where the curve reaches this share of its level.
const RISEN: f64 = 0.9;

/// The steepest rise is searched, and the rise may be cut, up to this share of the level.
const MIDDLE: f64 = 0.6;

/// Length of the plateau that is kept, relative to the rise before it.
const PLATEAU_PER_RISE: f64 = 2.5;

/// Length of the rise that is kept, relative to the plateau after it.
const RISE_PER_PLATEAU: f64 = 0.75;

/// Points from the foot that are always kept.
const LEAST_KEPT: usize = 4;

/// A cut before the rise must leave this many points.
const LEAST_LEFT: usize = 7;

/// A curve that rises by less than this share is flat.
const LEAST_RISE: f64 = 0.05;

/// A bend must reduce the squared error by this many noise variances.
const EVIDENCE: f64 = 7.5;

/// Approximate degrees of freedom of a curve that rises and bends down.
const BENDING: usize = 4;

/// Residuals above this multiple of the noise count linearly.
const FAR: f64 = 2.0;

/// A point is a dip if it lies below the fit by this share and by more than the noise: such a size
/// fills its last tiles badly.
const DIP: f64 = 0.1;

/// Largest number of iterations that reweight dips.
const REWEIGHED: usize = 6;

/// Values below this share of the largest get equal weight, so that tiny values do not dominate.
const FLOOR: f64 = 0.05;

/// The part of a curve that is kept as its rise, in indices of the given curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// First point of the rise.
    pub from: usize,
    /// Last point of the rise.
    pub to: usize,
    /// First point of a lasting fall, if there is one.
    pub fall: Option<usize>,
}

/// A curve that is ready for detectors.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedCurve {
    /// From the steepest rise to the end of the rise, smoothed.
    pub rise: Curve,
    /// Original index of each point of `rise`.
    pub rise_at: Vec<usize>,
    /// The whole curve as measured, at most thinned.
    pub whole: Curve,
    /// Original index of each point of `whole`.
    pub whole_at: Vec<usize>,
    /// Relative noise that the smoothing used.
    pub noise: f64,
    /// The part that is kept as the rise.
    pub cut: Cut,
    /// Why the curve has no bend, if it is flat.
    pub flat: Option<String>,
}

/// Prepares a curve in the steps that the module documents. O(n + m³) for m points after thinning.
#[must_use]
pub fn prepare(curve: &Curve, settings: &DetectorSettings) -> PreparedCurve {
    let (curve, at) = thin(curve, settings);
    let position: Vec<f64> = curve.x().iter().map(|&x| settings.x_scale.position(x)).collect();
    let y = curve.y();
    let largest = y.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let z: Vec<f64> = y.iter().map(|y| (y / largest).max(1e-3).ln()).collect();
    let known = curve.spread().map_or(0.0, median);
    let noise = residual_noise(&position, &z).max(known);
    let all: Vec<usize> = (0..curve.len()).collect();
    if curve.len() < LEAST_KEPT || position.iter().any(|p| !p.is_finite()) {
        let cut = Cut { from: 0, to: at[at.len() - 1], fall: None };
        return assemble(&curve, &at, curve.clone(), &all, noise, cut);
    }
    let plain = (settings.direction, settings.shape) == (Direction::Increasing, Shape::Concave);
    if !plain {
        let smoothed = curve.with_y(smooth(&position, y, noise).value);
        let cut = Cut { from: 0, to: at[at.len() - 1], fall: None };
        return assemble(&curve, &at, smoothed, &all, noise, cut);
    }
    let fall = first_fall(&z, noise);
    let top = fall.unwrap_or(curve.len());
    // With many rounds, points are more precise than the fit; deviations from it are then real.
    let own = curve.precision().map_or(noise, |precision| precision.min(noise));
    let foot = foot(&position[..top], &y[..top], own);
    // A fall is a bend by itself, so the rise before it needs no evidence for another one.
    let doubt = if fall.is_some() { 0.0 } else { noise };
    let dip = DIP.max(3.0 * own);
    let (mut fit, around) = shaped(&position[foot..top], &y[foot..top], doubt, dip);
    let left = noise.min(around);
    fit.resize(curve.len() - foot, fit[top - foot - 1]);
    let flat = is_flat(&fit, left).then(|| what_is_flat(y, &fit, fall.map(|f| curve.x()[f]), left));
    if flat.is_some() {
        let level = mean(&fit);
        fit.fill(level);
    }
    // A size that dips below its neighbours must not become the knee.
    let dips = |i: &usize| *i < top && flat.is_none() && y[*i] < fit[*i - foot] * (1.0 - dip);
    let sound: Vec<usize> = (foot..curve.len()).filter(|i| !dips(i)).collect();
    let sound = if sound.len() < LEAST_KEPT { (foot..curve.len()).collect() } else { sound };
    let fit: Vec<f64> = sound.iter().map(|i| fit[i - foot]).collect();
    let position: Vec<f64> = sound.iter().map(|&i| position[i]).collect();
    let kept = around_the_end_of_the_rise(&position, &fit);
    let (from, to) = (sound[kept.start], sound[kept.end - 1]);
    let rise = curve.picked(&sound[kept.clone()]).with_y(fit[kept.clone()].to_vec());
    let cut = Cut { from: at[from], to: at[to], fall: fall.map(|f| at[f]) };
    PreparedCurve { flat, ..assemble(&curve, &at, rise, &sound[kept], noise, cut) }
}

fn assemble(
    curve: &Curve,
    at: &[usize],
    rise: Curve,
    kept: &[usize],
    noise: f64,
    cut: Cut,
) -> PreparedCurve {
    PreparedCurve {
        rise,
        rise_at: kept.iter().map(|&i| at[i]).collect(),
        whole: curve.clone(),
        whole_at: at.to_vec(),
        noise,
        cut,
        flat: None,
    }
}

/// Smooths with local lines; more noise makes them wider.
fn smooth(position: &[f64], y: &[f64], noise: f64) -> LocalLines {
    let span = position[position.len() - 1] - position[0];
    let step = span / (position.len() - 1) as f64;
    local_lines(position, y, step * (0.6 + 12.0 * noise.min(0.1)))
}

/// The steepest point of the rise, up to [`MIDDLE`] of the level.
fn foot(position: &[f64], y: &[f64], noise: f64) -> usize {
    let slope = smooth(position, y, noise).slope;
    let level = isotonic_increasing(y, &[]);
    let middle = level.partition_point(|l| *l <= MIDDLE * level[level.len() - 1]);
    let most = middle.saturating_sub(1).min(y.len().saturating_sub(LEAST_KEPT));
    let largest = slope[..=most].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    slope[..=most].iter().position(|&s| s >= largest).unwrap_or(0)
}

/// The nearest rising concave curve, and the noise around it. Points are weighted for noise
/// proportional to the level; dips count less. A straight line, if a bend explains no more than
/// noise would.
fn shaped(position: &[f64], y: &[f64], noise: f64, dip: f64) -> (Vec<f64>, f64) {
    let level = isotonic_increasing(y, &[]);
    let floor = FLOOR * level[level.len() - 1].abs().max(f64::MIN_POSITIVE);
    let scale: Vec<f64> = level.iter().map(|l| l.max(floor)).collect();
    let weights: Vec<f64> = scale.iter().map(|s| s.powi(-2)).collect();
    let fit = above_dips(position, y, &weights, dip);
    let Some(line) = weighted_line(position, y, &weights) else { return (fit, noise) };
    let root: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
    let away = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..y.len()).map(|i| root[i] * (y[i] - value(i))).collect()
    };
    let (from_fit, from_line) = (away(&|i| fit[i]), away(&|i| line.at(position[i])));
    // The noise around the fit may be small enough to prove a bend that the raw noise hides.
    let free = y.len().saturating_sub(BENDING).max(1) as f64;
    let both_signs: Vec<f64> = from_fit.iter().flat_map(|r| [*r, -*r]).collect();
    let around = mad(&both_signs) * (y.len() as f64 / free).sqrt();
    let noise = noise.min(around);
    let misfit = |away: &[f64]| away.iter().map(|r| huber(*r, noise)).sum::<f64>();
    let gained = misfit(&from_line) - misfit(&from_fit);
    if line.slope > 0.0 && gained < EVIDENCE * noise * noise {
        return (position.iter().map(|&p| line.at(p)).collect(), around);
    }
    (level_off(fit, y), around)
}

/// The nearest rising concave curve, with reweighted dips: a dip counts less the deeper it is
/// (Holland and Welsch 1977).
fn above_dips(position: &[f64], y: &[f64], weights: &[f64], dip: f64) -> Vec<f64> {
    let mut fit = concave_fit(position, y, weights);
    let mut dips = vec![false; y.len()];
    for _ in 0..REWEIGHED {
        let below: Vec<f64> =
            (0..y.len()).map(|i| weights[i].sqrt() * (fit[i] - y[i]) / dip).collect();
        let now: Vec<bool> = below.iter().map(|below| *below > 1.0).collect();
        if now == dips {
            break;
        }
        let discounted: Vec<f64> =
            weights.iter().zip(&below).map(|(w, below)| w / below.max(1.0).powi(2)).collect();
        fit = concave_fit(position, y, &discounted);
        dips = now;
    }
    fit
}

/// Huber's loss (1964): the square of a residual, but linear far outside the noise.
fn huber(residual: f64, noise: f64) -> f64 {
    let most = FAR * noise;
    let size = residual.abs();
    if size <= most { size * size } else { most * (2.0 * size - most) }
}

/// Caps the fit at the mean of the points after the rise, because noise at the end would bend it
/// up.
fn level_off(mut fit: Vec<f64>, y: &[f64]) -> Vec<f64> {
    let risen = fit.partition_point(|v| *v < RISEN * fit[fit.len() - 1]);
    let level = mean(&y[risen.min(y.len() - 1)..]);
    fit.iter_mut().for_each(|v| *v = v.min(level));
    fit
}

/// Whether the fit rises by no more than noise would.
fn is_flat(fit: &[f64], noise: f64) -> bool {
    let (first, last) = (fit[0], fit[fit.len() - 1]);
    last - first <= LEAST_RISE.max(2.0 * noise) * last.abs()
}

/// Why the curve has no bend: it is flat, falls before it has risen, or is too noisy.
fn what_is_flat(y: &[f64], fit: &[f64], fall: Option<f64>, noise: f64) -> String {
    let sorted = sorted(y);
    let (low, high) = (quantile(&sorted, 0.05), quantile(&sorted, 0.95));
    let range = (high - low) / high.abs().max(f64::MIN_POSITIVE);
    let risen = 100.0 * (fit[fit.len() - 1] - fit[0]) / fit[fit.len() - 1].abs();
    let noise_share = 100.0 * noise;
    if range <= LEAST_RISE.max(4.0 * noise.min(LEAST_RISE)) {
        return format!("the curve is flat: it stays within {:.0} %", (100.0 * range).max(1.0));
    }
    match fall {
        Some(x) => format!("the curve falls from {x} on, before it has risen by more than noise"),
        None => format!(
            "the curve rises by {risen:.0} %, which its noise of {noise_share:.0} % would make by itself"
        ),
    }
}

/// Indices to keep: the plateau is [`PLATEAU_PER_RISE`] times the rise; if less is there, the rise
/// is cut.
fn around_the_end_of_the_rise(position: &[f64], fit: &[f64]) -> std::ops::Range<usize> {
    let count = fit.len();
    let most = fit[count - 1];
    let risen = fit.partition_point(|v| *v < RISEN * most).min(count - 1);
    let middle = if risen == 0 {
        position[0]
    } else {
        let share = (RISEN * most - fit[risen - 1]) / (fit[risen] - fit[risen - 1]);
        position[risen - 1] + share * (position[risen] - position[risen - 1])
    };
    let end = middle + PLATEAU_PER_RISE * (middle - position[0]);
    let to = position.partition_point(|&p| p <= end + 1e-9).clamp(LEAST_KEPT.min(count), count);
    let start = middle - RISE_PER_PLATEAU * (position[to - 1] - middle);
    let lowest = fit.partition_point(|v| *v <= MIDDLE * most).saturating_sub(1);
    let from = position.partition_point(|&p| p < start - 1e-9).min(lowest);
    from.min(to.saturating_sub(LEAST_LEFT))..to
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octaves(n: u32, factor: f64) -> Vec<f64> {
        (0..n).map(|i| 1024.0 * factor.powi(i32::try_from(i).expect("small"))).collect()
    }

    #[test]
    fn the_foot_and_a_long_plateau_are_cut_away() {
        let x = octaves(24, 2.0);
        let y: Vec<f64> = x.iter().map(|x| x / (x + 1024.0 * 1024.0)).collect();
        let prepared = prepare(&Curve::new(&x, &y).expect("a curve"), &DetectorSettings::default());
        assert!((9..=11).contains(&prepared.cut.from), "{:?}", prepared.cut);
        assert!(prepared.cut.to < 23 && prepared.cut.to > 16, "{:?}", prepared.cut);
        assert_eq!(prepared.cut.fall, None);
    }

    #[test]
    fn what_was_reached_before_a_fall_is_held_behind_it() {
        let x = octaves(24, 2.0);
        let mut y: Vec<f64> = x.iter().map(|x| x / (x + 1024.0 * 1024.0)).collect();
        y[16..].iter_mut().for_each(|y| *y *= 0.7);
        let prepared = prepare(&Curve::new(&x, &y).expect("a curve"), &DetectorSettings::default());
        assert_eq!(prepared.cut.fall, Some(16));
        let behind = prepared.rise_at.iter().zip(prepared.rise.y()).filter(|(at, _)| **at >= 15);
        let levels: Vec<f64> = behind.map(|(_, y)| *y).collect();
        assert!(levels.len() > 2 && levels.iter().all(|l| (l - levels[0]).abs() < 1e-9));
        assert!(levels[0] > 0.9, "{levels:?}");
    }
}
