//! Niches around reference directions: members are chosen from the emptiest niches. Deb and Jain
//! (2014), sections IV-D and IV-E.

use math::Rng;
use rand::seq::IndexedRandom;

#[derive(Debug, Clone, Default)]
pub(crate) struct Niches {
    directions: Vec<Vec<f64>>,
}

/// The direction nearest to a point, and its distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearestNiche {
    niche: usize,
    distance: f64,
}

impl Niches {
    pub(crate) fn new(directions: Vec<Vec<f64>>) -> Self {
        Self { directions }
    }

    pub(crate) fn place(&self, point: &[f64]) -> NearestNiche {
        let places = self.directions.iter().enumerate().map(|(niche, direction)| NearestNiche {
            niche,
            distance: from_line(point, direction),
        });
        let nearest = places.min_by(|a, b| a.distance.total_cmp(&b.distance));
        nearest.unwrap_or(NearestNiche { niche: 0, distance: 0.0 })
    }

    /// Positions of `count` candidates, chosen one by one from the niche with the fewest members.
    /// In an empty niche it is the candidate nearest to the direction, otherwise any. `members` are
    /// chosen already.
    pub(crate) fn choose(
        &self,
        candidates: &[NearestNiche],
        members: &[NearestNiche],
        count: usize,
        rng: &mut Rng,
    ) -> Vec<usize> {
        let mut inhabitants = vec![0_usize; self.directions.len().max(1)];
        members.iter().for_each(|place| inhabitants[place.niche] += 1);
        let mut left: Vec<usize> = (0..candidates.len()).collect();
        let mut chosen = Vec::with_capacity(count);
        while chosen.len() < count && !left.is_empty() {
            let crowd = |at: &usize| inhabitants[candidates[*at].niche];
            let fewest = left.iter().map(crowd).min().unwrap_or(0);
            let mut open: Vec<usize> = left
                .iter()
                .filter(|at| crowd(at) == fewest)
                .map(|at| candidates[*at].niche)
                .collect();
            open.sort_unstable();
            open.dedup();
            let niche = open.choose(rng).copied().unwrap_or(0);
            let inside: Vec<usize> =
                left.iter().copied().filter(|at| candidates[*at].niche == niche).collect();
            let distance = |at: &usize| candidates[*at].distance;
            let next = match fewest {
                0 => inside.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))),
                _ => inside.choose(rng).copied(),
            };
            let Some(next) = next else { break };
            inhabitants[niche] += 1;
            left.retain(|at| *at != next);
            chosen.push(next);
        }
        chosen
    }
}

/// Distance of a point from the line through the origin in a direction.
fn from_line(point: &[f64], direction: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let along = dot(point, direction) / dot(direction, direction);
    point.iter().zip(direction).map(|(x, d)| (x - along * d).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use space::seeded;

    use super::*;

    #[test]
    fn the_emptiest_niche_gets_its_nearest_member_first() {
        let niches = Niches::new(vec![vec![1.0, 0.0], vec![0.5, 0.5], vec![0.0, 1.0]]);
        let points = [[0.9, 0.1], [0.8, 0.0], [0.1, 0.9], [0.4, 0.5], [0.5, 0.5]];
        let candidates = points.map(|point| niches.place(&point));
        assert_eq!(candidates.map(|place| place.niche), [0, 0, 2, 1, 1]);
        assert!((candidates[0].distance - 0.1).abs() < 1e-12);
        let members = [niches.place(&[0.0, 0.7])];
        let mut chosen = niches.choose(&candidates, &members, 2, &mut seeded(1, 0));
        chosen.sort_unstable();
        assert_eq!(chosen, [1, 4]);
        let all = niches.choose(&candidates, &members, 9, &mut seeded(1, 0));
        assert_eq!(all.len(), 5);
    }
}
