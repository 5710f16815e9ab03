//! Reduces grown prefixes to the graph, last layer first. A prefix without a valid continuation
//! gets no node, and prefixes with the same continuations share a node. The graph is minimal for
//! this order of parameters.

use std::{collections::HashMap, hash::BuildHasherDefault};

use super::{
    SpaceError,
    diagram::{Diagram, END, Edge, Node},
    forward::{Children, REJECTED},
    prefixes::{Hashed, mixed},
    residual::LayerPlan,
};

/// Limit of a graph's edges; each takes 16 bytes.
const MAX_EDGES: usize = 1 << 25;

/// Marks a prefix without a valid continuation, in place of its node.
const DEAD: u32 = u32::MAX - 1;

/// The graph, and for each parameter the indices of the values that occur in it.
pub(super) fn reduce(
    plan: &LayerPlan,
    mut layers: Vec<Children>,
) -> Result<(Diagram, Vec<Vec<u32>>), SpaceError> {
    let mut diagram = Diagram::default();
    let mut occurring = Vec::with_capacity(layers.len());
    // The nodes of the next layer's prefixes.
    let mut below = vec![END];
    let (mut edges, mut words) = (Vec::new(), Vec::new());
    while let Some(children) = layers.pop() {
        let values = &plan.layers[layers.len()].values;
        let mut occurs = vec![false; values.len()];
        let mut shared: HashMap<u64, u32, BuildHasherDefault<Hashed>> = HashMap::default();
        let mut nodes = Vec::with_capacity(children.len() / values.len().max(1));
        for prefix in children.chunks_exact(values.len().max(1)) {
            let total = edges_of(prefix, values, &below, &diagram, &mut edges)?;
            if edges.is_empty() {
                nodes.push(DEAD);
                continue;
            }
            words.clear();
            words.extend(edges.iter().map(|e| u64::from(e.child) << 32 | u64::from(e.value)));
            let hash = mixed(&words);
            if let Some(node) = shared.get(&hash)
                && same(diagram.edges_of(*node), &edges)
            {
                nodes.push(*node);
                continue;
            }
            let node = store(&mut diagram, &edges, total)?;
            shared.insert(hash, node);
            nodes.push(node);
            for (seen, child) in occurs.iter_mut().zip(prefix) {
                *seen |= *child != REJECTED && below[*child as usize] != DEAD;
            }
        }
        let found = values.iter().zip(&occurs).filter(|(_, seen)| **seen);
        occurring.push(found.map(|((place, _), _)| *place).collect());
        below = nodes;
    }
    occurring.reverse();
    diagram.root = below.first().copied().filter(|root| *root != DEAD);
    diagram.nodes.shrink_to_fit();
    diagram.edges.shrink_to_fit();
    Ok((diagram, occurring))
}

/// Writes the edges of a prefix and returns the number of configurations below it.
fn edges_of(
    prefix: &[u32],
    values: &[(u32, f64)],
    below: &[u32],
    diagram: &Diagram,
    edges: &mut Vec<Edge>,
) -> Result<u64, SpaceError> {
    edges.clear();
    let mut total = 0_u64;
    for ((value, _), child) in values.iter().zip(prefix) {
        let child = if *child == REJECTED { DEAD } else { below[*child as usize] };
        if child != DEAD {
            edges.push(Edge { before: total, child, value: *value });
            total = total.checked_add(diagram.total(child)).ok_or_else(|| {
                SpaceError::TooLarge("it has over 2^64 valid configurations".into())
            })?;
        }
    }
    Ok(total)
}

fn same(a: &[Edge], b: &[Edge]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a.value, a.child) == (b.value, b.child))
}

fn store(diagram: &mut Diagram, edges: &[Edge], total: u64) -> Result<u32, SpaceError> {
    if diagram.edges.len() + edges.len() > MAX_EDGES {
        return Err(SpaceError::TooLarge("its graph has over 33 million edges".into()));
    }
    let node = Node { first: diagram.edges.len() as u32, edges: edges.len() as u32, total };
    diagram.edges.extend_from_slice(edges);
    diagram.nodes.push(node);
    Ok(diagram.nodes.len() as u32 - 1)
}
