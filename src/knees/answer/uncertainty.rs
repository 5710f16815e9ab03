//! How far a knee moves when its curve is drawn again: a bootstrap over samples where they are
//! kept, over the spread of each point or the noise of the curve where they are not.

use crate::{
    knees::{
        Curve, Knee, Settings,
        curve::smoothing::{local_lines, residual_noise},
    },
    numeric::{Rng, median, normal, resample_into, seeded},
};

/// The knees of curves that are drawn again, by index; none are drawn where none are wanted.
pub(crate) fn redrawn_knees(
    curve: &Curve,
    settings: &Settings,
    knee_of: impl Fn(&Curve) -> Option<Knee>,
) -> Vec<Option<usize>> {
    let redraw = Redraw::of(curve, settings);
    let mut rng = seeded(settings.seed, 0x0001_47E2);
    let index = |drawn: Curve| knee_of(&drawn).map(|knee| knee.index);
    (0..settings.resamples).map(|_| index(redraw.draw(curve, &mut rng))).collect()
}

/// The first and the last point of the percentile interval of knees; none when most of them are
/// missing. The ends are points of the curve, outwards where a rank lies between two.
pub(crate) fn steps_between(knees: Vec<Option<usize>>, confidence: f64) -> Option<(usize, usize)> {
    let asked = knees.len();
    let mut found: Vec<usize> = knees.into_iter().flatten().collect();
    if found.is_empty() || 2 * found.len() < asked {
        return None;
    }
    found.sort_unstable();
    let tail = (1.0 - confidence) / 2.0;
    let last = (found.len() - 1) as f64;
    let (low, high) = ((tail * last).floor(), ((1.0 - tail) * last).ceil());
    Some((found[low as usize], found[high as usize]))
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

    fn draw(&self, curve: &Curve, rng: &mut Rng) -> Curve {
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
