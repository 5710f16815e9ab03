//! A space of configurations that are known one by one, as a recorded space's are.

use rustc_hash::FxHashMap;

use super::{
    Configuration, Parameter, Space, SpaceError,
    construct::check,
    diagram::{Diagram, END, Edge, Node},
};

impl Space {
    /// The space of exactly these configurations; indices outside of a parameter's values are left
    /// out. Prefixes after which the same follows share a node. Costs a sort.
    ///
    /// # Errors
    /// When a list of values is faulty.
    pub fn of_configurations(
        parameters: Vec<Parameter>,
        configurations: impl IntoIterator<Item = Configuration>,
    ) -> Result<Self, SpaceError> {
        check(&parameters, &[])?;
        let exists = |c: &Configuration| {
            c.0.len() == parameters.len()
                && c.0.iter().zip(&parameters).all(|(at, p)| (*at as usize) < p.values.len())
        };
        let mut listed: Vec<Configuration> = configurations.into_iter().filter(exists).collect();
        listed.sort_unstable();
        listed.dedup();
        let occurring = |(depth, parameter): (usize, &Parameter)| {
            let mut seen = vec![false; parameter.values.len()];
            listed.iter().for_each(|configuration| seen[configuration.0[depth] as usize] = true);
            (0..).zip(seen).filter_map(|(at, seen)| seen.then_some(at)).collect()
        };
        let occurring = parameters.iter().enumerate().map(occurring).collect();
        let mut listing = Listing { diagram: Diagram::default(), shared: FxHashMap::default() };
        listing.diagram.root =
            (!listed.is_empty()).then(|| listing.node(&listed, 0, parameters.len()));
        Ok(Self::from_diagram(parameters, listing.diagram, occurring))
    }
}

struct Listing {
    diagram: Diagram,
    /// Nodes by their edges.
    shared: FxHashMap<Vec<(u32, u32)>, u32>,
}

impl Listing {
    /// The node of sorted configurations that agree in their first `depth` values.
    fn node(&mut self, listed: &[Configuration], depth: usize, depths: usize) -> u32 {
        if depth == depths {
            return END;
        }
        let choices: Vec<(u32, u32)> = listed
            .chunk_by(|a, b| a.0[depth] == b.0[depth])
            .map(|group| (group[0].0[depth], self.node(group, depth + 1, depths)))
            .collect();
        if let Some(node) = self.shared.get(&choices) {
            return *node;
        }
        let first = self.diagram.edges.len() as u32;
        let mut total = 0;
        for (value, child) in &choices {
            self.diagram.edges.push(Edge { before: total, child: *child, value: *value });
            total += self.diagram.total(*child);
        }
        let node = self.diagram.nodes.len() as u32;
        self.diagram.nodes.push(Node { first, edges: choices.len() as u32, total });
        self.shared.insert(choices, node);
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::ConfigurationId;

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::new("a", [1, 2, 3]), Parameter::new("b", [1, 2, 3, 4])]
    }

    #[test]
    fn a_listed_space_equals_the_one_its_restriction_builds() {
        let built = Space::build(parameters(), &["a * b <= 6", "b != 2"], &[]).unwrap();
        let all = built.ids().map(|id| built.configuration(id));
        let listed = Space::of_configurations(parameters(), all.chain(all_of(&built))).unwrap();
        assert_eq!(listed.len(), built.len());
        for id in built.ids() {
            assert_eq!(listed.configuration(id), built.configuration(id));
            assert_eq!(listed.id_of(&built.configuration(id)), Some(id));
        }
        assert_eq!(listed.default_id(), built.default_id());
    }

    fn all_of(space: &Space) -> Vec<Configuration> {
        space.ids().map(|id| space.configuration(id)).collect()
    }

    #[test]
    fn what_does_not_exist_is_left_out_and_nothing_is_a_space_too() {
        let odd = [Configuration(vec![0, 9]), Configuration(vec![2, 3]), Configuration(vec![1])];
        let space = Space::of_configurations(parameters(), odd).unwrap();
        assert_eq!(space.len(), 1);
        assert_eq!(space.configuration(ConfigurationId(0)), Configuration(vec![2, 3]));
        assert!(Space::of_configurations(parameters(), []).unwrap().is_empty());
    }
}
