//! All neighbours of a configuration.

use super::{Configuration, ConfigurationId, Space, diagram::END};

/// Kind of neighbour. All kinds are symmetric, hold valid configurations only and exclude the
/// configuration itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbourhood {
    /// Exactly one parameter differs, by any amount.
    Hamming,
    /// Exactly one parameter differs, by the next value that occurs in valid configurations.
    HammingAdjacent,
    /// Every parameter stays or moves to the next value that occurs in valid configurations.
    Adjacent,
    /// Every parameter stays or moves to the next value in its list.
    StrictlyAdjacent,
}

/// A node on the path to the configuration whose neighbours are listed.
struct PathStep {
    node: u32,
    /// The configuration's number, counted from this node.
    below: u64,
}

impl Space {
    /// The neighbours of a valid configuration, ascending.
    ///
    /// *Hamming* costs at most `p` for each value of each parameter, less where the paths of
    /// neighbours soon meet again. The adjacent kinds cost `p` for each of up to `3^p` neighbours.
    #[must_use]
    pub fn neighbours(
        &self,
        id: ConfigurationId,
        neighbourhood: Neighbourhood,
    ) -> Vec<ConfigurationId> {
        let mut found = Vec::new();
        let chosen = self.configuration(id).0;
        match neighbourhood {
            Neighbourhood::Hamming => self.hamming_of_valid(id, &chosen, &mut found),
            Neighbourhood::HammingAdjacent => {
                self.hamming_of_valid(id, &chosen, &mut found);
                self.keep_adjacent(&chosen, &mut found);
            }
            _ => {
                let ranges: Vec<(u32, u32)> =
                    (0..chosen.len()).map(|d| self.range(d, chosen[d], neighbourhood)).collect();
                self.within(self.diagram.root.unwrap_or(END), &ranges, 0, &mut found);
                found.retain(|neighbour| *neighbour != id);
            }
        }
        found
    }

    /// The neighbours of a configuration that may be invalid, ascending. Costs the same as
    /// [`Space::neighbours`].
    ///
    /// # Panics
    /// If `of` has not one index for every parameter.
    #[must_use]
    pub fn neighbours_of_any(
        &self,
        of: &Configuration,
        neighbourhood: Neighbourhood,
    ) -> Vec<ConfigurationId> {
        assert_eq!(of.0.len(), self.parameters.len(), "one index for every parameter");
        if let Some(id) = self.id_of(of) {
            return self.neighbours(id, neighbourhood);
        }
        let mut found = Vec::new();
        let Some(root) = self.diagram.root else { return found };
        match neighbourhood {
            Neighbourhood::Hamming => self.hamming_of_any(root, &of.0, &mut found),
            Neighbourhood::HammingAdjacent => {
                self.hamming_of_any(root, &of.0, &mut found);
                self.keep_adjacent(&of.0, &mut found);
            }
            _ => {
                let range = |(d, index): (usize, &u32)| self.range(d, *index, neighbourhood);
                let ranges: Vec<(u32, u32)> = of.0.iter().enumerate().map(range).collect();
                self.within(root, &ranges, 0, &mut found);
            }
        }
        found
    }

    /// Keeps the configurations in which every value moves by at most one step.
    fn keep_adjacent(&self, of: &[u32], found: &mut Vec<ConfigurationId>) {
        let range = |(d, index): (usize, &u32)| self.range(d, *index, Neighbourhood::Adjacent);
        let ranges: Vec<(u32, u32)> = of.iter().enumerate().map(range).collect();
        found.retain(|id| {
            let indices = self.configuration(*id).0;
            indices.iter().zip(&ranges).all(|(index, (low, high))| (low..=high).contains(&index))
        });
    }

    fn hamming_of_valid(
        &self,
        id: ConfigurationId,
        chosen: &[u32],
        found: &mut Vec<ConfigurationId>,
    ) {
        let steps = self.steps(id, chosen);
        for (depth, step) in steps.iter().enumerate().take(chosen.len()) {
            let before = id.0 - step.below;
            for edge in self.diagram.edges_of(step.node) {
                if edge.value != chosen[depth]
                    && let Some(rest) = self.rejoin(edge.child, depth + 1, chosen, &steps)
                {
                    found.push(ConfigurationId(before + edge.before + rest));
                }
            }
        }
        found.sort_unstable();
    }

    /// The path to a configuration, including the end.
    fn steps(&self, id: ConfigurationId, chosen: &[u32]) -> Vec<PathStep> {
        let (mut node, mut below) = (self.diagram.root.unwrap_or(END), id.0);
        let mut steps = Vec::with_capacity(chosen.len() + 1);
        for value in chosen {
            steps.push(PathStep { node, below });
            let Some(edge) = self.diagram.edge(node, *value) else { break };
            below -= edge.before;
            node = edge.child;
        }
        steps.push(PathStep { node, below });
        steps
    }

    /// Number, counted from `node`, of the configuration that continues with `chosen`. Stops early
    /// where the walk meets `steps`. `None` if the configuration is invalid.
    fn rejoin(
        &self,
        mut node: u32,
        depth: usize,
        chosen: &[u32],
        steps: &[PathStep],
    ) -> Option<u64> {
        let mut number = 0;
        for (value, step) in chosen[depth..].iter().zip(&steps[depth..]) {
            if node == step.node {
                return Some(number + step.below);
            }
            let edge = self.diagram.edge(node, *value)?;
            number += edge.before;
            node = edge.child;
        }
        Some(number)
    }

    /// Lowest and highest index of a neighbour at one parameter.
    pub(super) fn range(
        &self,
        depth: usize,
        index: u32,
        neighbourhood: Neighbourhood,
    ) -> (u32, u32) {
        if neighbourhood == Neighbourhood::StrictlyAdjacent {
            return (index.saturating_sub(1), index + 1);
        }
        let occurring = &self.occurring[depth];
        let at = occurring.partition_point(|v| *v < index);
        let low = at.checked_sub(1).map_or(index, |l| occurring[l]);
        let high = occurring.get(at + 1).copied().unwrap_or(index);
        (low, high)
    }

    pub(super) fn within(
        &self,
        node: u32,
        ranges: &[(u32, u32)],
        before: u64,
        found: &mut Vec<ConfigurationId>,
    ) {
        let Some(((low, high), rest)) = ranges.split_first() else {
            found.push(ConfigurationId(before));
            return;
        };
        let edges = self.diagram.edges_of(node);
        let first = edges.partition_point(|e| e.value < *low);
        for edge in edges[first..].iter().take_while(|e| e.value <= *high) {
            self.within(edge.child, rest, before + edge.before, found);
        }
    }

    fn hamming_of_any(&self, root: u32, of: &[u32], found: &mut Vec<ConfigurationId>) {
        let (mut node, mut before) = (root, 0);
        for (depth, index) in of.iter().enumerate() {
            let mut next = None;
            for edge in self.diagram.edges_of(node) {
                if edge.value == *index {
                    next = Some(*edge);
                } else if let Some(rest) = self.diagram.find_below(edge.child, &of[depth + 1..]) {
                    found.push(ConfigurationId(before + edge.before + rest));
                }
            }
            let Some(edge) = next else { break };
            before += edge.before;
            node = edge.child;
        }
        found.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameter;

    #[test]
    fn neighbours_of_invalid_ones_are_all_valid_ones_that_near() {
        let parameters = ["a", "b", "c"].map(|name| Parameter::new(name, 0_i64..5)).to_vec();
        let space = Space::build(parameters, &["(a + b + c) % 3 == 0"], &[]).unwrap();
        for at in 0..125_u32 {
            let of = Configuration(vec![at / 25, at / 5 % 5, at % 5]);
            let steps = |id: &ConfigurationId| -> Vec<u32> {
                let other = space.configuration(*id);
                of.0.iter().zip(&other.0).map(|(a, b)| a.abs_diff(*b)).collect()
            };
            let one = |id: &ConfigurationId| steps(id).iter().filter(|s| **s > 0).count() == 1;
            let near = |id: &ConfigurationId| {
                steps(id).iter().all(|s| *s <= 1) && steps(id).iter().any(|s| *s > 0)
            };
            let expected: Vec<_> = space.ids().filter(one).collect();
            assert_eq!(space.neighbours_of_any(&of, Neighbourhood::Hamming), expected);
            let expected: Vec<_> = space.ids().filter(near).collect();
            assert_eq!(space.neighbours_of_any(&of, Neighbourhood::StrictlyAdjacent), expected);
        }
    }
}
