//! Basin hopping: a walk over local minima. Every step displaces all parameters a little and
//! descends. Steps are accepted as in annealing, and the displacement adapts so that half are
//! accepted.
//!
//! *Published*: a descent is L-BFGS-B over real numbers with differences of one value as gradients,
//! so that most of its evaluations are neighbours of one place; the temperature is a number of
//! milliseconds; and the search ends after its steps, whatever the budget. *Mended*: a descent
//! climbs from neighbour to neighbour, temperatures are relative to median − best, and known
//! configurations are not tried again.

use math::Rng;
use rand::RngExt;
use registry::{Allowed, Knob, Knobs, Preset};
use search_api::{Problem, Stop, Strategy};
use space::{Configuration, ConfigurationId, Parameter, Space};

use super::{
    populations::continuous::Continuous,
    walks::{
        climb::{Climb, NEIGHBOURHOOD, Position, Step, neighbourhood},
        multi_start::{DRAWN, first},
        quasi_newton::Bounded,
        temperature::{Yardstick, accepts},
    },
};
use crate::problem::{
    explorer::Explorer,
    form::{FORM, Form, TPDS2026},
};

/// Displacements to known configurations before a descent begins at a random unknown one.
const PLACES: usize = 10;
/// Steps after which the displacement is adapted, and the factor.
const ADAPTED: (u32, f64) = (5, 0.8);
/// Share of steps that should be accepted.
const ACCEPTED: f64 = 0.5;
/// Published temperature, in milliseconds.
const PUBLISHED: f64 = 1.0;
/// SciPy's steps after which the displacement is adapted, and the factor.
const ADAPTED_BY_SCIPY: (u64, f64) = (50, 0.9);

inventory::submit!(Strategy {
    name: "basinhopping",
    aliases: &["basin_hopping"],
    about: "walks from the bottom of one basin to the next by displacement and descent",
    reference: "Wales and Doye, Global Optimization by Basin-Hopping, J. Phys. Chem. A 101, 1997",
    knobs: &[
        FORM,
        NEIGHBOURHOOD,
        Knob {
            name: "iterations",
            about: "steps of the published form, which ends with them",
            default: "100",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "temperature",
            about: "how readily a worse bottom is taken; 1 is what separates best and median (published: 1.0 ms)",
            default: "0.1",
            allowed: Allowed::Number(1e-9, 1e9),
        },
        Knob {
            name: "displacement",
            about: "how far a parameter moves at most at first, as a share of its values",
            default: "0.1",
            allowed: Allowed::Number(0.0, 1.0),
        },
    ],
    presets: &[Preset {
        name: "tpds2026",
        reference: TPDS2026,
        knobs: &[("form", "published"), ("temperature", "1.0"), ("iterations", "100")],
    },],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    if Form::of(knobs) == Form::Published {
        let temperature = Form::Published.number(knobs, "temperature", PUBLISHED);
        return published(&mut explorer, &space, temperature, knobs.integer("iterations"));
    }
    let climb = Climb { neighbourhood: neighbourhood(knobs), step: Step::First };
    let temperature = knobs.number("temperature");
    let mut hop = Hop { reach: knobs.number("displacement"), steps: 0, taken: 0 };
    let mut bottoms = Yardstick::default();
    let Some(start) = first(&mut explorer, DRAWN)? else { return Ok(()) };
    bottoms.see(start.cost);
    let mut bottom = climb.from(&mut explorer, &space, start)?;
    bottoms.see(bottom.cost);
    loop {
        let place = explorer.unknown_of(PLACES, |rng| hop.displaced(&space, bottom.id, rng));
        let Some(id) = place else { return Ok(()) };
        let start = Position::of(&mut explorer, id)?;
        bottoms.see(start.cost);
        let reached = climb.from(&mut explorer, &space, start)?;
        bottoms.see(reached.cost);
        let rise = bottoms.rise(bottom.cost, reached.cost);
        let taken = accepts(rise, temperature, explorer.rng());
        if taken {
            bottom = reached;
        }
        hop.adapt(taken);
    }
}

/// SciPy's basin hopping, as Kernel Tuner calls it.
fn published(
    explorer: &mut Explorer<'_>,
    space: &Space,
    temperature: f64,
    iterations: u64,
) -> Result<(), Stop> {
    let continuous = Continuous::new(space);
    let Some(start) = first(explorer, 1)? else { return Ok(()) };
    let ends: Vec<f64> = (0..continuous.dimensions()).map(|d| continuous.end(d)).collect();
    let bounded = Bounded { ends: &ends, step: continuous.step() };
    let descend = |explorer: &mut Explorer<'_>, from: &[f64]| {
        bounded.minimise(from, &mut |at: &[f64]| {
            let cost = match space.id_of(&continuous.around(at)) {
                Some(id) => explorer.cost(id)?,
                None => f64::INFINITY,
            };
            Ok(explorer.as_published(cost))
        })
    };
    let place = continuous.place(&space.configuration(start.id));
    let (mut bottom, mut cost) = descend(explorer, &place)?;
    let (mut reach, mut taken) = (continuous.step(), 0);
    for step in 1..=iterations {
        explorer.check()?;
        let mut displaced = bottom.clone();
        for at in &mut displaced {
            *at += explorer.rng().random_range(-reach..reach);
        }
        let (there, reached) = descend(explorer, &displaced)?;
        if accepts(reached - cost, temperature, explorer.rng()) {
            (bottom, cost) = (there, reached);
            taken += 1;
        }
        if step % ADAPTED_BY_SCIPY.0 == 0 {
            let often = f64::from(taken) / step as f64 > ACCEPTED;
            reach *= if often { 1.0 / ADAPTED_BY_SCIPY.1 } else { ADAPTED_BY_SCIPY.1 };
        }
    }
    Ok(())
}

struct Hop {
    reach: f64,
    steps: u32,
    taken: u32,
}

impl Hop {
    /// Moves every parameter at random and returns the nearest valid configuration.
    fn displaced(
        &self,
        space: &Space,
        from: ConfigurationId,
        rng: &mut Rng,
    ) -> Option<ConfigurationId> {
        let moved = |(index, parameter): (&u32, &Parameter)| {
            let last = parameter.values.len() as f64 - 1.0;
            // Half a value more, so that parameters with two values can change too.
            let reach = self.reach * last + 0.5;
            let at = f64::from(*index) + rng.random_range(-reach..reach);
            at.round().clamp(0.0, last) as u32
        };
        let own = space.configuration(from);
        let moved = own.0.iter().zip(space.parameters()).map(moved).collect();
        space.nearest_by_hamming(&Configuration(moved))
    }

    /// Widens the displacement if more than half of the steps are accepted, since they fall back to
    /// the same minimum; narrows it otherwise.
    fn adapt(&mut self, taken: bool) {
        self.steps += 1;
        self.taken += u32::from(taken);
        if self.steps == ADAPTED.0 {
            let share = f64::from(self.taken) / f64::from(self.steps);
            let factor = if share > ACCEPTED { 1.0 / ADAPTED.1 } else { ADAPTED.1 };
            *self = Self { reach: (self.reach * factor).clamp(0.05, 1.0), steps: 0, taken: 0 };
        }
    }
}
