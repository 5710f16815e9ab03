//! The sample that a search begins with.

use rand::{RngExt, seq::SliceRandom};
use rustc_hash::FxHashSet;

use crate::space::{Configuration, ConfigurationId, Rng, Space};

/// A Latin hypercube over the lists of values, without the points that are not valid and without
/// repetitions: McKay, Beckman and Conover 1979, as SciPy draws whole numbers.
pub(super) fn latin_hypercube(space: &Space, count: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
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
    let mut seen = FxHashSet::default();
    points.iter().filter_map(|p| space.id_of(p)).filter(|id| seen.insert(*id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, seeded};

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
}
