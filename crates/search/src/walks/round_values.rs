//! Random configurations of round values: powers of two, and values that can be halved often.
//!
//! Widths of warps, memory transactions and banks are powers of two, which also divide work without
//! a remainder. In ten recorded spaces that have other values too, configurations of powers of two
//! rank better than the middle on average in eight: at 0.30 to 0.41 of the ranks for dedispersion,
//! at 0.11 for convolution on an MI250X. They rank worse for pnpoly (0.58 and 0.66), whose best
//! tile is the largest and not a power of two.

use math::{Rng, weighted_line};
use space::{Configuration, ConfigurationId, Parameter, Space};

/// Random configurations that are drawn for each one that is kept.
const AMONG: usize = 5;
/// Shortest list of values in which some can be rounder than others.
const SHORTEST: usize = 3;

/// How far from round every value of a space is.
#[derive(Debug, Clone)]
pub(crate) struct RoundValues {
    /// By parameter and value; empty for a parameter whose values are all equally round.
    odd: Vec<Vec<f64>>,
}

impl RoundValues {
    pub(crate) fn new(space: &Space) -> Self {
        let of = |parameter| oddness(parameter).unwrap_or_default();
        Self { odd: space.parameters().iter().map(of).collect() }
    }

    /// Draws several times `count` random configurations, and returns those with the roundest
    /// values, none twice.
    pub(crate) fn draw(&self, space: &Space, count: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
        let tells = self.odd.iter().any(|odd| !odd.is_empty());
        let among = if tells { AMONG * count } else { count };
        let drawn = (0..among).filter_map(|_| space.random(rng));
        let mut drawn: Vec<(f64, ConfigurationId)> =
            drawn.map(|id| (self.of(&space.configuration(id)), id)).collect();
        drawn.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        drawn.dedup();
        drawn.truncate(count);
        drawn.into_iter().map(|(_, id)| id).collect()
    }

    fn of(&self, configuration: &Configuration) -> f64 {
        let odd = configuration.0.iter().zip(&self.odd);
        odd.filter_map(|(place, odd)| odd.get(*place as usize)).sum()
    }
}

/// log2 of the odd factor of every value, less its linear trend along the list, so that round
/// values are neither the small nor the large ones. `None` for short lists, values that are not
/// positive whole numbers, or values that are all equally round.
fn oddness(parameter: &Parameter) -> Option<Vec<f64>> {
    let whole = parameter.values.iter().map(|value| value.as_i64().filter(|value| *value > 0));
    let whole: Vec<i64> = whole.collect::<Option<_>>()?;
    let odd: Vec<f64> =
        whole.iter().map(|value| ((value >> value.trailing_zeros()) as f64).log2()).collect();
    if odd.len() < SHORTEST || odd.iter().all(|other| other.total_cmp(&odd[0]).is_eq()) {
        return None;
    }
    let places: Vec<f64> = (0..odd.len()).map(|place| place as f64).collect();
    let line = weighted_line(&places, &odd, &vec![1.0; odd.len()])?;
    Some(odd.iter().zip(places).map(|(odd, place)| odd - line.at(place)).collect())
}

#[cfg(test)]
mod tests {
    use space::{Value, seeded};

    use super::*;

    fn values(of: &[i64]) -> Option<Vec<f64>> {
        oddness(&Parameter::new("x", of.to_vec()))
    }

    #[test]
    fn round_values_are_neither_small_ones_nor_large_ones() {
        let blocks: Vec<i64> = (1..=16).map(|at| 16 * at).collect();
        let odd = values(&blocks).expect("some are rounder");
        let middle = (odd.len() - 1) as f64 / 2.0;
        let along: f64 = odd.iter().enumerate().map(|(at, odd)| (at as f64 - middle) * odd).sum();
        assert!(along.abs() < 1e-9);
        let at = |value: i64| odd[(value / 16 - 1) as usize];
        assert!(at(64) < at(48) && at(64) < at(80) && at(128) < at(112) && at(96) < at(112));
    }

    #[test]
    fn nothing_is_told_by_powers_of_two_texts_or_pairs() {
        for list in [&[1, 2, 4, 8][..], &[3, 6, 12], &[0, 1, 2, 3], &[2, 3]] {
            assert_eq!(values(list), None, "{list:?}");
        }
        let texts = ["a", "b", "c"].map(Value::from).to_vec();
        assert_eq!(oddness(&Parameter::new("x", texts)), None);
    }

    #[test]
    fn of_a_small_space_all_are_drawn() {
        let parameters = vec![Parameter::new("x", (1..=10).collect::<Vec<i64>>())];
        let space = Space::build(parameters, &[] as &[&str], &[]).expect("a space");
        assert_eq!(RoundValues::new(&space).draw(&space, 60, &mut seeded(3, 0)).len(), 10);
    }

    #[test]
    fn configurations_of_round_values_are_drawn() {
        let list = |n: i64| (1..=n).collect::<Vec<i64>>();
        let parameters = vec![Parameter::new("x", list(16)), Parameter::new("y", list(12))];
        let space = Space::build(parameters, &[] as &[&str], &[]).expect("a space");
        let (round, mut rng) = (RoundValues::new(&space), seeded(7, 0));
        let drawn = round.draw(&space, 40, &mut rng);
        let mean = |ids: &[ConfigurationId]| {
            ids.iter().map(|id| round.of(&space.configuration(*id))).sum::<f64>() / ids.len() as f64
        };
        let all: Vec<ConfigurationId> = space.ids().collect();
        let distinct: std::collections::BTreeSet<_> = drawn.iter().collect();
        assert!(distinct.len() == 40 && mean(&drawn) < mean(&all) - 1.0, "{}", mean(&drawn));
    }
}
