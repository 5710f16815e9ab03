//! pyATF's differential evolution over points of the unit cube. A coordinate picks among the values
//! that are valid given the coordinates before it, so every point is valid.
//!
//! Each point in turn competes with a mix of itself and a donor: another point plus a share of the
//! difference of two more. Where pyATF would only revisit, the population starts again around its
//! best.

use math::Rng;
use rand::{RngExt, seq::index};
use registry::{Allowed, Knob, Knobs};
use search_api::{Problem, Stop, Strategy};
use space::{ConfigurationId, Space};

use super::populations::members::{affordable, with_starts};
use crate::problem::explorer::Explorer;

/// Share of the budget that the first points may cost.
const FIRST: f64 = 0.1;
/// Consecutive trials of known configurations after which the population starts again.
const STALE: u32 = 60;

inventory::submit!(Strategy {
    name: "pyatf_differential_evolution",
    aliases: &["atf_differential_evolution"],
    about: "differential evolution over coordinates of which every point is valid",
    reference: "Schulze, Gorlatch and Rasch, pyATF: Constraint-Based Auto-Tuning in Python, CC, 2025",
    knobs: &[
        Knob {
            name: "population",
            about: "points of the population (pyATF: 30)",
            default: "10",
            allowed: Allowed::Integer(4, 10_000),
        },
        Knob {
            name: "factor",
            about: "how far differences between points reach (F)",
            default: "0.7",
            allowed: Allowed::Number(0.0, 2.0),
        },
        Knob {
            name: "crossover",
            about: "share of coordinates that come from the donor (CR; pyATF: 0.2)",
            default: "0.5",
            allowed: Allowed::Number(0.0, 1.0),
        },
    ],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let (factor, crossover) = (knobs.number("factor"), knobs.number("crossover"));
    let drawn = space.sample(knobs.integer("population") as usize, explorer.rng());
    let first = with_starts(&explorer.starts(), &drawn);
    let members = affordable(&mut explorer, &space, &first, FIRST)?;
    let mut points: Vec<Individual> =
        members.iter().map(|member| Individual::new(&space, member.id, member.cost)).collect();
    while !points.is_empty() {
        for at in 0..points.len() {
            let place = trial(&points, at, factor, crossover, explorer.rng());
            let Some(id) = space.at_coordinates(&place) else { return Ok(()) };
            let cost = explorer.recall(id)?;
            if cost <= points[at].cost {
                points[at] = Individual { place, cost };
            }
        }
        if explorer.fruitless() >= STALE {
            explorer.check()?;
            points.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            for point in points.iter_mut().skip(1) {
                let Some(id) = explorer.unknown() else { return Ok(()) };
                *point = Individual::new(&space, id, explorer.cost(id)?);
            }
        }
    }
    Ok(())
}

struct Individual {
    place: Vec<f64>,
    cost: f64,
}

impl Individual {
    fn new(space: &Space, id: ConfigurationId, cost: f64) -> Self {
        Self { place: space.coordinates(id), cost }
    }
}

/// A point that takes some coordinates of a donor, at least one, folded back into the cube.
fn trial(points: &[Individual], at: usize, factor: f64, crossover: f64, rng: &mut Rng) -> Vec<f64> {
    let mut place = points[at].place.clone();
    if place.is_empty() || points.len() < 4 {
        place.iter_mut().for_each(|coordinate| *coordinate = rng.random());
        return place;
    }
    let drawn = index::sample(rng, points.len() - 1, 3);
    let other = |which: usize| {
        let i = drawn.index(which);
        &points[if i >= at { i + 1 } else { i }].place
    };
    let (base, plus, minus) = (other(0), other(1), other(2));
    let always = rng.random_range(0..place.len());
    for (d, coordinate) in place.iter_mut().enumerate() {
        if d == always || rng.random_bool(crossover) {
            let donor = base[d] + factor * (plus[d] - minus[d]);
            *coordinate = if (0.0..=1.0).contains(&donor) { donor } else { donor.abs() % 1.0 };
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use space::seeded;

    use super::*;

    #[test]
    fn trials_stay_in_the_cube_and_differ_in_a_donors_coordinate() {
        let mut rng = seeded(1, 0);
        let mut point = || Individual { place: (0..5).map(|_| rng.random()).collect(), cost: 1.0 };
        let points: Vec<Individual> = (0..6).map(|_| point()).collect();
        let mut rng = seeded(2, 0);
        for at in (0..6).cycle().take(600) {
            let place = trial(&points, at, 1.3, 0.0, &mut rng);
            assert!(place.iter().all(|coordinate| (0.0..=1.0).contains(coordinate)));
            let changed =
                place.iter().zip(&points[at].place).filter(|(a, b)| (*a - *b).abs() > 0.0);
            assert_eq!(changed.count(), 1);
        }
    }
}
