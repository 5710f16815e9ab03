//! Random genomes: the first ones are spread over the catalogue, later ones differ from the
//! existing ones.

use math::Rng;
use rand::RngExt;

use super::{
    catalogue,
    genome::{Block, Genome, MOST_MOVES},
    kind::{Kind, Role},
};

/// Model and walk of the first genomes, so that even a small family is diverse.
const FIRST: [(Option<&str>, Option<&str>); 12] = [
    (Some("nearest"), Some("strict")),
    (Some("trees"), None),
    (None, Some("population")),
    (Some("process"), None),
    (None, Some("annealing")),
    (Some("pairs"), None),
    (Some("trees"), Some("population")),
    (Some("additive"), None),
    (Some("process"), Some("best")),
    (Some("frequencies"), None),
    (None, Some("tabu")),
    (Some("nearest"), Some("population")),
];
/// Probabilities of a model, of a restart, and of another move.
const CHANCES: (f64, f64, f64) = (0.8, 0.7, 0.6);
/// Candidates for a new genome; the one least like the population is taken.
const LOOKED_AT: usize = 12;

/// Draws a kind of a role, by weight.
pub(super) fn kind(role: Role, rng: &mut Rng) -> &'static Kind {
    let weights: f64 = catalogue::of(role).map(|kind| kind.weight).sum();
    let mut left = weights * rng.random::<f64>();
    let found = catalogue::of(role).find(|kind| {
        left -= kind.weight;
        left < 0.0
    });
    found.or_else(|| catalogue::of(role).last()).expect("every role has kinds")
}

/// Draws any genome.
pub(super) fn any(rng: &mut Rng) -> Genome {
    let block = |role, rng: &mut Rng| Block::of(kind(role, rng));
    let mut moves = vec![block(Role::Move, rng)];
    while moves.len() < MOST_MOVES && rng.random::<f64>() < CHANCES.2 {
        moves.push(block(Role::Move, rng));
    }
    let model = (rng.random::<f64>() < CHANCES.0).then(|| block(Role::Model, rng));
    let restart = (rng.random::<f64>() < CHANCES.1).then(|| block(Role::Restart, rng));
    let genome = Genome {
        design: block(Role::Design, rng),
        walk: block(Role::Walk, rng),
        moves,
        choice: Some(block(Role::Choice, rng)),
        model,
        merit: Some(block(Role::Merit, rng)),
        restart,
    };
    genome.mended(rng)
}

/// Draws the genome of an early candidate, by its number from 1.
pub(super) fn first(number: u64, rng: &mut Rng) -> Genome {
    let turn = usize::try_from(number.saturating_sub(1)).unwrap_or(0) % FIRST.len();
    let (model, walk) = FIRST[turn];
    let mut genome = any(rng);
    let merit = genome.merit.take().unwrap_or_else(|| Block::of(kind(Role::Merit, rng)));
    let named = |role, name| catalogue::find(role, name).map(Block::of);
    genome.model = model.and_then(|name| match &genome.model {
        Some(drawn) if drawn.is == name => Some(drawn.clone()),
        _ => named(Role::Model, name),
    });
    genome.merit = Some(merit);
    if let Some(walk) = walk.and_then(|name| named(Role::Walk, name))
        && genome.walk.is != walk.is
    {
        genome.walk = walk;
    }
    genome.mended(rng)
}

/// Draws a genome unlike those of a population.
pub(super) fn unlike(population: &[Genome], rng: &mut Rng) -> Genome {
    let nearest = |genome: &Genome| population.iter().map(|other| genome.apart(other)).min();
    let mut chosen = any(rng);
    for _ in 1..LOOKED_AT {
        let other = any(rng);
        if nearest(&other) > nearest(&chosen) {
            chosen = other;
        }
    }
    chosen
}
