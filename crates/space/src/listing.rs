//! Spaces built from a list of configurations, such as a recorded space.

use std::hash::{Hash as _, Hasher as _};

use hashbrown::{HashTable, hash_table::Entry};
use rustc_hash::FxHasher;

use super::{
    Parameter, Space, SpaceError,
    construct::check,
    diagram::{Diagram, END, Edge, Node},
};

impl Space {
    /// The space of exactly these configurations; those with indices out of range are left out.
    /// Prefixes with the same continuations share a node. Costs a sort.
    ///
    /// # Errors
    /// If a list of values is faulty.
    pub fn of_configurations<C: AsRef<[u32]>>(
        parameters: Vec<Parameter>,
        configurations: impl IntoIterator<Item = C>,
    ) -> Result<Self, SpaceError> {
        check(&parameters, &[])?;
        let exists = |c: &C| {
            let places = c.as_ref();
            places.len() == parameters.len()
                && places.iter().zip(&parameters).all(|(at, p)| (*at as usize) < p.values.len())
        };
        let mut listed: Vec<C> = configurations.into_iter().filter(exists).collect();
        listed.sort_unstable_by(|a, b| a.as_ref().cmp(b.as_ref()));
        listed.dedup_by(|a, b| a.as_ref() == b.as_ref());
        let occurring = |(depth, parameter): (usize, &Parameter)| {
            let mut seen = vec![false; parameter.values.len()];
            listed.iter().for_each(|places| seen[places.as_ref()[depth] as usize] = true);
            (0..).zip(seen).filter_map(|(at, seen)| seen.then_some(at)).collect()
        };
        let occurring = parameters.iter().enumerate().map(occurring).collect();
        let mut listing = Listing::default();
        listing.diagram.root =
            (!listed.is_empty()).then(|| listing.node(&listed, 0, parameters.len()));
        Ok(Self::from_diagram(parameters, listing.diagram, occurring))
    }
}

#[derive(Default)]
struct Listing {
    diagram: Diagram,
    shared: HashTable<u32>,
    /// Edges (value and child) of the unfinished nodes, outermost first.
    open: Vec<(u32, u32)>,
}

impl Listing {
    /// Returns the node of sorted configurations that agree in their first `depth` values.
    fn node<C: AsRef<[u32]>>(&mut self, listed: &[C], depth: usize, depths: usize) -> u32 {
        if depth == depths {
            return END;
        }
        let from = self.open.len();
        for group in listed.chunk_by(|a, b| a.as_ref()[depth] == b.as_ref()[depth]) {
            let child = self.node(group, depth + 1, depths);
            self.open.push((group[0].as_ref()[depth], child));
        }
        let node = self.close(from);
        self.open.truncate(from);
        node
    }

    /// Returns the node whose edges are `open[from..]`, shared with an equal node if there is one.
    fn close(&mut self, from: usize) -> u32 {
        let Self { diagram, shared, open } = self;
        let choices = || open[from..].iter().copied();
        let is = |node: &u32| choices_of(diagram, *node).eq(choices());
        let hash = |node: &u32| hashed(choices_of(diagram, *node));
        let vacant = match shared.entry(hashed(choices()), is, hash) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(vacant) => vacant,
        };
        let (first, node) = (diagram.edges.len() as u32, diagram.nodes.len() as u32);
        vacant.insert(node);
        let mut total = 0;
        for (value, child) in choices() {
            diagram.edges.push(Edge { before: total, child, value });
            total += diagram.total(child);
        }
        diagram.nodes.push(Node { first, edges: (open.len() - from) as u32, total });
        node
    }
}

/// A node's edges as value and child.
fn choices_of(diagram: &Diagram, node: u32) -> impl Iterator<Item = (u32, u32)> {
    diagram.edges_of(node).iter().map(|edge| (edge.value, edge.child))
}

fn hashed(choices: impl Iterator<Item = (u32, u32)>) -> u64 {
    let mut hasher = FxHasher::default();
    choices.for_each(|choice| choice.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Configuration, ConfigurationId};

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
        assert!(Space::of_configurations::<Configuration>(parameters(), []).unwrap().is_empty());
    }
}
