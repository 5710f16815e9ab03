//! Bootstrap of a knee: redraws samples if the curve has them, otherwise noise from its spread.

use math::{Rng, median, median_of, normal, resample_into, seeded};

use crate::{
    Curve, DetectorSettings, Knee,
    curve::smoothing::{local_lines, residual_noise},
};

/// Knees of `settings.resamples` redrawn curves, as indices.
pub(crate) fn redrawn_knees(
    curve: &Curve,
    settings: &DetectorSettings,
    knee_of: impl Fn(&Curve) -> Option<Knee>,
) -> Vec<Option<usize>> {
    let redraw = Redraw::of(curve, settings);
    let mut rng = seeded(settings.seed, 0x0001_47E2);
    let index = |drawn: Curve| knee_of(&drawn).map(|knee| knee.index);
    (0..settings.resamples).map(|_| index(redraw.draw(curve, &mut rng))).collect()
}

/// Indices of the first and last point of the knees' percentile interval, rounded outwards; `None`
/// if most curves have no knee.
pub(crate) fn steps_between(knees: &[Option<usize>], confidence: f64) -> Option<(usize, usize)> {
    let asked = knees.len();
    let mut found: Vec<usize> = knees.iter().flatten().copied().collect();
    if found.is_empty() || 2 * found.len() < asked {
        return None;
    }
    found.sort_unstable();
    let tail = (1.0 - confidence) / 2.0;
    let last = (found.len() - 1) as f64;
    let (low, high) = ((tail * last).floor(), ((1.0 - tail) * last).ceil());
    Some((found[low as usize], found[high as usize]))
}

enum Redraw {
    /// Every point's samples are resampled; the values are the medians of all its samples.
    Samples(Vec<f64>),
    /// Noise is added to these values, with these standard deviations.
    Noise(Vec<f64>, Vec<f64>),
}

impl Redraw {
    fn of(curve: &Curve, settings: &DetectorSettings) -> Self {
        if let Some(samples) = curve.samples().filter(|s| s.iter().all(|s| s.len() > 1)) {
            return Self::Samples(samples.iter().map(|s| median(s)).collect());
        }
        if let Some(spread) = curve.spread() {
            let scale = curve.y().iter().zip(spread).map(|(y, s)| (y * s).abs()).collect();
            return Self::Noise(curve.y().to_vec(), scale);
        }
        // The values already contain the noise that was estimated from them, so draw around a
        // smoothed curve.
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

    fn draw(&self, curve: &Curve, rng: &mut Rng) -> Curve {
        let y = match self {
            Self::Samples(middle) => {
                let samples = curve.samples().unwrap_or_default();
                let mut drawn = Vec::new();
                (curve.y().iter().zip(samples).zip(middle))
                    .map(|((y, samples), middle)| {
                        resample_into(rng, samples, &mut drawn);
                        y + (median_of(&mut drawn) - middle)
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

fn narrow(position: &[f64], y: &[f64]) -> Vec<f64> {
    let last = position.len() - 1;
    if last == 0 || position.iter().any(|p| !p.is_finite()) {
        return y.to_vec();
    }
    local_lines(position, y, 0.6 * (position[last] - position[0]) / last as f64).value
}
