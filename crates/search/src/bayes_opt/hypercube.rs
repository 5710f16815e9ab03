//! Latin hypercubes over the lists of values (McKay, Beckman and Conover 1979), drawn as SciPy
//! draws whole numbers; and the one of many hypercubes whose points are farthest apart (Johnson,
//! Moore and Ylvisaker 1990).

use math::Rng;
use rand::{RngExt, seq::SliceRandom};
use rustc_hash::FxHashSet;
use space::{Configuration, ConfigurationId, Space};

/// Hypercubes from which [`maximin`] takes the best.
const DRAWS: usize = 1_000;

/// A hypercube without its invalid points and repetitions.
pub(super) fn latin_hypercube(space: &Space, count: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
    valid(space, &drawn(space, count, rng))
}

/// The hypercube of [`DRAWS`] whose nearest two points are farthest apart, without its invalid
/// points and repetitions.
pub(super) fn maximin(space: &Space, count: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
    let mut best = (Vec::new(), f64::NEG_INFINITY);
    for _ in 0..DRAWS {
        let points = drawn(space, count, rng);
        let apart = nearest_two(space, &points, best.1);
        if apart > best.1 {
            best = (points, apart);
        }
    }
    valid(space, &best.0)
}

/// Squared distance of the nearest two points, with every parameter scaled to 0 … 1. Stops early
/// when the distance is at most `enough`.
fn nearest_two(space: &Space, points: &[Configuration], enough: f64) -> f64 {
    let lasts: Vec<f64> =
        space.parameters().iter().map(|p| (p.values.len() as f64 - 1.0).max(1.0)).collect();
    let apart = |a: &Configuration, b: &Configuration| -> f64 {
        let steps = a.0.iter().zip(&b.0).zip(&lasts);
        steps.map(|((a, b), last)| (f64::from(a.abs_diff(*b)) / last).powi(2)).sum()
    };
    let mut nearest = f64::INFINITY;
    for (at, point) in points.iter().enumerate() {
        for other in &points[..at] {
            nearest = nearest.min(apart(point, other));
        }
        if nearest <= enough {
            break;
        }
    }
    nearest
}

/// Draws points in which the values of every parameter occur equally often.
fn drawn(space: &Space, count: usize, rng: &mut Rng) -> Vec<Configuration> {
    let mut points = vec![Configuration(Vec::new()); count];
    let mut strata: Vec<usize> = (0..count).collect();
    for parameter in space.parameters() {
        strata.shuffle(rng);
        for (point, stratum) in points.iter_mut().zip(&strata) {
            let place = (*stratum as f64 + rng.random::<f64>()) / count as f64;
            let last = parameter.values.len().saturating_sub(1);
            point.0.push(((place * parameter.values.len() as f64) as usize).min(last) as u32);
        }
    }
    points
}

fn valid(space: &Space, points: &[Configuration]) -> Vec<ConfigurationId> {
    let mut seen = FxHashSet::default();
    points.iter().filter_map(|p| space.id_of(p)).filter(|id| seen.insert(*id)).collect()
}

#[cfg(test)]
mod tests {
    use space::{Parameter, seeded};

    use super::*;

    #[test]
    fn every_value_is_drawn_equally_often_and_what_is_not_valid_is_left_out() {
        let list = (0..10_i64).collect::<Vec<_>>();
        let parameters = ["a", "b"].map(|name| Parameter::new(name, list.clone())).to_vec();
        let space = Space::build(parameters.clone(), &[] as &[&str], &[]).unwrap();
        let drawn = latin_hypercube(&space, 10, &mut seeded(3, 0));
        for axis in 0..2 {
            let mut values: Vec<u32> =
                drawn.iter().map(|id| space.configuration(*id).0[axis]).collect();
            values.sort_unstable();
            assert_eq!(values, (0..10).collect::<Vec<_>>());
        }
        let half = Space::build(parameters, &["a < b"], &[]).unwrap();
        let drawn = latin_hypercube(&half, 40, &mut seeded(3, 0));
        assert!(!drawn.is_empty() && drawn.len() < 40);
        assert_eq!(drawn.iter().collect::<FxHashSet<_>>().len(), drawn.len());
    }

    #[test]
    fn the_best_of_many_hypercubes_has_its_points_farther_apart() {
        let list = (0..20_i64).collect::<Vec<_>>();
        let parameters = ["a", "b", "c"].map(|name| Parameter::new(name, list.clone())).to_vec();
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let apart = |ids: Vec<ConfigurationId>| {
            let points: Vec<_> = ids.into_iter().map(|id| space.configuration(id)).collect();
            assert_eq!(points.len(), 20);
            nearest_two(&space, &points, f64::NEG_INFINITY)
        };
        let mut rng = seeded(3, 0);
        assert!(
            apart(maximin(&space, 20, &mut rng))
                > 2.0 * apart(latin_hypercube(&space, 20, &mut rng))
        );
    }
}
