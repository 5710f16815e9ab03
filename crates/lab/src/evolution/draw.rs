//! Random draws of a family: the mutation and the parent of every child.

use math::seeded_search;
use rand::{RngExt, seq::IndexedRandom};
use records::FamilyRules;

use super::Mutation;

/// Offset of the random streams, so that no candidate shares a stream with its search.
const STREAM: u64 = 0xE701_7E00_0000_0000;

/// Mutations of children, all equally likely.
const MUTATIONS: [Mutation; 3] = [Mutation::Refine, Mutation::New, Mutation::Simplify];

/// The random choices for a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Draw {
    /// Seed for the generator.
    pub(super) seed: u64,
    pub(super) mutation: Mutation,
    /// Position of the parent in the population.
    pub(super) parent: Option<usize>,
}

impl Draw {
    /// The draw for candidate `number` with a population of this size. It depends on the seed, the
    /// number and the size alone, so that an interrupted family resumes exactly.
    pub(super) fn of(rules: &FamilyRules, number: u64, population: usize) -> Self {
        let mut rng = seeded_search(rules.seed, STREAM ^ number);
        // 53 bits: JSON and scripts hold integers exactly up to 2^53.
        let seed = rng.random::<u64>() >> 11;
        let mutation = MUTATIONS.choose(&mut rng).copied().unwrap_or(Mutation::New);
        match generation(rules, number) {
            1 => Self { seed, mutation: Mutation::Begin, parent: None },
            _ if population == 0 => Self { seed, mutation: Mutation::Begin, parent: None },
            _ => Self { seed, mutation, parent: Some(rng.random_range(0..population)) },
        }
    }
}

/// The generation of a candidate, from 1. The first generation has as many candidates as there are
/// parents.
pub(super) fn generation(rules: &FamilyRules, number: u64) -> u64 {
    match number.checked_sub(rules.parents + 1) {
        None => 1,
        Some(child) => 2 + child / rules.offspring.max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(seed: u64) -> FamilyRules {
        FamilyRules {
            seed,
            parents: 4,
            offspring: 12,
            repeats: 1,
            final_repeats: 0,
            candidate_seconds: 1.0,
            target: String::new(),
            description: String::new(),
        }
    }

    #[test]
    fn a_hundred_candidates_are_the_first_four_and_eight_generations_of_twelve() {
        let of = |number| generation(&rules(1), number);
        assert_eq!([1, 4, 5, 16, 17, 100].map(of), [1, 1, 2, 2, 3, 9]);
        assert_eq!(of(101), 10);
    }

    #[test]
    fn draws_repeat_by_seed_and_number_and_cover_everything() {
        let all: Vec<Draw> = (5..305).map(|number| Draw::of(&rules(7), number, 4)).collect();
        assert_eq!(all[0], Draw::of(&rules(7), 5, 4));
        assert_ne!(all[0].seed, Draw::of(&rules(8), 5, 4).seed);
        for mutation in MUTATIONS {
            let share = all.iter().filter(|draw| draw.mutation == mutation).count();
            // Expect a third of 300, with a standard deviation of 8.
            assert!((60..140).contains(&share), "{mutation:?}: {share}");
        }
        for parent in 0..4 {
            let share = all.iter().filter(|draw| draw.parent == Some(parent)).count();
            assert!((40..110).contains(&share), "{parent}: {share}");
        }
        let first = Draw::of(&rules(7), 4, 4);
        assert_eq!((first.mutation, first.parent), (Mutation::Begin, None));
        assert_eq!(Draw::of(&rules(7), 5, 0).mutation, Mutation::Begin, "nobody survived");
    }
}
