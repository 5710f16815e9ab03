//! A directed graph whose levels are known. It is a tree in which every vertex has eight children,
//! with as many random edges. No edge leads further than one level down.
//!
//! A vertex has a *position*, its place in the tree level by level, and a name. A permutation maps
//! positions to names, so neighbours in the tree are not neighbours in memory. The root is vertex
//! 0.

use autobench_sdk::inputs::{Permutation, bits};

/// Number of edges that leave a vertex.
pub(crate) const DEGREE: u64 = 16;
pub(crate) const CHILDREN: u64 = 8;

/// Streams of random numbers, by purpose.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Names = 1,
    Edges,
}

/// The graph of a size and a seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Graph {
    vertices: u64,
    seed: u64,
    names: Permutation,
    /// Inverse of the names' factor, modulo the number of vertices.
    inverse: u64,
}

impl Graph {
    pub(crate) fn new(vertices: u64, seed: u64) -> Self {
        let names =
            Permutation { offset: 0, ..Permutation::new(seed, Stream::Names as u32, vertices) };
        let inverse = inverse(names.factor, vertices);
        Self { vertices, seed, names, inverse }
    }

    pub(crate) fn level(self, name: u64) -> u32 {
        level(self.position(name))
    }

    /// The level of the vertices furthest from the root.
    pub(crate) fn last_level(self) -> u32 {
        level(self.vertices.saturating_sub(1))
    }

    fn position(self, name: u64) -> u64 {
        (u128::from(name) * u128::from(self.inverse) % u128::from(self.vertices)) as u64
    }

    /// The targets of all edges that leave `vertex` and later vertices, vertex by vertex.
    pub(crate) fn edges(self, vertex: u64) -> impl Iterator<Item = u64> {
        (vertex..self.vertices).flat_map(move |name| {
            let position = self.position(name);
            let below = first_of(level(position) + 2).min(self.vertices);
            // Rotated, so that tree edges are not always the first edges.
            (0..DEGREE).map(move |place| (place + position) % DEGREE).map(move |edge| {
                let child = CHILDREN * position + 1 + edge;
                let to = if edge < CHILDREN && child < self.vertices {
                    child
                } else {
                    bits(self.seed, Stream::Edges as u32, position * DEGREE + edge) % below
                };
                self.names.at(to)
            })
        })
    }
}

fn level(position: u64) -> u32 {
    (0..).find(|level| position < first_of(level + 1)).unwrap_or(0)
}

fn first_of(level: u32) -> u64 {
    (CHILDREN.pow(level) - 1) / (CHILDREN - 1)
}

/// The inverse of `factor` modulo `modulus`. The two must have no common divisor.
fn inverse(factor: u64, modulus: u64) -> u64 {
    let (mut r, mut next_r) = (i128::from(modulus), i128::from(factor % modulus.max(1)));
    let (mut t, mut next_t) = (0, 1);
    while next_r != 0 {
        let quotient = r / next_r;
        (t, next_t) = (next_t, t - quotient * next_t);
        (r, next_r) = (next_r, r - quotient * next_r);
    }
    t.rem_euclid(i128::from(modulus)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_names_turned_back() {
        for vertices in [1, 2, 9, 10, 1000, 4096, 99_991] {
            let graph = Graph::new(vertices, 4);
            let right = |position| graph.position(graph.names.at(position)) == position;
            assert!((0..vertices).all(right), "{vertices}");
        }
    }

    #[test]
    fn levels_are_those_of_a_search() {
        for vertices in [1, 2, 9, 10, 73, 74, 3000] {
            let graph = Graph::new(vertices, 4);
            let edges: Vec<u64> = graph.edges(0).collect();
            let mut levels = vec![None; vertices as usize];
            levels[0] = Some(0);
            let mut waiting = std::collections::VecDeque::from([0]);
            while let Some(vertex) = waiting.pop_front() {
                let next = levels[vertex as usize].map(|level: u32| level + 1);
                for &to in &edges[(vertex * DEGREE) as usize..][..DEGREE as usize] {
                    if levels[to as usize].is_none() {
                        levels[to as usize] = next;
                        waiting.push_back(to);
                    }
                }
            }
            let known = |name: usize| Some(graph.level(name as u64));
            assert!((0..vertices as usize).all(|v| levels[v] == known(v)), "{vertices}");
        }
    }
}
