//! Levels of a curve that rises in steps, such as the latency of loads over the bytes they are
//! spread over: flat where a cache holds everything, steep between.

use crate::numeric::isotonic_increasing;

/// Rise between two points, as the exponent of a power of the size, from which they lie on a step
/// and not on a level. A cache that is left rises by its ratio to the next, threefold or more, over
/// two octaves; on a level the noise of a few percent stays below.
const STEEP: f64 = 0.25;

/// Levels that are closer than this ratio are one: a step of noise, or of address translation.
const DISTINCT: f64 = 1.2;

/// A level of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Position of its first point.
    pub first: usize,
    /// Position of its last point.
    pub last: usize,
    /// The median of its points.
    pub value: f64,
}

/// The levels of a curve `(x, y)` that rises with x, lowest first. x ascends, y is above 0. The
/// curve is made monotone first (its logarithm, by least squares), so that noise makes no levels; a
/// single point is a level where steps lie on both sides of it only at the end of the curve.
#[must_use]
pub fn levels(points: &[(f64, f64)]) -> Vec<Level> {
    let logs: Vec<f64> = points.iter().map(|(_, y)| y.ln()).collect();
    let rising = isotonic_increasing(&logs, &[]);
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in 0..points.len() {
        let flat = at > 0 && {
            let octaves = (points[at].0 / points[at - 1].0).ln();
            rising[at] - rising[at - 1] < STEEP * octaves
        };
        match runs.last_mut() {
            Some(run) if flat => run.1 = at,
            _ => runs.push((at, at)),
        }
    }
    let end = points.len().saturating_sub(1);
    runs.retain(|(first, last)| last > first || *first == 0 || *last == end);
    let middle = |(first, last): (usize, usize)| {
        let sorted = crate::numeric::sorted(&logs[first..=last]);
        crate::numeric::quantile(&sorted, 0.5).exp()
    };
    let mut found: Vec<Level> = Vec::new();
    for run in runs {
        let level = Level { first: run.0, last: run.1, value: middle(run) };
        match found.last_mut() {
            Some(before) if level.value < DISTINCT * before.value => {
                let all = (before.first, level.last);
                *before = Level { first: all.0, last: all.1, value: middle(all) };
            }
            _ => found.push(level),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{normal, seeded};

    /// Three caches and memory, with the shares of loads that miss each in a random cycle, and noise.
    fn latencies(steps_per_octave: u32, noise: f64, seed: u64) -> Vec<(f64, f64)> {
        let mut rng = seeded(seed, 0);
        let caches = [(32.0 * 1024.0, 1.4), (1024.0 * 1024.0, 4.2), (32.0 * 1048576.0, 14.0)];
        let count = 15 * steps_per_octave;
        (0..=count)
            .map(|step| {
                let bytes = 8192.0 * 2_f64.powf(f64::from(step) / f64::from(steps_per_octave));
                // What lies beyond a cache with room for `held` misses it more and more often, since
                // the least recently used line goes first: all of it from one and a half times on.
                let missed = |held: f64| ((bytes / held - 1.0) / 0.5).clamp(0.0, 1.0);
                let below = [caches[1].1, caches[2].1, 95.0];
                let base = caches
                    .iter()
                    .zip(below)
                    .fold(caches[0].1, |y, ((held, at), next)| y + missed(*held) * (next - at));
                (bytes, base * (noise * normal(&mut rng)).exp())
            })
            .collect()
    }

    #[test]
    fn three_caches_and_memory_are_found_within_one_step_under_noise() {
        for seed in 0..50 {
            for (steps, noise) in [(1, 0.02), (2, 0.0), (2, 0.03)] {
                let points = latencies(steps, noise, seed);
                let found = levels(&points);
                assert_eq!(found.len(), 4, "{steps} {noise} {seed}: {found:?}");
                let step = 2_f64.powf(1.0 / f64::from(steps)) * 1.001;
                for (level, held) in found.iter().zip([32.0, 1024.0, 32768.0]) {
                    let reach = points[level.last].0 / 1024.0;
                    assert!(
                        (held / step..=held * step).contains(&reach),
                        "{steps} {noise} {seed}: {reach} KiB of {held} KiB"
                    );
                }
                for (level, value) in found.iter().zip([1.4, 4.2, 14.0, 95.0]) {
                    assert!((level.value / value).ln().abs() < 0.12, "{level:?}");
                }
            }
        }
    }

    #[test]
    fn a_flat_curve_has_one_level_and_no_curve_none() {
        let flat: Vec<(f64, f64)> = (0..8).map(|i| (f64::from(1 << i), 3.0)).collect();
        assert_eq!(levels(&flat), [Level { first: 0, last: 7, value: 3.0000000000000004 }]);
        assert!(levels(&[]).is_empty());
    }

    #[test]
    fn points_on_a_step_belong_to_no_level() {
        let y = [1.0, 1.0, 1.0, 2.0, 4.0, 4.1, 4.0];
        let points: Vec<(f64, f64)> =
            y.iter().enumerate().map(|(i, y)| (f64::from(1 << i), *y)).collect();
        let found: Vec<_> = levels(&points).iter().map(|l| (l.first, l.last)).collect();
        assert_eq!(found, [(0, 2), (4, 6)]);
    }
}
