//! Chooses the elements of an output that are compared with the reference.
//!
//! A small output is compared whole. Of a large output, these elements are compared: the beginning
//! and the end, both ends of every dimension, the corner where the last partial blocks of all
//! dimensions meet, both sides of every power-of-two block edge next to the end, and a seeded
//! random part. The choice depends on shape, coverage and seed only. So all configurations of a
//! size are judged alike, and the reference is computed once.

use math::seeded;
use rand::RngExt;

/// How much of an output is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coverage {
    /// Everything up to 2²⁰ elements; of larger outputs, the edges and 2¹⁸ random elements.
    Sampled,
    /// Everything up to 2²² elements; of larger outputs, the edges and 2²¹ random elements.
    Thorough,
}

impl Coverage {
    /// Largest output compared whole, and the number of random elements of larger outputs.
    const fn limits(self) -> (u64, u64) {
        match self {
            Self::Sampled => (1 << 20, 1 << 18),
            Self::Thorough => (1 << 22, 1 << 21),
        }
    }
}

/// The elements that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSet {
    /// Flat indices, ascending, without repeats.
    pub indices: Vec<u64>,
    /// Number of elements of the output.
    pub count: u64,
}

impl IndexSet {
    /// Whether every element is compared.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.indices.len() as u64 == self.count
    }
}

/// Elements at the beginning, and at the end, that are always compared.
const RUN: u64 = 4096;
/// Side of the last corner, and elements at each end of a dimension.
const CORNER: u64 = 64;

/// The elements to compare of an output with extents `shape`, slowest dimension first. O(n log n).
#[must_use]
pub fn index_set(shape: &[u64], coverage: Coverage, seed: u64) -> IndexSet {
    let count = shape.iter().product::<u64>();
    let (whole, random) = coverage.limits();
    if count <= whole {
        return IndexSet { indices: (0..count).collect(), count };
    }
    let mut indices: Vec<u64> = (0..RUN).chain(count - RUN..count).collect();
    dimension_ends(shape, &mut indices);
    for power in 0..count.ilog2() {
        let block = 1u64 << power;
        for edge in [block, count / block * block, (count / block).saturating_sub(1) * block] {
            indices.extend([edge.saturating_sub(1), edge, edge + 1]);
        }
    }
    let mut rng = seeded(seed, 0x1D);
    indices.extend((0..random).map(|_| rng.random_range(0..count)));
    indices.retain(|index| *index < count);
    indices.sort_unstable();
    indices.dedup();
    IndexSet { indices, count }
}

/// Appends both ends of every dimension, with all other coordinates first, middle or last. Appends
/// also the last corner of the two fastest dimensions.
fn dimension_ends(shape: &[u64], indices: &mut Vec<u64>) {
    let strides: Vec<u64> =
        (0..shape.len()).map(|axis| shape[axis + 1..].iter().product()).collect();
    let flat = |coordinates: &[u64]| -> u64 {
        coordinates.iter().zip(&strides).map(|(c, stride)| c * stride).sum()
    };
    let anchors = [|_: u64| 0u64, |extent: u64| extent / 2, |extent: u64| extent - 1];
    for anchor in anchors {
        let base: Vec<u64> = shape.iter().map(|extent| anchor(*extent)).collect();
        for (axis, extent) in shape.iter().enumerate() {
            let near = (*extent).min(CORNER);
            for coordinate in (0..near).chain(extent - near..*extent) {
                let mut point = base.clone();
                point[axis] = coordinate;
                indices.push(flat(&point));
            }
        }
    }
    if let [.., rows, columns] = *shape {
        let mut point: Vec<u64> = shape.iter().map(|extent| extent - 1).collect();
        let last = shape.len() - 1;
        for row in rows.saturating_sub(CORNER)..rows {
            for column in columns.saturating_sub(CORNER)..columns {
                point[last - 1] = row;
                point[last] = column;
                indices.push(flat(&point));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_outputs_are_compared_whole() {
        let set = index_set(&[1000, 1000], Coverage::Sampled, 1);
        assert!(set.is_whole());
        assert_eq!(set.indices.len(), 1_000_000);
        assert!(index_set(&[0, 5], Coverage::Sampled, 1).indices.is_empty());
        assert!(index_set(&[1 << 22], Coverage::Thorough, 1).is_whole());
    }

    #[test]
    fn large_outputs_are_sampled_in_order_without_repeats() {
        let set = index_set(&[1_000_000_007], Coverage::Sampled, 1);
        assert!(!set.is_whole());
        assert!(set.indices.is_sorted_by(|a, b| a < b));
        assert!(set.indices.len() > 1 << 17 && set.indices.len() < 1 << 20);
        assert!(set.indices.iter().all(|index| *index < 1_000_000_007));
    }

    #[test]
    fn the_last_partial_block_of_any_power_of_two_is_seen() {
        for count in [1_000_000_007u64, 1 << 30, (1 << 30) + 1, 999_999_937] {
            let set = index_set(&[count], Coverage::Sampled, 1);
            for power in 0..20 {
                let edge = count / (1 << power) * (1 << power);
                let first_of_partial = edge.min(count - 1);
                for index in [0, first_of_partial, edge - 1, count - 1] {
                    assert!(set.indices.binary_search(&index).is_ok(), "{index} of {count}");
                }
            }
        }
    }

    #[test]
    fn the_ends_of_every_dimension_and_the_last_corner_are_seen() {
        let shape = [37u64, 1111, 2003];
        let set = index_set(&shape, Coverage::Sampled, 1);
        let flat = |z: u64, y: u64, x: u64| (z * shape[1] + y) * shape[2] + x;
        for (z, y, x) in [
            (36, 0, 0),
            (0, 1110, 0),
            (0, 0, 2002),
            (18, 555, 2002),
            (18, 1110, 1001),
            (36, 1110, 2002),
            (36, 1080, 1960),
        ] {
            assert!(set.indices.binary_search(&flat(z, y, x)).is_ok(), "{z} {y} {x}");
        }
    }

    #[test]
    fn the_set_is_a_function_of_its_seed() {
        let set = |seed| index_set(&[1 << 24], Coverage::Sampled, seed);
        assert_eq!(set(7), set(7));
        assert_ne!(set(7), set(8));
    }
}
