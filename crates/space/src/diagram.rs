//! The valid configurations as a layered graph with counts.
//!
//! Layer `d` decides parameter `d`. An edge is a value that leads to at least one valid
//! configuration. It stores how many configurations lie before it below its node. Prefixes that
//! leave the same choices share a node, so memory depends on the restrictions, not on the number of
//! configurations. Numbering, finding and drawing a configuration each take one walk from the root.

use super::Configuration;

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Configurations below earlier edges of the node.
    pub(super) before: u64,
    pub(super) child: u32,
    pub(super) value: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) first: u32,
    pub(super) edges: u32,
    pub(super) total: u64,
}

/// The child of edges in the last layer.
pub(super) const END: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(super) struct Diagram {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// `None` when nothing is valid; [`END`] when there are no parameters.
    pub(super) root: Option<u32>,
}

impl Diagram {
    pub(super) fn len(&self) -> u64 {
        self.root.map_or(0, |root| self.total(root))
    }

    pub(super) fn total(&self, node: u32) -> u64 {
        if node == END { 1 } else { self.nodes[node as usize].total }
    }

    pub(super) fn edges_of(&self, node: u32) -> &[Edge] {
        let node = self.nodes[node as usize];
        &self.edges[node.first as usize..(node.first + node.edges) as usize]
    }

    /// The edge for a value; edges are sorted by value.
    pub(super) fn edge(&self, node: u32, value: u32) -> Option<Edge> {
        let edges = self.edges_of(node);
        // The edge is at position `value` unless an earlier value is missing.
        match edges.get(value as usize) {
            Some(edge) if edge.value == value => Some(*edge),
            _ => edges.binary_search_by_key(&value, |e| e.value).ok().map(|at| edges[at]),
        }
    }

    /// Writes the indices of configuration `id`, which must be below [`Diagram::len`].
    pub(super) fn write(&self, id: u64, indices: &mut Vec<u32>) {
        indices.clear();
        let (mut node, mut rest) = (self.root.unwrap_or(END), id);
        while node != END {
            let edges = self.edges_of(node);
            let edge = edges[edges.partition_point(|e| e.before <= rest) - 1];
            indices.push(edge.value);
            rest -= edge.before;
            node = edge.child;
        }
    }

    /// The configuration's number, if it is valid.
    pub(super) fn find(&self, configuration: &Configuration) -> Option<u64> {
        self.find_below(self.root?, &configuration.0)
    }

    /// Number, counted from `node`, of the configuration that continues with `indices`.
    pub(super) fn find_below(&self, mut node: u32, indices: &[u32]) -> Option<u64> {
        let mut id = 0;
        for index in indices {
            if node == END {
                return None;
            }
            let edge = self.edge(node, *index)?;
            id += edge.before;
            node = edge.child;
        }
        (node == END).then_some(id)
    }
}
