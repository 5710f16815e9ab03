//! Draws a random neighbour without listing all neighbours.

use math::Rng;
use rand::RngExt;

use super::{Configuration, ConfigurationId, Neighbourhood, Space, diagram::END};

/// Draws that may fail before all neighbours are listed instead.
const BLIND_DRAWS: usize = 200;

impl Space {
    /// A uniformly drawn valid neighbour of a configuration that may be invalid; `None` if it has
    /// none.
    ///
    /// Draws candidates until one is valid, which costs `p` for each draw. Costs as much as
    /// [`Space::neighbours`] if the configuration has almost no neighbours, or if only one
    /// parameter may move to its next value.
    ///
    /// # Panics
    /// If `of` has not one index for every parameter.
    #[must_use]
    pub fn random_neighbour(
        &self,
        of: &Configuration,
        neighbourhood: Neighbourhood,
        rng: &mut Rng,
    ) -> Option<ConfigurationId> {
        assert_eq!(of.0.len(), self.parameters.len(), "one index for every parameter");
        let drawn = match neighbourhood {
            Neighbourhood::Hamming => self.draw_hamming(of, rng),
            Neighbourhood::HammingAdjacent => None,
            _ => self.draw_within(of, neighbourhood, rng),
        };
        drawn.or_else(|| {
            let all = self.neighbours_of_any(of, neighbourhood);
            (!all.is_empty()).then(|| all[rng.random_range(0..all.len())])
        })
    }

    fn draw_hamming(&self, of: &Configuration, rng: &mut Rng) -> Option<ConfigurationId> {
        // A place is one other value of one parameter.
        let others = |d: usize| self.parameters[d].values.len().saturating_sub(1);
        let places: usize = (0..of.0.len()).map(others).sum();
        if places == 0 {
            return None;
        }
        let mut tried = of.clone();
        for _ in 0..BLIND_DRAWS {
            let (mut parameter, mut place) = (0, rng.random_range(0..places));
            while place >= others(parameter) {
                place -= others(parameter);
                parameter += 1;
            }
            let own = of.0[parameter];
            let value = place as u32;
            tried.0[parameter] = if value >= own { value + 1 } else { value };
            if let Some(id) = self.id_of(&tried) {
                return Some(id);
            }
            tried.0[parameter] = own;
        }
        None
    }

    fn draw_within(
        &self,
        of: &Configuration,
        neighbourhood: Neighbourhood,
        rng: &mut Rng,
    ) -> Option<ConfigurationId> {
        (0..BLIND_DRAWS).find_map(|_| self.try_within(of, neighbourhood, rng))
    }

    /// Walks down the graph at random, with at most three values to choose from at each parameter.
    fn try_within(
        &self,
        of: &Configuration,
        neighbourhood: Neighbourhood,
        rng: &mut Rng,
    ) -> Option<ConfigurationId> {
        let (mut node, mut id, mut differs) = (self.diagram.root?, 0, false);
        for (depth, own) in of.0.iter().enumerate() {
            let last = self.parameters[depth].values.len() as u32 - 1;
            let (low, high) = self.range(depth, *own, neighbourhood);
            let mut choices = [*own, low, high.min(last)];
            let mut count = 1;
            for at in 1..choices.len() {
                if choices[at] != *own {
                    choices[count] = choices[at];
                    count += 1;
                }
            }
            let value = choices[rng.random_range(0..count)];
            let edge = self.diagram.edge(node, value)?;
            differs |= value != *own;
            id += edge.before;
            node = edge.child;
        }
        (differs && node == END).then_some(ConfigurationId(id))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::{Parameter, seeded};

    fn space() -> Space {
        let parameters = ["a", "b", "c"].map(|name| Parameter::new(name, 0_i64..5)).to_vec();
        Space::build(parameters, &["(a + b + c) % 2 == 0", "a * b < 12"], &[]).unwrap()
    }

    #[test]
    fn every_neighbour_is_drawn_and_about_equally_often() {
        let space = space();
        let mut rng = seeded(1, 0);
        for neighbourhood in
            [Neighbourhood::Hamming, Neighbourhood::Adjacent, Neighbourhood::StrictlyAdjacent]
        {
            // The first configuration is valid, the second invalid.
            for of in [Configuration(vec![2, 2, 2]), Configuration(vec![3, 4, 2])] {
                let all = space.neighbours_of_any(&of, neighbourhood);
                let mut times: HashMap<ConfigurationId, u32> = HashMap::new();
                for _ in 0..all.len() * 400 {
                    let drawn = space.random_neighbour(&of, neighbourhood, &mut rng).unwrap();
                    *times.entry(drawn).or_default() += 1;
                }
                let mut drawn: Vec<_> = times.keys().copied().collect();
                drawn.sort_unstable();
                assert_eq!(drawn, all);
                // 400 expected each, a standard deviation of 20.
                assert!(times.values().all(|n| (300..500).contains(n)), "{times:?}");
            }
        }
    }

    #[test]
    fn what_has_no_neighbour_has_no_random_one() {
        let alone = Space::build(vec![Parameter::new("a", [1_i64, 2])], &["a == 1"], &[]).unwrap();
        let none = Space::build(vec![Parameter::new("a", [1_i64, 2])], &["a > 2"], &[]).unwrap();
        let bare = Space::build(Vec::new(), &[] as &[&str], &[]).unwrap();
        let mut rng = seeded(1, 0);
        for neighbourhood in [Neighbourhood::Hamming, Neighbourhood::Adjacent] {
            for (space, of) in [(&alone, vec![0]), (&none, vec![0]), (&bare, Vec::new())] {
                let of = Configuration(of);
                assert_eq!(space.random_neighbour(&of, neighbourhood, &mut rng), None);
            }
        }
    }
}
