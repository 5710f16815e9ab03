//! Greedy iterated local search: it climbs to the first better neighbours, changes the best a
//! little, and climbs again. After a while without improvement it begins elsewhere.

use math::Rng;
use registry::{Allowed, Knob, Knobs};
use search_api::{Problem, Stop, Strategy};
use space::{ConfigurationId, Neighbourhood, Space};

use super::walks::{
    climb::{Climb, NEIGHBOURHOOD, Position, Step, neighbourhood},
    multi_start::{DRAWS, best_drawn, first},
};
use crate::problem::explorer::Explorer;

/// Tries for an unknown changed copy before a climb begins at a random unknown configuration.
const COPIES: usize = 10;

inventory::submit!(Strategy {
    name: "greedy_ils",
    aliases: &["greedy_iterated_local_search"],
    about: "climbs greedily, changes the best it found in a few parameters, and climbs again",
    reference: "Lourenço, Martin and Stützle, Iterated Local Search, Handbook of Metaheuristics, 2003",
    knobs: &[
        NEIGHBOURHOOD,
        DRAWS,
        Knob {
            name: "no_improvement",
            about: "evaluations without anything better before it begins elsewhere",
            default: "25",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "perturbation",
            about: "share of the parameters that change between climbs, at least one",
            default: "0.3",
            allowed: Allowed::Number(0.0, 1.0),
        },
    ],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let climb = Climb { neighbourhood: neighbourhood(knobs), step: Step::First };
    let patience = knobs.integer("no_improvement");
    let changes = knobs.number("perturbation") * space.parameters().len() as f64;
    let changes = (changes as usize).max(1);
    let draws = knobs.integer("draws");
    let Some(start) = first(&mut explorer, draws)? else { return Ok(()) };
    let mut best = climb.from(&mut explorer, &space, start)?;
    let mut improved = explorer.evaluations();
    loop {
        let weary = explorer.evaluations() - improved >= patience;
        let start = if weary {
            best_drawn(&mut explorer, draws, 1.0)?
        } else {
            let copy = |rng: &mut Rng| Some(perturbed(&space, best.id, changes, rng));
            let copy = explorer.unknown_of(COPIES, copy);
            copy.map(|id| Position::of(&mut explorer, id)).transpose()?
        };
        let Some(start) = start else { return Ok(()) };
        let reached = climb.from(&mut explorer, &space, start)?;
        if reached.cost < best.cost || weary {
            best = reached;
            improved = explorer.evaluations();
        }
    }
}

/// The configuration after `changes` random Hamming moves.
fn perturbed(
    space: &Space,
    from: ConfigurationId,
    changes: usize,
    rng: &mut Rng,
) -> ConfigurationId {
    (0..changes).fold(from, |at, _| {
        let hamming = Neighbourhood::Hamming;
        space.random_neighbour(&space.configuration(at), hamming, rng).unwrap_or(at)
    })
}
