//! Children of a genome: with changed settings, with another block, with a block of another genome,
//! or with a block less.

use math::Rng;
use rand::RngExt;

use super::{
    catalogue,
    draw::kind,
    genome::{Block, Genome, MOST_MOVES},
    kind::Role,
};

/// Probabilities of changing only settings, and of taking a block from another genome.
const CHANCES: (f64, f64) = (0.55, 0.2);
/// Tries for a child that differs from all others.
const TRIES: usize = 20;

const ROLES: [Role; 7] =
    [Role::Design, Role::Walk, Role::Move, Role::Choice, Role::Model, Role::Merit, Role::Restart];

/// The parent with a small change; differs from it and from the whole population.
pub(super) fn refined(parent: &Genome, population: &[Genome], rng: &mut Rng) -> Genome {
    let mut child = parent.clone();
    for _ in 0..TRIES {
        let mate =
            (!population.is_empty()).then(|| &population[rng.random_range(0..population.len())]);
        let chance = rng.random::<f64>();
        child = match mate {
            _ if chance < CHANCES.0 => resettled(parent, rng),
            Some(mate) if chance < CHANCES.0 + CHANCES.1 && mate != parent => {
                crossed(parent, mate, rng)
            }
            _ => swapped(parent, rng),
        };
        if child != *parent && !population.contains(&child) {
            break;
        }
    }
    child
}

/// The parent with a block less, or with a simpler one; if neither is possible, refined.
pub(super) fn simplified(parent: &Genome, population: &[Genome], rng: &mut Rng) -> Genome {
    let lesser: Vec<Genome> = lesser(parent)
        .into_iter()
        .map(|child| child.mended(rng))
        .filter(|child| *child != *parent && !population.contains(child))
        .collect();
    match lesser.len() {
        0 => refined(parent, population, rng),
        // Change settings a little: those that remain were selected together with the removed
        // block.
        count => resettled(&lesser[rng.random_range(0..count)], rng),
    }
}

/// Changes one to three settings a little.
fn resettled(parent: &Genome, rng: &mut Rng) -> Genome {
    let mut child = parent.clone();
    for _ in 0..rng.random_range(1..=3) {
        let names: Vec<(Role, String, String)> = child
            .blocks()
            .flat_map(|(role, block)| {
                block.settings.keys().map(move |name| (role, block.is.clone(), name.clone()))
            })
            .collect();
        if names.is_empty() {
            break;
        }
        let (role, is, name) = &names[rng.random_range(0..names.len())];
        let settings = child.settings(*role, is);
        let Some(setting) = settings.iter().find(|setting| setting.name == name) else { continue };
        for (of, block) in child.blocks_mut() {
            if of == *role
                && block.is == *is
                && let Some(given) = block.settings.get_mut(name)
            {
                *given = setting.range.stepped(given, rng);
            }
        }
    }
    child
}

/// Exchanges a block for another kind of its role, adds one, or removes one.
fn swapped(parent: &Genome, rng: &mut Rng) -> Genome {
    let mut child = parent.clone();
    let role = ROLES[rng.random_range(0..ROLES.len())];
    let block = Block::of(kind(role, rng));
    match role {
        Role::Move => {
            let at = rng.random_range(0..child.moves.len());
            match rng.random_range(0..3) {
                0 if child.moves.len() < MOST_MOVES => child.moves.push(block),
                1 if child.moves.len() > 1 => _ = child.moves.remove(at),
                _ => child.moves[at] = block,
            }
        }
        Role::Restart if child.restart.is_some() && rng.random::<f64>() < 0.3 => {
            child.restart = None
        }
        _ => put(&mut child, role, Some(block)),
    }
    child.mended(rng)
}

/// Takes a block, or all moves, from another genome.
fn crossed(parent: &Genome, mate: &Genome, rng: &mut Rng) -> Genome {
    let mut child = parent.clone();
    match ROLES[rng.random_range(0..ROLES.len())] {
        Role::Move => {
            child.moves.clone_from(&mate.moves);
            child.choice.clone_from(&mate.choice);
        }
        // Settings of a merit fit its model, so both are taken.
        Role::Model | Role::Merit => {
            child.model.clone_from(&mate.model);
            child.merit.clone_from(&mate.merit);
        }
        role => {
            let block = mate.blocks().find(|(of, _)| *of == role).map(|(_, block)| block.clone());
            put(&mut child, role, block);
        }
    }
    child.mended(rng)
}

fn put(genome: &mut Genome, role: Role, block: Option<Block>) {
    match (role, block) {
        (Role::Design, Some(block)) => genome.design = block,
        (Role::Walk, Some(block)) => genome.walk = block,
        (Role::Choice, block) => genome.choice = block,
        (Role::Model, block) => genome.model = block,
        (Role::Merit, block) => genome.merit = block,
        (Role::Restart, block) => genome.restart = block,
        (Role::Design | Role::Walk | Role::Move, _) => {}
    }
}

/// All genomes with one block less than this one, or with a simpler block in its place.
fn lesser(parent: &Genome) -> Vec<Genome> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Genome)| {
        let mut child = parent.clone();
        change(&mut child);
        found.push(child);
    };
    let named = |role, name| catalogue::find(role, name).map(Block::of);
    if parent.moves.len() > 1 {
        for at in 0..parent.moves.len() {
            with(&|child| _ = child.moves.remove(at));
        }
    }
    if parent.choice.as_ref().is_some_and(|choice| choice.is != "shares") {
        with(&|child| child.choice = named(Role::Choice, "shares"));
    }
    if let Some(model) = &parent.model {
        let at = catalogue::of(Role::Model).position(|kind| kind.name == model.is);
        let next =
            at.and_then(|at| at.checked_sub(1)).and_then(|at| catalogue::of(Role::Model).nth(at));
        with(&|child| child.model = next.map(Block::of));
    }
    if parent.merit.as_ref().is_some_and(|merit| merit.is != "level") {
        with(&|child| child.merit = named(Role::Merit, "level"));
    }
    if parent.restart.is_some() {
        with(&|child| child.restart = None);
    }
    if !["best", "strict"].contains(&parent.walk.is.as_str()) {
        let walk = if parent.restart.is_some() { "strict" } else { "best" };
        with(&|child| child.walk = named(Role::Walk, walk).unwrap_or_else(|| child.walk.clone()));
    }
    if parent.design.is != "random" {
        with(&|child| {
            let number = child.design.settings.clone();
            child.design = Block { is: "random".to_owned(), settings: number };
        });
    }
    found
}
