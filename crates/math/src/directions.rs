//! Evenly spread directions from the origin: points whose coordinates are ≥ 0 and sum to 1.

use rand::RngExt;

use super::Rng;

/// Most steps of a descent; it settles long before.
const STEPS: usize = 1_000;
/// A descent ends when its step is shorter than this.
const SHORTEST: f64 = 1e-6;
/// Length of the first step: how far the point with the strongest push moves.
const FIRST: f64 = 0.1;

/// All directions whose coordinates are multiples of 1 / `partitions`, in lexicographic order.
/// There are `C(figures + partitions − 1, partitions)`. Das and Dennis, Normal-Boundary
/// Intersection (1998).
#[must_use]
pub fn das_dennis(figures: usize, partitions: usize) -> Vec<Vec<f64>> {
    fn extend(begun: &mut Vec<usize>, left: usize, figures: usize, found: &mut Vec<Vec<usize>>) {
        if begun.len() + 1 == figures {
            found.push([&begun[..], &[left]].concat());
            return;
        }
        for parts in 0..=left {
            begun.push(parts);
            extend(begun, left - parts, figures, found);
            begun.pop();
        }
    }
    let mut found = Vec::new();
    if figures > 0 {
        extend(&mut Vec::new(), partitions, figures, &mut found);
    }
    let whole = partitions.max(1) as f64;
    let share = |parts: Vec<usize>| parts.into_iter().map(|part| part as f64 / whole).collect();
    found.into_iter().map(share).collect()
}

/// `count` directions that push each other apart, the coordinate axes among them: a local minimum
/// of the Riesz energy `Σ |a − b|^−s` with `s` = figures². Blank, Deb, Dhebar, Bandaru and Seada,
/// Generating Well-Spaced Points on a Unit Simplex (2021). O(count²) per step.
#[must_use]
pub fn riesz_energy(figures: usize, count: usize, rng: &mut Rng) -> Vec<Vec<f64>> {
    let axis = |at: usize| (0..figures).map(|i| f64::from(u8::from(i == at))).collect();
    let mut points: Vec<Vec<f64>> = (0..figures.min(count)).map(axis).collect();
    if figures < 2 {
        return points;
    }
    let fixed = points.len();
    points.extend((fixed..count).map(|_| uniform(figures, rng)));
    let (mut energy, mut pushes) = log_energy(&points);
    let mut step = FIRST;
    for _ in 0..STEPS {
        let moved = moved(&points, &pushes, fixed, step);
        let (lower, new) = log_energy(&moved);
        if lower < energy {
            (points, energy, pushes) = (moved, lower, new);
            step *= 1.2;
        } else {
            step /= 2.0;
        }
        if step < SHORTEST {
            break;
        }
    }
    points
}

/// A uniformly distributed direction: exponential variables divided by their sum.
fn uniform(figures: usize, rng: &mut Rng) -> Vec<f64> {
    let draws: Vec<f64> = (0..figures).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect();
    onto_simplex(draws)
}

fn onto_simplex(point: Vec<f64>) -> Vec<f64> {
    let sum: f64 = point.iter().map(|x| x.max(0.0)).sum();
    let whole = if sum > 0.0 { sum } else { 1.0 };
    point.into_iter().map(|x| x.max(0.0) / whole).collect()
}

/// Logarithm of the energy, and for every point the direction in which the energy falls.
fn log_energy(points: &[Vec<f64>]) -> (f64, Vec<Vec<f64>>) {
    let figures = points.first().map_or(0, Vec::len);
    let s = (figures * figures) as f64;
    let mut pairs = Vec::new();
    for (a, point) in points.iter().enumerate() {
        for (b, other) in points.iter().enumerate().skip(a + 1) {
            let squared: f64 = point.iter().zip(other).map(|(x, y)| (x - y).powi(2)).sum();
            pairs.push((a, b, squared.max(1e-24)));
        }
    }
    // Energies are relative to that of the nearest pair, so that nothing overflows.
    let nearest = pairs.iter().map(|pair| pair.2).fold(f64::INFINITY, f64::min);
    let mut pushes = vec![vec![0.0; figures]; points.len()];
    let mut sum = 0.0;
    for (a, b, squared) in pairs {
        let energy = (nearest / squared).powf(s / 2.0);
        sum += energy;
        for i in 0..figures {
            let push = energy / squared * (points[a][i] - points[b][i]);
            pushes[a][i] += push;
            pushes[b][i] -= push;
        }
    }
    (sum.ln() - s / 2.0 * nearest.ln(), pushes)
}

/// Moves the points by their pushes within the simplex. The longest push has length `step`; the
/// first `fixed` points stay where they are.
fn moved(points: &[Vec<f64>], pushes: &[Vec<f64>], fixed: usize, step: f64) -> Vec<Vec<f64>> {
    let level = |push: &Vec<f64>| -> Vec<f64> {
        let mean = push.iter().sum::<f64>() / push.len() as f64;
        push.iter().map(|p| p - mean).collect()
    };
    let pushes: Vec<Vec<f64>> = pushes.iter().map(level).collect();
    let length = |push: &Vec<f64>| push.iter().map(|p| p * p).sum::<f64>().sqrt();
    let longest = pushes.iter().skip(fixed).map(length).fold(f64::MIN_POSITIVE, f64::max);
    let pushed = |(at, (point, push)): (usize, (&Vec<f64>, &Vec<f64>))| {
        if at < fixed {
            return point.clone();
        }
        onto_simplex(point.iter().zip(push).map(|(x, p)| x + step * p / longest).collect())
    };
    points.iter().zip(&pushes).enumerate().map(pushed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded;

    fn shortest(points: &[Vec<f64>]) -> f64 {
        let apart = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
        };
        let pairs = (0..points.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| apart(&points[a], &points[b])).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn das_dennis_is_the_lattice_of_the_simplex() {
        // pymoo 0.6.2: get_reference_directions("das-dennis", 3, n_partitions=2).
        let expected = [
            [0.0, 0.0, 1.0],
            [0.0, 0.5, 0.5],
            [0.0, 1.0, 0.0],
            [0.5, 0.0, 0.5],
            [0.5, 0.5, 0.0],
            [1.0, 0.0, 0.0],
        ];
        assert_eq!(das_dennis(3, 2), expected.map(|p| p.to_vec()));
        assert_eq!(das_dennis(1, 5), [[1.0]]);
        assert_eq!(das_dennis(4, 5).len(), 56);
        assert!(das_dennis(0, 3).is_empty());
    }

    #[test]
    fn riesz_directions_lie_on_the_simplex_with_its_corners_and_keep_apart() {
        for (figures, count) in [(2, 20), (3, 20), (3, 15), (5, 12)] {
            let points = riesz_energy(figures, count, &mut seeded(3, 0));
            assert_eq!(points.len(), count);
            for point in &points {
                assert!((point.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(point.iter().all(|x| *x >= 0.0));
            }
            for axis in 0..figures {
                assert!(points.iter().any(|point| (point[axis] - 1.0).abs() < 1e-12));
            }
        }
        // In two dimensions the best spread is even: √2 / 19 apart.
        let line = riesz_energy(2, 20, &mut seeded(1, 0));
        assert!(shortest(&line) > 0.9 * 2.0_f64.sqrt() / 19.0, "{}", shortest(&line));
        // The lattice of four partitions has 15 points, √2 / 4 apart.
        let plane = riesz_energy(3, 15, &mut seeded(1, 0));
        assert!(shortest(&plane) > 0.75 * 2.0_f64.sqrt() / 4.0, "{}", shortest(&plane));
    }

    #[test]
    fn few_or_no_directions_are_still_directions() {
        assert_eq!(riesz_energy(1, 20, &mut seeded(1, 0)), [[1.0]]);
        assert_eq!(riesz_energy(3, 2, &mut seeded(1, 0)).len(), 2);
        assert!(riesz_energy(0, 4, &mut seeded(1, 0)).is_empty());
    }
}
