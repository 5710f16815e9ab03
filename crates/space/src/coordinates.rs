//! Real coordinates of configurations. Every point of the unit cube is valid.

use super::{ConfigurationId, Space, diagram::END};

impl Space {
    /// The configuration at coordinates from 0 to 1. Each coordinate picks one of its parameter's
    /// values that are valid after the values picked before. `None` only when nothing is valid.
    /// Costs `p`.
    ///
    /// # Panics
    /// If there is not one coordinate for every parameter.
    #[must_use]
    pub fn at_coordinates(&self, coordinates: &[f64]) -> Option<ConfigurationId> {
        assert_eq!(coordinates.len(), self.parameters.len(), "one for every parameter");
        let (mut node, mut id) = (self.diagram.root?, 0);
        for coordinate in coordinates {
            let edges = self.diagram.edges_of(node);
            let at = (coordinate.clamp(0.0, 1.0) * edges.len() as f64) as usize;
            let edge = edges[at.min(edges.len() - 1)];
            id += edge.before;
            node = edge.child;
        }
        Some(ConfigurationId(id))
    }

    /// Coordinates of a configuration: the middle of the interval that leads to it. Costs
    /// `p log v`.
    ///
    /// # Panics
    /// If `id` is not of this space.
    #[must_use]
    pub fn coordinates(&self, id: ConfigurationId) -> Vec<f64> {
        let configuration = self.configuration(id);
        let mut node = self.diagram.root.unwrap_or(END);
        let mut coordinates = Vec::with_capacity(configuration.0.len());
        for value in configuration.0 {
            let edges = self.diagram.edges_of(node);
            let at = edges.partition_point(|e| e.value < value);
            coordinates.push((at as f64 + 0.5) / edges.len() as f64);
            node = edges[at].child;
        }
        coordinates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameter;

    #[test]
    fn coordinates_point_back_to_their_configuration() {
        let parameters = ["a", "b", "c"].map(|name| Parameter::new(name, 0_i64..6)).to_vec();
        let space = Space::build(parameters, &["(a * b + c) % 7 == 0"], &[]).unwrap();
        for id in space.ids() {
            assert_eq!(space.at_coordinates(&space.coordinates(id)), Some(id));
        }
        assert_eq!(space.at_coordinates(&[0.0; 3]), Some(ConfigurationId(0)));
        assert_eq!(space.at_coordinates(&[1.0; 3]), Some(ConfigurationId(space.len() - 1)));
    }

    #[test]
    fn a_space_without_configurations_has_nowhere_to_point() {
        let space = Space::build(vec![Parameter::new("a", [1_i64])], &["a > 1"], &[]).unwrap();
        assert_eq!(space.at_coordinates(&[0.5]), None);
    }
}
