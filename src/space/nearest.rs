//! Distance of configurations, and the valid one nearest to a given one.

use super::{Configuration, ConfigurationId, Space, diagram::END};

/// Edges that a search may look at before it answers with its best so far.
const MAX_LOOKS: usize = 100_000;

impl Space {
    /// Number of differing parameters, plus, below 1, the distances in their lists. Costs `p`.
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
    /// a hundred thousand looks answers with the nearest so far.
    ///
    /// # Panics
    /// If `target` has not one index for every parameter.
    #[must_use]
    pub fn nearest(&self, target: &Configuration) -> Option<ConfigurationId> {
        assert_eq!(target.0.len(), self.parameters.len(), "one index for every parameter");
        if let Some(id) = self.id_of(target) {
            return Some(id);
        }
        let root = self.diagram.root?;
        let mut search =
            Search { space: self, target: &target.0, best: f64::INFINITY, found: 0, looks: 0 };
        search.below(root, 0, 0, 0.0);
        Some(ConfigurationId(search.found))
    }
}

struct Search<'a> {
    space: &'a Space,
    target: &'a [u32],
    best: f64,
    found: u64,
    looks: usize,
}

impl Search<'_> {
    fn below(&mut self, node: u32, depth: usize, before: u64, distance: f64) {
        if node == END {
            (self.best, self.found) = (distance, before);
            return;
        }
        let edges = self.space.diagram.edges_of(node);
        let wanted = self.target[depth];
        // Nearest value first: two cursors move away from the target's place.
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
