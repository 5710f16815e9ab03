//! How far a knee moves when its curve is drawn again: a bootstrap over samples where they are
//! kept, over the spread of each point or the noise of the curve where they are not.

use super::smoothing::{local_lines, residual_noise};
use super::{Curve, Settings};
use crate::numeric::{SeededRng, median, normal, quantile, resample_into, seeded, sorted};

/// The percentile interval of a knee's x over redrawn curves; `None` when most of them have no
/// knee or none are wanted.
pub(crate) fn interval(
    curve: &Curve,
    settings: &Settings,
    knee_of: impl Fn(&Curve) -> Option<f64>,
) -> Option<(f64, f64)> {
    if settings.resamples == 0 {
        return None;
    }
    let redraw = Redraw::of(curve, settings);
    let mut rng = seeded(settings.seed, 0x0001_47E2);
    let knees: Vec<f64> =
        (0..settings.resamples).filter_map(|_| knee_of(&redraw.draw(curve, &mut rng))).collect();
    if knees.len() * 2 < settings.resamples {
        return None;
    }
    let knees = sorted(&knees);
    let tail = (1.0 - settings.confidence) / 2.0;
    Some((quantile(&knees, tail), quantile(&knees, 1.0 - tail)))
}

/// Where other curves of the same kind come from.
enum Redraw {
    /// Every point's samples are drawn again; the second is the median of each.
    Samples(Vec<f64>),
    /// Noise of the given standard deviation around the given values.
    Noise(Vec<f64>, Vec<f64>),
}

impl Redraw {
    fn of(curve: &Curve, settings: &Settings) -> Self {
        if let Some(samples) = curve.samples().filter(|s| s.iter().all(|s| s.len() > 1)) {
            return Self::Samples(samples.iter().map(|s| median(s)).collect());
        }
        if let Some(spread) = curve.spread() {
            let scale = curve.y().iter().zip(spread).map(|(y, s)| (y * s).abs()).collect();
            return Self::Noise(curve.y().to_vec(), scale);
        }
        // Noise that is estimated from the curve is in it already: draw around a smoothed one.
        let position: Vec<f64> = curve.x().iter().map(|&x| settings.x_scale.position(x)).collect();
        let positive = curve.y().iter().all(|y| *y > 0.0);
        if positive {
            let z: Vec<f64> = curve.y().iter().map(|y| y.ln()).collect();
            let noise = residual_noise(&position, &z);
            let level = narrow(&position, curve.y());
            let scale = level.iter().map(|y| y.abs() * noise).collect();
            Self::Noise(level, scale)
        } else {
            let noise = residual_noise(&position, curve.y());
            Self::Noise(narrow(&position, curve.y()), vec![noise; curve.len()])
        }
    }

    fn draw(&self, curve: &Curve, rng: &mut SeededRng) -> Curve {
        let y = match self {
            Self::Samples(middle) => {
                let samples = curve.samples().unwrap_or_default();
                let mut drawn = Vec::new();
                (curve.y().iter().zip(samples).zip(middle))
                    .map(|((y, samples), middle)| {
                        resample_into(rng, samples, &mut drawn);
                        y + (median(&drawn) - middle)
                    })
                    .collect()
            }
            Self::Noise(level, scale) => {
                level.iter().zip(scale).map(|(y, s)| y + s * normal(rng)).collect()
            }
        };
        curve.with_y(y)
    }
}

/// Local lines over about one step on either side.
fn narrow(position: &[f64], y: &[f64]) -> Vec<f64> {
    let last = position.len() - 1;
    if last == 0 || position.iter().any(|p| !p.is_finite()) {
        return y.to_vec();
    }
    local_lines(position, y, 0.6 * (position[last] - position[0]) / last as f64).value
}
