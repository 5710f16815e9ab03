//! Sizes of a space, with and without its restrictions.

use super::{Space, diagram::END};

impl Space {
    /// Number of valid configurations. O(1).
    #[must_use]
    pub fn len(&self) -> u64 {
        self.diagram.len()
    }

    /// Whether nothing is valid.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of configurations without restrictions, saturating.
    #[must_use]
    pub fn cartesian(&self) -> u128 {
        self.parameters.iter().fold(1, |n, p| n.saturating_mul(p.values.len() as u128))
    }

    /// Exact number of configurations without restrictions, in decimal digits.
    #[must_use]
    pub fn cartesian_digits(&self) -> String {
        product(self.parameters.iter().map(|p| p.values.len() as u64))
    }

    /// Valid share of all configurations.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        // Dividing by one list length after the other never overflows.
        self.parameters.iter().fold(self.len() as f64, |rest, p| rest / p.values.len() as f64)
    }

    /// Number of edges of the graph.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.diagram.edges.len()
    }

    /// Number of nodes of the graph.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.diagram.nodes.len()
    }

    /// Bytes that the graph takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.diagram.edges[..]) + size_of_val(&self.diagram.nodes[..])
    }

    /// For each value of each parameter, the number of valid configurations that have it. O(edges).
    #[must_use]
    pub fn occurrences(&self) -> Vec<Vec<u64>> {
        let mut counts: Vec<Vec<u64>> =
            self.parameters.iter().map(|p| vec![0; p.values.len()]).collect();
        // Number of prefixes that lead to each node.
        let mut prefixes = vec![0_u64; self.diagram.nodes.len()];
        let mut layer: Vec<u32> = self.diagram.root.into_iter().filter(|r| *r != END).collect();
        for root in &layer {
            prefixes[*root as usize] = 1;
        }
        for counts in &mut counts {
            let mut next = Vec::new();
            for node in layer {
                let leading = prefixes[node as usize];
                for edge in self.diagram.edges_of(node) {
                    counts[edge.value as usize] += leading * self.diagram.total(edge.child);
                    if edge.child != END {
                        let reached = &mut prefixes[edge.child as usize];
                        if *reached == 0 {
                            next.push(edge.child);
                        }
                        *reached += leading;
                    }
                }
            }
            layer = next;
        }
        counts
    }
}

/// Product of any size, in decimal digits.
fn product(numbers: impl IntoIterator<Item = u64>) -> String {
    const BASE: u128 = 1_000_000_000_000_000_000;
    // Groups of 18 digits, lowest group first.
    let mut groups = vec![1_u128];
    for number in numbers {
        let mut carry = 0;
        for group in &mut groups {
            let full = *group * u128::from(number) + carry;
            *group = full % BASE;
            carry = full / BASE;
        }
        while carry > 0 {
            groups.push(carry % BASE);
            carry /= BASE;
        }
    }
    while groups.len() > 1 && groups.last() == Some(&0) {
        groups.pop();
    }
    let mut digits = groups.pop().unwrap_or(0).to_string();
    for group in groups.iter().rev() {
        digits.push_str(&format!("{group:018}"));
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameter;

    #[test]
    fn products_have_all_their_digits() {
        assert_eq!(product([]), "1");
        assert_eq!(product([12, 0, 7]), "0");
        assert_eq!(product([10; 40]), format!("1{}", "0".repeat(40)));
        assert_eq!(product([u64::MAX, u64::MAX]), (u128::from(u64::MAX).pow(2)).to_string());
    }

    #[test]
    fn values_are_counted_in_valid_configurations_alone() {
        let parameters = vec![Parameter::new("a", [1, 2, 3]), Parameter::new("b", [1, 2, 3, 4])];
        let space = Space::build(parameters, &["a * b <= 6", "b != 2"], &[]).unwrap();
        // (1,1) (1,3) (1,4) (2,1) (2,3) (3,1)
        assert_eq!(space.occurrences(), [vec![3, 2, 1], vec![3, 0, 2, 1]]);
        assert!((space.fraction() - 0.5).abs() < 1e-12);
        assert_eq!((space.cartesian_digits().as_str(), space.cartesian()), ("12", 12));
    }
}
