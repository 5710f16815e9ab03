//! Trials of differential evolution: a member's values mixed with those of a donor.

use math::Rng;
use rand::{RngExt, seq::index};
use space::{Configuration, Space};

use super::members::Member;

/// Names for [`Variant::named`]: base, number of differences, kind of crossover.
pub(crate) const VARIANTS: &[&str] = &[
    "best1bin",
    "rand1bin",
    "best2bin",
    "rand2bin",
    "best1exp",
    "rand1exp",
    "best2exp",
    "rand2exp",
    "currenttobest1bin",
    "currenttobest1exp",
    "randtobest1bin",
    "randtobest1exp",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Best,
    Random,
    CurrentToBest,
    RandomToBest,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    base: Base,
    /// Two differences instead of one.
    double: bool,
    /// Donors give a stretch of values instead of scattered ones.
    exponential: bool,
}

impl Variant {
    pub(crate) fn named(name: &str) -> Self {
        let base = match name.split(['1', '2']).next() {
            Some("rand") => Base::Random,
            Some("currenttobest") => Base::CurrentToBest,
            Some("randtobest") => Base::RandomToBest,
            _ => Base::Best,
        };
        Self { base, double: name.contains('2'), exponential: name.ends_with("exp") }
    }

    /// Number of members that a donor needs in addition to the best.
    fn draws(self) -> usize {
        2 * (1 + usize::from(self.double)) + usize::from(self.base != Base::Best)
    }
}

pub(crate) struct Donor {
    variant: Variant,
    /// Scale of differences (F).
    factor: f64,
    /// Share of values that come from the donor (CR).
    crossover: f64,
    /// The last index of every parameter.
    last: Vec<f64>,
}

impl Donor {
    pub(crate) fn new(space: &Space, variant: Variant, factor: f64, crossover: f64) -> Self {
        let last = space.parameters().iter().map(|p| p.values.len() as f64 - 1.0).collect();
        Self { variant, factor, crossover, last }
    }

    /// A trial for one member, valid or not.
    pub(crate) fn trial(
        &self,
        members: &[Member],
        at: usize,
        best: &Configuration,
        rng: &mut Rng,
    ) -> Configuration {
        let donor = self.donor(members, at, best, rng);
        self.mix(&members[at].genes, &donor, rng)
    }

    /// Base plus scaled differences, rounded and clipped to the lists of values.
    fn donor(
        &self,
        members: &[Member],
        at: usize,
        best: &Configuration,
        rng: &mut Rng,
    ) -> Configuration {
        let drawn = others(members.len(), at, self.variant.draws(), rng);
        let value = |which: usize, d: usize| f64::from(members[drawn[which]].genes.0[d]);
        let donate = |(d, top): (usize, &u32)| {
            let top = f64::from(*top);
            let towards = |from: f64| from + self.factor * (top - from);
            let (base, first) = match self.variant.base {
                Base::Best => (top, 0),
                Base::Random => (value(0, d), 1),
                Base::RandomToBest => (towards(value(0, d)), 1),
                Base::CurrentToBest => (towards(f64::from(members[at].genes.0[d])), 1),
            };
            let mut difference = value(first, d) - value(first + 1, d);
            if self.variant.double {
                difference += value(first + 2, d) - value(first + 3, d);
            }
            let index = (base + self.factor * difference).round_ties_even();
            index.clamp(0.0, self.last[d]) as u32
        };
        Configuration(best.0.iter().enumerate().map(donate).collect())
    }

    /// The member's values with some of the donor's, at least one.
    fn mix(&self, member: &Configuration, donor: &Configuration, rng: &mut Rng) -> Configuration {
        let mut trial = member.clone();
        let dimensions = trial.0.len();
        if dimensions == 0 {
            return trial;
        }
        let always = rng.random_range(0..dimensions);
        trial.0[always] = donor.0[always];
        if self.variant.exponential {
            for step in 1..dimensions {
                if !rng.random_bool(self.crossover) {
                    break;
                }
                let at = (always + step) % dimensions;
                trial.0[at] = donor.0[at];
            }
        } else {
            for at in 0..dimensions {
                if rng.random_bool(self.crossover) {
                    trial.0[at] = donor.0[at];
                }
            }
        }
        trial
    }
}

/// `draws` members other than `at`, different if there are enough.
fn others(count: usize, at: usize, draws: usize, rng: &mut Rng) -> Vec<usize> {
    if count <= 1 {
        return vec![0; draws];
    }
    let skip = |i: usize| if i >= at { i + 1 } else { i };
    if draws < count - 1 {
        index::sample(rng, count - 1, draws).into_iter().map(skip).collect()
    } else {
        (0..draws).map(|_| skip(rng.random_range(0..count - 1))).collect()
    }
}

#[cfg(test)]
mod tests {
    use space::{ConfigurationId, Parameter, seeded};

    use super::*;

    #[test]
    fn variants_say_what_they_are() {
        let variant = Variant::named("best1bin");
        assert_eq!((variant.base, variant.draws(), variant.exponential), (Base::Best, 2, false));
        let variant = Variant::named("rand2exp");
        assert_eq!((variant.base, variant.draws(), variant.exponential), (Base::Random, 5, true));
        assert_eq!(Variant::named("currenttobest1bin").base, Base::CurrentToBest);
        assert_eq!(Variant::named("randtobest1exp").draws(), 3);
    }

    #[test]
    fn without_differences_the_donor_is_its_base() {
        let parameters = ["a", "b"].map(|name| Parameter::new(name, 0_i64..9)).to_vec();
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let members = vec![Member::new(&space, ConfigurationId(3), 1.0); 6];
        let best = space.configuration(ConfigurationId(40));
        let mut rng = seeded(1, 0);
        for name in VARIANTS {
            let variant = Variant::named(name);
            let donor = Donor::new(&space, variant, 1.0, 1.0);
            let base = if variant.base == Base::Random { &members[0].genes } else { &best };
            assert_eq!(donor.donor(&members, 0, &best, &mut rng), *base, "{name}");
            assert_eq!(donor.trial(&members, 0, &best, &mut rng), *base, "{name}");
        }
    }

    #[test]
    fn others_are_different_and_not_the_member() {
        let mut rng = seeded(2, 0);
        for at in 0..6 {
            let mut drawn = others(6, at, 4, &mut rng);
            assert!(!drawn.contains(&at) && drawn.iter().all(|i| *i < 6));
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 4);
        }
        assert_eq!(others(1, 0, 2, &mut rng), [0, 0]);
        assert_eq!(others(2, 0, 2, &mut rng), [1, 1]);
    }
}
