//! Coordinates for methods that move through a box of real numbers.

use space::{Configuration, Space};

/// A box of real numbers. Value `i` covers `i · step` to `(i + 1) · step`; the parameter with the
/// most values ends at 1.
pub(crate) struct Continuous {
    lengths: Vec<u32>,
    step: f64,
}

impl Continuous {
    pub(crate) fn new(space: &Space) -> Self {
        let lengths: Vec<u32> = space.parameters().iter().map(|p| p.values.len() as u32).collect();
        let longest = lengths.iter().copied().max().unwrap_or(1);
        Self { lengths, step: 1.0 / f64::from(longest) }
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.lengths.len()
    }

    /// Length of a value's cell.
    pub(crate) fn step(&self) -> f64 {
        self.step
    }

    /// End of a parameter's last value; its first begins at 0.
    pub(crate) fn end(&self, dimension: usize) -> f64 {
        f64::from(self.lengths[dimension]) * self.step
    }

    /// Middle of the cell of a configuration.
    pub(crate) fn place(&self, configuration: &Configuration) -> Vec<f64> {
        configuration.0.iter().map(|index| (f64::from(*index) + 0.5) * self.step).collect()
    }

    /// The configuration whose cell contains a place, valid or not.
    pub(crate) fn around(&self, place: &[f64]) -> Configuration {
        let index = |(at, length): (&f64, &u32)| ((at / self.step) as u32).min(length - 1);
        Configuration(place.iter().zip(&self.lengths).map(index).collect())
    }

    pub(crate) fn clamp(&self, place: &mut [f64]) {
        for (dimension, at) in place.iter_mut().enumerate() {
            *at = at.clamp(0.0, self.end(dimension));
        }
    }
}

#[cfg(test)]
mod tests {
    use space::Parameter;

    use super::*;

    #[test]
    fn places_lead_back_to_their_configuration_and_outside_to_the_edge() {
        let parameters = vec![Parameter::new("a", 0_i64..7), Parameter::new("b", 0_i64..3)];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let continuous = Continuous::new(&space);
        for id in space.ids() {
            let configuration = space.configuration(id);
            assert_eq!(continuous.around(&continuous.place(&configuration)), configuration);
        }
        assert_eq!(continuous.around(&[-1.0, 9.0]), Configuration(vec![0, 2]));
        let mut outside = [-1.0, 9.0];
        continuous.clamp(&mut outside);
        assert!(outside[0].abs() < 1e-12 && (outside[1] - 3.0 / 7.0).abs() < 1e-12);
    }
}
