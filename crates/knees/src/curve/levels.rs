//! Finds the levels of a curve that changes in steps: throughput in each cache and in memory, or
//! the latency of loads over their working set. Each level is a saturation of its own.
//!
//! In logarithms of x and y, the curve is divided into flat and sloping stretches that minimise
//! misfit plus a price per stretch: the optimal partition of Jackson et al., *An algorithm for
//! optimal partitioning of data on an interval*, IEEE Signal Processing Letters 12, 2005. The price
//! is the Bayesian information criterion; the misfit is Huber's loss.

use math::{median, sorted, weighted_line};

/// A stretch is level if it changes by less than this share per octave of x.
const LEVEL: f64 = 0.1;

/// A change of at least this share per octave of x separates two levels. Leaving a cache costs a
/// factor of three or more over two octaves.
const STEEP: f64 = 0.2;

/// Fewest points of a level.
const LEAST: usize = 2;

/// Levels closer than this ratio are merged: noise or address translation causes smaller steps.
const DISTINCT: f64 = 1.2;

/// Bounds on the estimated noise, as a share. Neighbouring sizes always differ by about the lower
/// bound; on a short curve, the upper bound keeps steps from counting as noise.
const NOISE: (f64, f64) = (0.02, 0.08);

/// A point's misfit counts linearly above this multiple of the noise.
const OUTLYING: f64 = 2.5;

/// Largest number of points: the partition takes quadratic time.
const MOST: usize = 500;

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

/// Levels of a curve `(x, y)` that hold for at least `octaves` octaves of x, in the order of x; x
/// must ascend, and x and y must be positive. Empty for a curve of more than 500 points.
#[must_use]
pub fn levels(points: &[(f64, f64)], octaves: f64) -> Vec<Level> {
    if points.len() > MOST {
        return Vec::new();
    }
    let logs = Logarithms::of(points);
    let mut found: Vec<Level> = Vec::new();
    for (first, end) in logs.partition() {
        let last = end - 1;
        let wide = logs.x[last] - logs.x[first] >= octaves * 0.99;
        let gentle = logs.line(first, end).slope.abs() < LEVEL;
        if !(wide && gentle && end - first >= LEAST) {
            continue;
        }
        let level = logs.level(first, last);
        match found.last_mut() {
            Some(before) if !logs.is_step(before, &level) => {
                *before = logs.level(before.first, last);
            }
            _ => found.push(level),
        }
    }
    found
}

/// Index of the last point that belongs to each level: the curve is nearer to this level than to
/// the next one in logarithms, and less than twice as high. (A cache that serves half of the loads
/// holds half of the data.) After the last level, points must be nearer to the level than to its
/// double.
#[must_use]
pub fn reaches(points: &[(f64, f64)], levels: &[Level]) -> Vec<usize> {
    let reach = |(at, level): (usize, &Level)| {
        let far = |value: f64, at: usize| (points[at].1 / value).ln().abs();
        let Some(next) = levels.get(at + 1) else {
            let near = |at: &usize| far(level.value, *at) < std::f64::consts::LN_2 / 2.0;
            return (level.last..points.len()).take_while(near).last().unwrap_or(level.last);
        };
        // A point above the double belongs to a level in between that is too short to be found.
        let nearer = |at: &usize| {
            let own = far(level.value, *at);
            own < far(next.value, *at) && own < std::f64::consts::LN_2
        };
        (level.last..next.first).take_while(nearer).last().unwrap_or(level.last)
    };
    levels.iter().enumerate().map(reach).collect()
}

/// A curve in logarithms, with x in octaves, and its noise.
struct Logarithms {
    x: Vec<f64>,
    y: Vec<f64>,
    noise: f64,
}

/// A line fitted to a stretch: its slope, and each point's residual.
struct Line {
    slope: f64,
    missed: Vec<f64>,
}

impl Logarithms {
    fn of(points: &[(f64, f64)]) -> Self {
        let x: Vec<f64> = points.iter().map(|(x, _)| x.log2()).collect();
        let y: Vec<f64> = points.iter().map(|(_, y)| y.ln()).collect();
        let noise = noise(&x, &y).clamp(NOISE.0, NOISE.1);
        Self { x, y, noise }
    }

    /// The cheapest partition into stretches, as half-open index ranges.
    fn partition(&self) -> Vec<(usize, usize)> {
        let count = self.x.len();
        let price = (count.max(3) as f64).ln();
        let mut costs = vec![0.0; count + 1];
        let mut starts = vec![0; count + 1];
        for end in 1..=count {
            let cost = |start: usize| -> f64 {
                let middle = median(&self.y[start..end]);
                let flat = self.misfit(self.y[start..end].iter().map(|y| y - middle));
                let sloping = self.misfit(self.line(start, end).missed.into_iter());
                // A level has two parameters, height and end; a line also has a slope.
                let stretch = (flat + 2.0 * price).min(sloping + 3.0 * price);
                costs[start] + stretch
            };
            let all = (0..end).map(|start| (start, cost(start)));
            let best = all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
            (starts[end], costs[end]) = best;
        }
        let mut stretches = Vec::new();
        let mut end = count;
        while end > 0 {
            stretches.push((starts[end], end));
            end = starts[end];
        }
        stretches.reverse();
        stretches
    }

    fn line(&self, start: usize, end: usize) -> Line {
        let (x, y) = (&self.x[start..end], &self.y[start..end]);
        let fitted = weighted_line(x, y, &vec![1.0; x.len()]);
        let (slope, at_zero) = fitted.map_or((0.0, y[0]), |line| (line.slope, line.intercept));
        let missed = x.iter().zip(y).map(|(x, y)| y - at_zero - slope * x).collect();
        Line { slope, missed }
    }

    fn misfit(&self, missed: impl Iterator<Item = f64>) -> f64 {
        let loss = |missed: f64| {
            let times = missed.abs() / self.noise;
            if times < OUTLYING { times * times } else { OUTLYING * (2.0 * times - OUTLYING) }
        };
        missed.map(loss).sum()
    }

    fn level(&self, first: usize, last: usize) -> Level {
        Level { first, last, value: median(&self.y[first..=last]).exp() }
    }

    fn is_step(&self, before: &Level, after: &Level) -> bool {
        let rise = (after.value / before.value).ln().abs();
        rise >= DISTINCT.ln() && rise / (self.x[after.first] - self.x[before.last]) >= STEEP
    }
}

/// Noise of y: each point's distance from the line through its neighbours. The median ignores the
/// steps, where distances are larger.
fn noise(x: &[f64], y: &[f64]) -> f64 {
    let differences = (1..x.len().saturating_sub(1)).map(|at| {
        let near = (x[at] - x[at - 1]) / (x[at + 1] - x[at - 1]);
        let between = y[at - 1] * (1.0 - near) + y[at + 1] * near;
        (y[at] - between).abs() / (1.0 + near * near + (1.0 - near) * (1.0 - near)).sqrt()
    });
    let differences = sorted(&differences.collect::<Vec<_>>());
    if differences.is_empty() { 0.0 } else { 1.4826 * median(&differences) }
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;

    /// Latencies of three caches and memory, for the share of loads in a random cycle that miss
    /// each cache.
    fn latencies(steps_per_octave: u32, noise: f64, seed: u64) -> Vec<(f64, f64)> {
        let mut rng = seeded(seed, 0);
        let caches = [(32.0 * 1024.0, 1.4), (1024.0 * 1024.0, 4.2), (32.0 * 1048576.0, 14.0)];
        let count = 15 * steps_per_octave;
        (0..=count)
            .map(|step| {
                let bytes = 8192.0 * 2_f64.powf(f64::from(step) / f64::from(steps_per_octave));
                // In a cache with room for `held` that replaces the least recently used line,
                // misses grow with the working set: all loads miss from 1.5 times `held` on.
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
                let found = levels(&points, 1.5);
                assert_eq!(found.len(), 4, "{steps} {noise} {seed}: {found:?}");
                let step = 2_f64.powf(1.0 / f64::from(steps)) * 1.001;
                for (last, held) in reaches(&points, &found).iter().zip([32.0, 1024.0, 32768.0]) {
                    let reach = points[*last].0 / 1024.0;
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
        assert_eq!(levels(&flat, 1.5), [Level { first: 0, last: 7, value: 3.0000000000000004 }]);
        assert!(levels(&[], 1.5).is_empty());
    }

    #[test]
    fn a_level_reaches_half_the_way_to_the_next() {
        let y = [1.0, 1.0, 1.1, 1.6, 2.5, 4.0, 4.0, 4.1];
        let points: Vec<(f64, f64)> =
            y.iter().enumerate().map(|(i, y)| (f64::from(1 << i), *y)).collect();
        let level = |first, last, value| Level { first, last, value };
        let found = [level(0, 2, 1.0), level(5, 7, 4.0)];
        assert_eq!(reaches(&points, &found), [3, 7]);
        assert_eq!(reaches(&points, &found[..1]), [2]);
        let gentle = [level(0, 1, 1.2)];
        assert_eq!(reaches(&points, &gentle), [3], "1.6 is less than the half to 2.4");
        assert!(reaches(&points, &[]).is_empty());
    }

    #[test]
    fn points_on_a_step_belong_to_no_level() {
        let y = [1.0, 1.0, 1.0, 2.0, 4.0, 4.1, 4.0];
        let points: Vec<(f64, f64)> =
            y.iter().enumerate().map(|(i, y)| (f64::from(1 << i), *y)).collect();
        let found: Vec<_> = levels(&points, 1.5).iter().map(|l| (l.first, l.last)).collect();
        assert_eq!(found, [(0, 2), (4, 6)]);
    }

    /// Throughput that saturates. If `falls`, it then falls to a lower level, as on leaving a
    /// cache.
    fn throughputs(falls: bool, noise: f64, seed: u64) -> Vec<(f64, f64)> {
        let mut rng = seeded(seed, 0);
        let of = |step: i32, rng: &mut _| {
            let size = 4096.0 * 1.5_f64.powi(step);
            let left = if falls { ((size - 1e6) / 1.5e6).clamp(0.0, 1.0) } else { 0.0 };
            let rate = 100.0 * size / (size + 2e4) * (1.0 - left) + 30.0 * left;
            (size, rate * (noise * normal(rng)).exp())
        };
        (0..24).map(|step| of(step, &mut rng)).collect()
    }

    #[test]
    fn a_curve_that_saturates_once_has_one_level_and_one_with_a_cache_two() {
        let count = |falls, noise, wanted: &[f64]| {
            let right = |seed: &u64| {
                let found = levels(&throughputs(falls, noise, *seed), 1.5);
                let near = |(level, value): (&Level, &f64)| (level.value / value).ln().abs() < 0.15;
                found.len() == wanted.len() && found.iter().zip(wanted).all(near)
            };
            (0..100).filter(right).count()
        };
        for (noise, least) in [(0.0, 100), (0.02, 95), (0.05, 90)] {
            let right = count(false, noise, &[100.0]);
            assert!(right >= least, "{noise}: {right}");
        }
        for (noise, least) in [(0.0, 100), (0.02, 85), (0.05, 75)] {
            let right = count(true, noise, &[94.0, 30.0]);
            assert!(right >= least, "{noise}: {right}");
        }
    }
}
