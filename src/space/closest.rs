//! The valid configurations fewest steps away from a given one.

use rand::RngExt;

use super::{Configuration, ConfigurationId, Rng, Space, diagram::END};

/// Edges that may be looked at before [`Space::nearest`] answers instead.
const MAX_LOOKS: usize = 100_000;

impl Space {
    /// A random one of the valid configurations fewest steps from `target`, a step being the next
    /// value in one parameter's list. `None` only when nothing is valid.
    ///
    /// Moves several parameters by little, while [`Space::nearest`] keeps as many as possible.
    /// Costs a visit of everything within that many steps.
    ///
    /// # Panics
    /// If `target` has not one index for every parameter.
    #[must_use]
    pub fn closest(&self, target: &Configuration, rng: &mut Rng) -> Option<ConfigurationId> {
        assert_eq!(target.0.len(), self.parameters.len(), "one index for every parameter");
        let root = self.diagram.root?;
        let mut search = Search { space: self, target: &target.0, found: Vec::new(), looks: 0 };
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
        self.nearest(target)
    }
}

struct Search<'a> {
    space: &'a Space,
    target: &'a [u32],
    found: Vec<ConfigurationId>,
    looks: usize,
}

impl Search<'_> {
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
    use crate::space::{Parameter, seeded};

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
            let closest = space.closest(&target, &mut rng).unwrap();
            assert_eq!(Some(steps(&space.configuration(closest), &target)), fewest);
        }
    }

    #[test]
    fn all_equals_are_answered() {
        let parameters = ["a", "b"].map(|name| Parameter::new(name, 0_i64..3)).to_vec();
        let space = Space::build(parameters, &["a != 1 or b != 1"], &[]).unwrap();
        let mut rng = seeded(3, 0);
        let middle = Configuration(vec![1, 1]);
        let mut seen: Vec<_> = (0..200).filter_map(|_| space.closest(&middle, &mut rng)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 4);
    }
}
