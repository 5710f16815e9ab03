//! Genetic algorithm: parents chosen by rank, crossover, repair, and an occasional mutation.
//!
//! *Published*: every generation replaces the one before, including the best, and repeated
//! configurations are evaluated again. *Mended*: a known child mutates until it is unknown, the
//! better of parents and children survive, the first population leaves most of a small budget to
//! its children, and a population that no longer improves keeps only its best.

use math::Rng;
use rand::RngExt;
use registry::{Allowed, Knob, Knobs, Preset};
use search_api::{Problem, Stop, Strategy};
use space::{Configuration, ConfigurationId, Neighbourhood, Space};

use super::populations::{
    crossover::{self, Crossover},
    members::{Member, affordable, evaluated, rank, with_starts},
    repair,
};
use crate::problem::{
    explorer::Explorer,
    form::{FORM, Form, TPDS2026},
};

/// Parents are drawn at rank B · n with B from the distribution Beta(1, 2.5).
const SELECTION: f64 = 2.5;
/// Share of the budget that the first population may cost.
const FIRST: f64 = 0.1;
/// Mutations of a known child before another child is tried.
const MUTATIONS: usize = 8;
/// Generations without a new best after which all but the best are replaced.
const GENERATIONS_WITHOUT_GAIN: usize = 8;
/// Repeated children after which a generation stays smaller.
const REPEATS: usize = 1_000;

inventory::submit!(Strategy {
    name: "genetic_algorithm",
    aliases: &["ga"],
    about: "breeds configurations from the best of a population by crossover, repair and mutation",
    reference: "Holland, Adaptation in Natural and Artificial Systems, 1975; settings of Kernel Tuner",
    knobs: &[
        FORM,
        Knob {
            name: "population",
            about: "configurations in a generation",
            default: "26",
            allowed: Allowed::Integer(2, 100_000),
        },
        Knob {
            name: "generations",
            about: "generations of the published form, which ends with them",
            default: "90",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "crossover",
            about: "how two children take the values of their parents",
            default: "single_point",
            allowed: Allowed::Choice(crossover::NAMES),
        },
        Knob {
            name: "mutation_chance",
            about: "one child in so many mutates",
            default: "55",
            allowed: Allowed::Integer(1, 1_000_000),
        },
    ],
    presets: &[Preset {
        name: "tpds2026",
        reference: TPDS2026,
        knobs: &[
            ("form", "published"),
            ("population", "26"),
            ("generations", "90"),
            ("crossover", "single_point"),
            ("mutation_chance", "55")
        ],
    },],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let breeding = Breeding {
        space: &space,
        crossover: crossover::named(knobs.choice("crossover")),
        mutation: 1.0 / knobs.integer("mutation_chance") as f64,
    };
    let size = knobs.integer("population");
    match Form::of(knobs) {
        Form::Mended => mended(&mut explorer, &breeding, size as usize),
        Form::Published => published(&mut explorer, &breeding, size, knobs.integer("generations")),
    }
}

struct Breeding<'a> {
    space: &'a Space,
    crossover: Crossover,
    mutation: f64,
}

impl Breeding<'_> {
    /// Two children of two parents, repaired, each mutated with a small probability.
    fn children(&self, ranked: &[Member], rng: &mut Rng) -> [Option<ConfigurationId>; 2] {
        let (mother, father) = parents(ranked.len(), rng);
        let (one, other) = (self.crossover)(&ranked[mother].genes, &ranked[father].genes, rng);
        [one, other].map(|child| self.born(&child, rng))
    }

    fn born(&self, child: &Configuration, rng: &mut Rng) -> Option<ConfigurationId> {
        let id = repair::neighbour(self.space, child, rng)?;
        let mutates = rng.random_bool(self.mutation);
        Some(if mutates { self.mutated(id, rng) } else { id })
    }

    /// A random Hamming neighbour, if there is any.
    fn mutated(&self, id: ConfigurationId, rng: &mut Rng) -> ConfigurationId {
        let genes = self.space.configuration(id);
        self.space.random_neighbour(&genes, Neighbourhood::Hamming, rng).unwrap_or(id)
    }
}

/// Two ranks, better ones more likely; different if there are two.
fn parents(count: usize, rng: &mut Rng) -> (usize, usize) {
    // The inverse of the distribution function 1 − (1 − x)^2.5.
    let mut draw = || {
        let share = 1.0 - (1.0 - rng.random::<f64>()).powf(1.0 / SELECTION);
        ((share * count as f64) as usize).min(count - 1)
    };
    let mother = draw();
    let mut father = draw();
    while father == mother && count > 1 {
        father = draw();
    }
    (mother, father)
}

fn mended(explorer: &mut Explorer<'_>, breeding: &Breeding<'_>, size: usize) -> Result<(), Stop> {
    let drawn = breeding.space.sample(size, explorer.rng());
    let first = with_starts(&explorer.starts(), &drawn);
    let mut members = affordable(explorer, breeding.space, &first, FIRST)?;
    let size = members.len();
    let mut idle = 0;
    loop {
        rank(&mut members);
        let brood = brood(explorer, breeding, &members);
        // Everything is known, or the space is empty.
        if brood.is_empty() {
            return Ok(());
        }
        let best = members[0].cost;
        members.extend(evaluated(explorer, breeding.space, &brood)?);
        rank(&mut members);
        members.truncate(size);
        idle = if members[0].cost < best { 0 } else { idle + 1 };
        if idle > GENERATIONS_WITHOUT_GAIN {
            members.truncate(1);
            let strangers = std::iter::from_fn(|| explorer.unknown()).take(size - 1);
            let strangers: Vec<_> = strangers.collect();
            members.extend(evaluated(explorer, breeding.space, &strangers)?);
            idle = 0;
        }
    }
}

/// Unknown children, one for every member; fewer at the end of the space.
fn brood(
    explorer: &mut Explorer<'_>,
    breeding: &Breeding<'_>,
    ranked: &[Member],
) -> Vec<ConfigurationId> {
    let mut brood: Vec<ConfigurationId> = Vec::with_capacity(ranked.len());
    while brood.len() < ranked.len() {
        for child in breeding.children(ranked, explorer.rng()).into_iter().flatten() {
            let mut child = child;
            let taken = |explorer: &Explorer<'_>, child| {
                explorer.known(child).is_some() || brood.contains(&child)
            };
            for _ in 0..MUTATIONS {
                if !taken(explorer, child) {
                    break;
                }
                child = breeding.mutated(child, explorer.rng());
            }
            if brood.len() == ranked.len() {
                break;
            } else if !taken(explorer, child) {
                brood.push(child);
            } else if let Some(stranger) = explorer.unknown().filter(|id| !brood.contains(id)) {
                brood.push(stranger);
            } else {
                return brood;
            }
        }
    }
    brood
}

fn published(
    explorer: &mut Explorer<'_>,
    breeding: &Breeding<'_>,
    size: u64,
    generations: u64,
) -> Result<(), Stop> {
    let all = breeding.space.len();
    let size = if size > all / 2 {
        ((all as f64 / generations as f64 * 3.0).round_ties_even() as u64).max(2).min(size)
    } else {
        size
    } as usize;
    let drawn = breeding.space.sample(size, explorer.rng());
    let mut population = with_starts(&explorer.starts(), &drawn);
    let mut asked = 0;
    for _ in 0..generations {
        let mut members = evaluated(explorer, breeding.space, &population)?;
        rank(&mut members);
        asked += members.len();
        population.clear();
        let (mut repeats, room) = (0, (all as usize).saturating_sub(asked).min(size));
        while population.len() < room && members.len() > 1 && repeats < REPEATS {
            for child in breeding.children(&members, explorer.rng()).into_iter().flatten() {
                if population.contains(&child) || population.len() >= size {
                    repeats += 1;
                } else {
                    population.push(child);
                }
            }
        }
        if population.is_empty() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use space::seeded;

    use super::*;

    #[test]
    fn better_ranks_have_more_children() {
        let mut rng = seeded(1, 0);
        let mut times = [0_u32; 10];
        for _ in 0..10_000 {
            let (mother, father) = parents(10, &mut rng);
            assert_ne!(mother, father);
            times[mother] += 1;
        }
        // The first tenth of Beta(1, 2.5) holds 1 − 0.9^2.5 = 0.2316, the last 0.1^2.5 = 0.0032.
        assert!((f64::from(times[0]) / 1e4 - 0.2316).abs() < 0.02, "{times:?}");
        assert!(times.windows(2).all(|pair| pair[0] > pair[1]), "{times:?}");
        assert_eq!(parents(1, &mut rng), (0, 0));
    }
}
