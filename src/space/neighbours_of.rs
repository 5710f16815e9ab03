//! Neighbours of a configuration that may be invalid.

use super::{Configuration, ConfigurationId, Neighbourhood, Space};

impl Space {
    /// The valid neighbours of any configuration, ascending. Costs as [`Space::neighbours`] does.
    ///
    /// # Panics
    /// If `of` has not one index for every parameter.
    #[must_use]
    pub fn neighbours_of(
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
        if neighbourhood == Neighbourhood::Hamming {
            self.hamming_of(root, &of.0, &mut found);
        } else {
            let range = |(d, index): (usize, &u32)| self.range(d, *index, neighbourhood);
            let ranges: Vec<(u32, u32)> = of.0.iter().enumerate().map(range).collect();
            self.within(root, &ranges, 0, &mut found);
        }
        found
    }

    fn hamming_of(&self, root: u32, of: &[u32], found: &mut Vec<ConfigurationId>) {
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
    use crate::space::Parameter;

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
            assert_eq!(space.neighbours_of(&of, Neighbourhood::Hamming), expected);
            let expected: Vec<_> = space.ids().filter(near).collect();
            assert_eq!(space.neighbours_of(&of, Neighbourhood::StrictlyAdjacent), expected);
        }
    }
}
