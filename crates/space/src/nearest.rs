//! The valid configuration nearest to a given one: by Hamming distance or by Manhattan distance.

use math::Rng;
use rand::RngExt;

use super::{Configuration, ConfigurationId, Space, diagram::END};

/// Limit of visited edges. Beyond it, the Hamming search returns the best configuration so far, and
/// the Manhattan search returns the result of [`Space::nearest_by_hamming`].
const MAX_LOOKS: usize = 100_000;

impl Space {
    /// Number of differing parameters, plus a fraction below 1 for how far their values are apart
    /// in the lists. Costs `p`.
    #[must_use]
    pub fn distance(&self, a: &Configuration, b: &Configuration) -> f64 {
        (0..self.parameters.len()).map(|d| self.step(d, a.0[d], b.0[d])).sum()
    }

    fn step(&self, depth: usize, a: u32, b: u32) -> f64 {
        if a == b {
            return 0.0;
        }
        let length = self.parameters[depth].values.len() * self.parameters.len();
        1.0 + f64::from(a.abs_diff(b)) / length as f64
    }

    /// The valid configuration nearest to `target` by [`Space::distance`], the first of equals;
    /// `None` if nothing is valid.
    ///
    /// Costs `p v` when `target` is nearly valid. Very restricted spaces need a search, which after
    /// 100,000 edges returns the nearest configuration so far.
    ///
    /// # Panics
    /// If `target` has not one index for every parameter.
    #[must_use]
    pub fn nearest_by_hamming(&self, target: &Configuration) -> Option<ConfigurationId> {
        assert_eq!(target.0.len(), self.parameters.len(), "one index for every parameter");
        if let Some(id) = self.id_of(target) {
            return Some(id);
        }
        let root = self.diagram.root?;
        let mut search = HammingSearch {
            space: self,
            target: &target.0,
            best: f64::INFINITY,
            found: 0,
            looks: 0,
        };
        search.below(root, 0, 0, 0.0);
        Some(ConfigurationId(search.found))
    }

    /// A random one of the valid configurations that are the fewest steps from `target`. A step
    /// moves one parameter to the next value in its list. `None` only when nothing is valid.
    ///
    /// Moves several parameters a little, while [`Space::nearest_by_hamming`] keeps as many as
    /// possible. Costs a visit of everything within that many steps.
    ///
    /// # Panics
    /// If `target` has not one index for every parameter.
    #[must_use]
    pub fn nearest_by_manhattan(
        &self,
        target: &Configuration,
        rng: &mut Rng,
    ) -> Option<ConfigurationId> {
        assert_eq!(target.0.len(), self.parameters.len(), "one index for every parameter");
        let root = self.diagram.root?;
        let mut search =
            ManhattanSearch { space: self, target: &target.0, found: Vec::new(), looks: 0 };
        let furthest: usize = self.parameters.iter().map(|p| p.values.len()).sum();
        for steps in 0..=furthest as u32 {
            search.exactly(root, 0, 0, steps);
            if !search.found.is_empty() {
                return Some(search.found[rng.random_range(0..search.found.len())]);
            }
            if search.looks > MAX_LOOKS {
                break;
            }
        }
        self.nearest_by_hamming(target)
    }
}

struct HammingSearch<'a> {
    space: &'a Space,
    target: &'a [u32],
    best: f64,
    found: u64,
    looks: usize,
}

impl HammingSearch<'_> {
    fn below(&mut self, node: u32, depth: usize, before: u64, distance: f64) {
        if node == END {
            (self.best, self.found) = (distance, before);
            return;
        }
        let edges = self.space.diagram.edges_of(node);
        let wanted = self.target[depth];
        // Nearest value first: two cursors move away from the target value.
        let middle = edges.partition_point(|e| e.value < wanted);
        let (mut left, mut right) = (middle, middle);
        while left > 0 || right < edges.len() {
            let nearer_right = match (left.checked_sub(1), edges.get(right)) {
                (Some(l), Some(r)) => r.value - wanted < wanted - edges[l].value,
                (None, _) => true,
                _ => false,
            };
            let edge = if nearer_right {
                right += 1;
                edges[right - 1]
            } else {
                left -= 1;
                edges[left]
            };
            self.looks += 1;
            let distance = distance + self.space.step(depth, wanted, edge.value);
            let enough = self.looks > MAX_LOOKS && self.best.is_finite();
            if distance >= self.best || enough {
                return;
            }
            self.below(edge.child, depth + 1, before + edge.before, distance);
        }
    }
}

struct ManhattanSearch<'a> {
    space: &'a Space,
    target: &'a [u32],
    found: Vec<ConfigurationId>,
    looks: usize,
}

impl ManhattanSearch<'_> {
    /// Collects the configurations below a node that are exactly `steps` away.
    fn exactly(&mut self, node: u32, depth: usize, before: u64, steps: u32) {
        if node == END {
            if steps == 0 {
                self.found.push(ConfigurationId(before));
            }
            return;
        }
        let wanted = self.target[depth];
        let edges = self.space.diagram.edges_of(node);
        let first = edges.partition_point(|e| e.value < wanted.saturating_sub(steps));
        for edge in edges[first..].iter().take_while(|e| e.value <= wanted + steps) {
            self.looks += 1;
            if self.looks > MAX_LOOKS {
                return;
            }
            let left = steps - edge.value.abs_diff(wanted);
            self.exactly(edge.child, depth + 1, before + edge.before, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parameter, seeded};

    #[test]
    fn nothing_valid_is_fewer_steps_away() {
        let parameters = ["a", "b", "c"].map(|name| Parameter::new(name, 0_i64..6)).to_vec();
        let space = Space::build(parameters, &["(a * b + c) % 7 == 0"], &[]).unwrap();
        let mut rng = seeded(3, 0);
        let steps = |a: &Configuration, b: &Configuration| -> u32 {
            a.0.iter().zip(&b.0).map(|(a, b)| a.abs_diff(*b)).sum()
        };
        for at in 0..216_u32 {
            let target = Configuration(vec![at / 36, at / 6 % 6, at % 6]);
            let fewest = space.ids().map(|id| steps(&space.configuration(id), &target)).min();
            let nearest = space.nearest_by_manhattan(&target, &mut rng).unwrap();
            assert_eq!(Some(steps(&space.configuration(nearest), &target)), fewest);
        }
    }

    #[test]
    fn all_equals_are_answered() {
        let parameters = ["a", "b"].map(|name| Parameter::new(name, 0_i64..3)).to_vec();
        let space = Space::build(parameters, &["a != 1 or b != 1"], &[]).unwrap();
        let mut rng = seeded(3, 0);
        let middle = Configuration(vec![1, 1]);
        let mut seen: Vec<_> =
            (0..200).filter_map(|_| space.nearest_by_manhattan(&middle, &mut rng)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 4);
    }
}
