//! Simulated annealing: a walk through neighbours that accepts worse ones more and more rarely.
//!
//! *Published*: the schedule is made for a temperature of 1 but starts at 0.1. So it leaves a
//! quarter of a counted budget unspent, and without one it takes thousands of evaluations to cool.
//! *Mended*: the temperature is in units of the distance from the best seen to the median and falls
//! with the budget, known configurations are not evaluated again, and a walk that meets nothing new
//! jumps to an unknown one.

use math::Rng;
use rand::RngExt;
use registry::{Allowed, Knob, Knobs, Preset};
use search_api::{Problem, Stop, Strategy};
use space::{ConfigurationId, Neighbourhood, Space};

use super::walks::{
    climb::Position,
    multi_start::{DRAWN, first},
    temperature::{Yardstick, accepts, cooled},
};
use crate::problem::{
    explorer::Explorer,
    form::{FORM, Form, TPDS2026},
};

/// Probability of a Hamming step, drawn once per parameter, before the adjacent step.
const LEAP: f64 = 0.2;
/// Consecutive steps to known configurations after which the walk continues elsewhere.
const STUCK: u32 = 100;

inventory::submit!(Strategy {
    name: "simulated_annealing",
    aliases: &["annealing"],
    about: "walks through neighbours, accepting worse ones less and less as it cools",
    reference: "Kirkpatrick, Gelatt and Vecchi, Optimization by Simulated Annealing, Science 220, 1983",
    knobs: &[
        FORM,
        Knob {
            name: "hot",
            about: "temperature at first; in the published form relative to the cost",
            default: "0.1",
            allowed: Allowed::Number(1e-9, 1e9),
        },
        Knob {
            name: "cold",
            about: "temperature at the end",
            default: "0.0001",
            allowed: Allowed::Number(1e-12, 1e9),
        },
        Knob {
            name: "alpha",
            about: "factor of the temperature per evaluation in the published schedule",
            default: "0.9975",
            allowed: Allowed::Number(0.01, 0.999_999),
        },
    ],
    presets: &[Preset {
        name: "tpds2026",
        reference: TPDS2026,
        knobs: &[("form", "published"), ("hot", "0.1"), ("cold", "0.001"), ("alpha", "0.9975")],
    },],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let (hot, cold) = (knobs.number("hot"), knobs.number("cold"));
    match Form::of(knobs) {
        Form::Mended => mended(&mut explorer, &space, hot, cold),
        Form::Published => {
            let schedule = Schedule::new(&explorer, &space, hot, cold, knobs.number("alpha"));
            published(&mut explorer, &space, &schedule)
        }
    }
}

/// A step: a Hamming neighbour with probability [`LEAP`] for every parameter, then an adjacent one.
fn step(space: &Space, from: ConfigurationId, rng: &mut Rng) -> ConfigurationId {
    let mut at = from;
    let random = |at, neighbourhood, rng: &mut Rng| {
        space.random_neighbour(&space.configuration(at), neighbourhood, rng).unwrap_or(at)
    };
    for _ in space.parameters() {
        if rng.random_bool(LEAP) {
            at = random(at, Neighbourhood::Hamming, rng);
        }
    }
    random(at, Neighbourhood::Adjacent, rng)
}

fn mended(explorer: &mut Explorer<'_>, space: &Space, hot: f64, cold: f64) -> Result<(), Stop> {
    let mut yardstick = Yardstick::default();
    let Some(mut at) = first(explorer, DRAWN)? else { return Ok(()) };
    yardstick.see(at.cost);
    loop {
        let id = step(space, at.id, explorer.rng());
        let next = Position { id, cost: explorer.recall(id)? };
        if explorer.fruitless() == 0 {
            yardstick.see(next.cost);
        }
        let temperature = cooled(hot, cold.min(hot), explorer.progress());
        if accepts(yardstick.rise(at.cost, next.cost), temperature, explorer.rng()) {
            at = next;
        }
        if explorer.fruitless() >= STUCK {
            let Some(elsewhere) = explorer.unknown() else { return Ok(()) };
            at = Position::of(explorer, elsewhere)?;
            yardstick.see(at.cost);
        }
    }
}

/// The published schedule: `hot` · alpha^(pace · different configurations evaluated).
struct Schedule {
    hot: f64,
    cold: f64,
    alpha: f64,
    pace: f64,
}

impl Schedule {
    /// Fits `pace` to the limit of evaluations, if there is one.
    fn new(explorer: &Explorer<'_>, space: &Space, hot: f64, cold: f64, alpha: f64) -> Self {
        let steps = (cold.ln() / alpha.ln()).ceil().max(1.0);
        let limit = explorer.limit().map_or(steps, |limit| limit as f64).min(space.len() as f64);
        Self { hot, cold, alpha, pace: steps / limit.max(1.0) }
    }

    fn temperature(&self, evaluations: u64) -> f64 {
        self.hot * self.alpha.powf(self.pace * evaluations as f64)
    }
}

fn published(explorer: &mut Explorer<'_>, space: &Space, schedule: &Schedule) -> Result<(), Stop> {
    let Some(Position { id: mut at, cost }) = first(explorer, 1)? else { return Ok(()) };
    let mut cost = cost.min(f64::MAX);
    let mut stuck = 0;
    loop {
        let temperature = schedule.temperature(explorer.evaluations());
        if temperature <= schedule.cold {
            return Ok(());
        }
        let next = step(space, at, explorer.rng());
        let next_cost = explorer.cost(next)?.min(f64::MAX);
        let scale = if cost == 0.0 { 1e-20 } else { cost.abs() };
        if accepts((next_cost - cost) / scale, temperature, explorer.rng()) {
            (at, cost) = (next, next_cost);
        }
        stuck = if explorer.fruitless() == 0 { 0 } else { stuck + 1 };
        if stuck > STUCK {
            // As published, the cost of the previous place is kept.
            at = space.random(explorer.rng()).unwrap_or(at);
            stuck = 0;
        }
    }
}
