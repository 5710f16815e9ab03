//! Which configurations are close to which.

use super::{Configuration, ConfigurationId, Space, diagram::END};

/// What counts as a neighbour. Every neighbourhood is symmetric and holds valid configurations
/// only, never the one asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbourhood {
    /// Exactly one parameter differs, by any amount.
    Hamming,
    /// No parameter is further than the next lower or higher value that occurs in any valid
    /// configuration.
    Adjacent,
    /// No parameter is further than the next lower or higher value of its list.
    StrictlyAdjacent,
}

impl Space {
    /// The neighbours of a configuration, in ascending order.
    ///
    /// *Hamming* costs `p` for each value of each parameter; the two adjacent kinds cost `p` for
    /// each neighbour, of which there can be `3^p`.
    #[must_use]
    pub fn neighbours(
        &self,
        id: ConfigurationId,
        neighbourhood: Neighbourhood,
    ) -> Vec<ConfigurationId> {
        self.neighbours_of(&self.configuration(id), neighbourhood)
    }

    /// The valid neighbours of any configuration, valid or not, in ascending order.
    ///
    /// # Panics
    /// When `of` has not one index for every parameter.
    #[must_use]
    pub fn neighbours_of(
        &self,
        of: &Configuration,
        neighbourhood: Neighbourhood,
    ) -> Vec<ConfigurationId> {
        let chosen = &of.0;
        assert_eq!(chosen.len(), self.parameters.len(), "one index for every parameter");
        let mut found = Vec::new();
        let Some(root) = self.diagram.root else { return found };
        match neighbourhood {
            Neighbourhood::Hamming => self.hamming(chosen, &mut found),
            _ => {
                let ranges: Vec<(u32, u32)> =
                    (0..chosen.len()).map(|d| self.range(d, chosen[d], neighbourhood)).collect();
                self.within(root, &ranges, 0, &mut found);
                let own = self.id_of(of);
                found.retain(|neighbour| Some(*neighbour) != own);
            }
        }
        found
    }

    fn hamming(&self, chosen: &[u32], found: &mut Vec<ConfigurationId>) {
        let (mut node, mut before) = (self.diagram.root.unwrap_or(END), 0);
        for (depth, index) in chosen.iter().enumerate() {
            let mut next = None;
            for edge in self.diagram.edges_of(node) {
                if edge.value == *index {
                    next = Some(*edge);
                } else if let Some(rest) = self.diagram.find_below(edge.child, &chosen[depth + 1..])
                {
                    found.push(ConfigurationId(before + edge.before + rest));
                }
            }
            let Some(edge) = next else { break };
            before += edge.before;
            node = edge.child;
        }
        found.sort_unstable();
    }

    /// The lowest and the highest index that a neighbour may have at one parameter.
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

    fn within(
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
}
