//! Bootstrap of a knee: redraws samples, or else noise by each point's spread or the curve's own.

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

/// The confidence at which percentiles of redrawn knees are read so that an interval has `confidence`, where what was drawn
/// are as few blocks: their spread is underestimated by √((n − 1)/n), and known as well as Student says (Hesterberg 2015).
pub(crate) fn of_few(confidence: f64, blocks: usize) -> f64 {
    use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};
    let count = blocks as f64;
    let Ok(student) = StudentsT::new(0.0, 1.0, count - 1.0) else { return confidence };
    let half = student.inverse_cdf(f64::midpoint(1.0, confidence)) * (count / (count - 1.0)).sqrt();
    2.0 * Normal::standard().cdf(half) - 1.0
}

/// First and last point of the knees' percentile interval, rounded outwards; `None` if most miss.
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
    /// Every point's samples are resampled; these are their medians.
    Samples(Vec<f64>),
    /// Noise around these values, with these standard deviations.
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
        // Noise estimated from the curve is in its values already: draw around a smoothed curve.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_few_blocks_are_wider_and_those_of_many_are_not() {
        // t = 2.365 of seven degrees, times √(8/7): 2.528 standard errors.
        assert!((of_few(0.95, 8) - 0.9885).abs() < 2e-4, "{}", of_few(0.95, 8));
        assert!((of_few(0.95, 10_000) - 0.95).abs() < 1e-3);
        assert!((of_few(0.95, 1) - 0.95).abs() < 1e-12);
        let knees: Vec<Option<usize>> = (0..200).map(|at| Some(at / 2)).collect();
        let (usual, few) = (steps_between(&knees, 0.95), steps_between(&knees, of_few(0.95, 8)));
        assert_eq!((usual, few), (Some((2, 97)), Some((0, 99))));
    }
}
