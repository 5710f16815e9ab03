//! Children of two configurations by the operators of Kernel Tuner's NSGA-II and NSGA-III:
//! crossover, by default at two points, mutation to a random neighbour, and repair of invalid
//! children.

use math::Rng;
use rand::RngExt;
use registry::{Allowed, Knob, Knobs};
use space::{Configuration, ConfigurationId, Neighbourhood, Space};

use crate::populations::{
    crossover::{self, Crossover},
    repair,
};

pub(crate) const CROSSOVER: Knob = Knob {
    name: "crossover",
    about: "probability that two parents mix",
    default: "1",
    allowed: Allowed::Number(0.0, 1.0),
};

pub(crate) const CROSSOVER_OPERATOR: Knob = Knob {
    name: "crossover_operator",
    about: "how two children take the values of parents that mix",
    default: "two_point",
    allowed: Allowed::Choice(crossover::NAMES),
};

pub(crate) const MUTATION: Knob = Knob {
    name: "mutation",
    about: "probability that a child is replaced by a neighbour",
    default: "0.1",
    allowed: Allowed::Number(0.0, 1.0),
};

#[derive(Debug, Clone, Copy)]
pub(super) struct Variation {
    /// Probability that two parents mix.
    pub(super) crossover: f64,
    /// How they mix.
    pub(super) operator: Crossover,
    /// Probability that a child is replaced by a neighbour.
    pub(super) mutation: f64,
}

impl Variation {
    pub(super) fn new(knobs: &Knobs) -> Self {
        let operator = match knobs.choice(CROSSOVER_OPERATOR.name) {
            "two_point" => exchanged,
            other => crossover::named(other),
        };
        let [crossover, mutation] = [CROSSOVER, MUTATION].map(|knob| knobs.number(knob.name));
        Self { crossover, operator, mutation }
    }

    /// Up to two children, all valid.
    pub(super) fn children(
        self,
        space: &Space,
        parents: [ConfigurationId; 2],
        rng: &mut Rng,
    ) -> Vec<ConfigurationId> {
        let [mut a, mut b] = parents.map(|id| space.configuration(id));
        if rng.random_bool(self.crossover) {
            (a, b) = (self.operator)(&a, &b, rng);
        }
        let mut children = Vec::with_capacity(2);
        for child in [a, b] {
            let Some(child) = repair::always(space, &child, rng) else { continue };
            let mutated = rng.random_bool(self.mutation).then(|| {
                let of = space.configuration(child);
                space.random_neighbour(&of, Neighbourhood::Hamming, rng)
            });
            children.push(mutated.flatten().unwrap_or(child));
        }
        children
    }
}

/// Two-point crossover between two different cuts, so that it always swaps something.
fn exchanged(
    a: &Configuration,
    b: &Configuration,
    rng: &mut Rng,
) -> (Configuration, Configuration) {
    let (mut a, mut b) = (a.clone(), b.clone());
    let length = a.0.len();
    if length < 2 {
        return (a, b);
    }
    // Cuts lie between parameters. With room for one cut only, the second cut is the end.
    let first = rng.random_range(1..length);
    let second = if length > 2 { other_cut(first, length, rng) } else { length };
    let (from, to) = (first.min(second), first.max(second));
    a.0[from..to].swap_with_slice(&mut b.0[from..to]);
    (a, b)
}

/// A second cut between `length` parameters that differs from the first.
fn other_cut(first: usize, length: usize, rng: &mut Rng) -> usize {
    let drawn = rng.random_range(1..length - 1);
    if drawn >= first { drawn + 1 } else { drawn }
}

#[cfg(test)]
mod tests {
    use space::{Parameter, seeded};

    use super::*;

    const BREED: Variation = Variation { crossover: 1.0, operator: exchanged, mutation: 0.0 };

    fn grid(restrictions: &[&str]) -> Space {
        let values = (0_i64..4).collect::<Vec<_>>();
        let parameters = ["a", "b", "c", "d"].map(|name| Parameter::new(name, values.clone()));
        Space::build(parameters.to_vec(), restrictions, &[]).unwrap()
    }

    #[test]
    fn children_have_every_gene_from_their_parents_at_its_place() {
        let space = grid(&[]);
        let parents = [&[0, 1, 0, 1], &[2, 3, 2, 3]]
            .map(|genes| space.id_of(&Configuration(genes.to_vec())).unwrap());
        let mut seen = rustc_hash::FxHashSet::default();
        for seed in 0..60 {
            let children = BREED.children(&space, parents, &mut seeded(seed, 0));
            let [a, b] = [children[0], children[1]].map(|id| space.configuration(id).0);
            for place in 0..4 {
                let mut genes = [a[place], b[place]];
                genes.sort_unstable();
                assert_eq!(genes, [place as u32 % 2, 2 + place as u32 % 2]);
            }
            seen.insert(a);
        }
        // The segments between two of three places: [1, 2), [1, 3), [2, 3).
        assert_eq!(seen.len(), 3);
    }

    #[test]
    fn a_forbidden_child_becomes_an_allowed_one_near_it() {
        let space = grid(&["a == b", "c == d"]);
        for seed in 0..60 {
            let mut rng = seeded(seed, 0);
            let parents = [space.random(&mut rng).unwrap(), space.random(&mut rng).unwrap()];
            for child in BREED.children(&space, parents, &mut rng) {
                assert_eq!(space.explain(&space.configuration(child)), None);
            }
        }
    }

    #[test]
    fn a_mutated_child_differs_in_one_parameter() {
        let space = grid(&[]);
        let parent = ConfigurationId(77);
        let mutate = Variation { crossover: 0.0, operator: exchanged, mutation: 1.0 };
        for child in mutate.children(&space, [parent, parent], &mut seeded(1, 0)) {
            let (before, after) = (space.configuration(parent).0, space.configuration(child).0);
            assert_eq!(before.iter().zip(&after).filter(|(a, b)| a != b).count(), 1);
        }
    }
}
