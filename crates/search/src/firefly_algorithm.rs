//! Firefly algorithm: fireflies move towards brighter ones, more if these are near, and a little at
//! random.
//!
//! *Published*: a place without a valid configuration counts as a failure, and the random part
//! never shrinks. *Mended*: invalid places move to a valid configuration nearby, distances and the
//! random part are in units of each parameter's range, the random part shrinks with the budget, the
//! swarm is small when the budget is, and known configurations are not visited again.

use rand::RngExt;
use registry::{Allowed, Knob, Knobs, Preset};
use search_api::{Problem, Stop, Strategy};
use space::{ConfigurationId, Space};

use super::{
    populations::{
        continuous::Continuous,
        members::{affordable, evaluated, with_starts},
        repair,
    },
    walks::temperature::cooled,
};
use crate::problem::{
    explorer::Explorer,
    form::{FORM, Form, TPDS2026},
};

/// Published number of fireflies and length of the random part.
const PUBLISHED: (u64, f64) = (20, 0.2);
/// Share of the budget that the swarm's first places may cost.
const FIRST: f64 = 0.1;
/// Length of the mended random part at the end, as a share of its initial length.
const CALM: f64 = 0.1;
/// Tries to find an unknown place nearby before a firefly goes to a random unknown one.
const PLACES: usize = 20;

inventory::submit!(Strategy {
    name: "firefly_algorithm",
    aliases: &["firefly"],
    about: "a swarm in which each moves towards all that are better, the nearer the more",
    reference: "Yang, Firefly Algorithms for Multimodal Optimization, SAGA, LNCS 5792, 2009",
    knobs: &[
        FORM,
        Knob {
            name: "fireflies",
            about: "fireflies in the swarm (published: 20)",
            default: "10",
            allowed: Allowed::Integer(1, 10_000),
        },
        Knob {
            name: "iterations",
            about: "rounds of the published form, which ends with them",
            default: "100",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "attractiveness",
            about: "how far a firefly moves towards another one at no distance (B0)",
            default: "1.0",
            allowed: Allowed::Number(0.0, 10.0),
        },
        Knob {
            name: "absorption",
            about: "how fast attraction falls with distance (gamma)",
            default: "1.0",
            allowed: Allowed::Number(0.0, 1e6),
        },
        Knob {
            name: "randomness",
            about: "length of the random part of a move (alpha; published: 0.2)",
            default: "0.5",
            allowed: Allowed::Number(0.001, 10.0),
        },
    ],
    presets: &[Preset {
        name: "tpds2026",
        reference: TPDS2026,
        knobs: &[
            ("form", "published"),
            ("fireflies", "20"),
            ("iterations", "100"),
            ("attractiveness", "1.0"),
            ("absorption", "1.0"),
            ("randomness", "0.2")
        ],
    },],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let form = Form::of(knobs);
    let swarm = Swarm {
        space: &space,
        continuous: Continuous::new(&space),
        attractiveness: knobs.number("attractiveness"),
        absorption: knobs.number("absorption"),
        randomness: form.number(knobs, "randomness", PUBLISHED.1),
    };
    let fireflies = form.integer(knobs, "fireflies", PUBLISHED.0);
    let drawn = space.sample(fireflies as usize, explorer.rng());
    let first = with_starts(&explorer.starts(), &drawn);
    match form {
        Form::Mended => swarm.mended(&mut explorer, &first),
        Form::Published => swarm.published(&mut explorer, &first, knobs.integer("iterations")),
    }
}

#[derive(Clone)]
struct Firefly {
    place: Vec<f64>,
    /// Lower is brighter.
    cost: f64,
}

struct Swarm<'a> {
    space: &'a Space,
    continuous: Continuous,
    attractiveness: f64,
    absorption: f64,
    randomness: f64,
}

impl Swarm<'_> {
    fn approach(&self, place: &mut [f64], other: &[f64], distance: f64) {
        let attraction = self.attractiveness * (-self.absorption * distance * distance).exp();
        for (at, other) in place.iter_mut().zip(other) {
            *at += attraction * (other - *at);
        }
    }

    fn place(&self, id: ConfigurationId) -> Vec<f64> {
        self.continuous.place(&self.space.configuration(id))
    }

    fn published(
        &self,
        explorer: &mut Explorer<'_>,
        first: &[ConfigurationId],
        iterations: u64,
    ) -> Result<(), Stop> {
        let members = evaluated(explorer, self.space, first)?;
        let mut flies: Vec<Firefly> = members
            .iter()
            .map(|member| Firefly {
                place: self.continuous.place(&member.genes),
                cost: member.cost.min(f64::MAX),
            })
            .collect();
        for _ in 0..iterations {
            explorer.check()?;
            for i in 0..flies.len() {
                for j in 0..flies.len() {
                    if flies[j].cost >= flies[i].cost {
                        continue;
                    }
                    let other = flies[j].place.clone();
                    let fly = &mut flies[i];
                    let apart = fly.place.iter().zip(&other).map(|(a, b)| (a - b).powi(2));
                    let distance = apart.sum::<f64>().sqrt();
                    self.approach(&mut fly.place, &other, distance);
                    for at in &mut fly.place {
                        *at += self.randomness * explorer.rng().random_range(-0.5..0.5);
                    }
                    self.continuous.clamp(&mut fly.place);
                    let here = self.space.id_of(&self.continuous.around(&fly.place));
                    fly.cost = match here {
                        Some(id) => explorer.cost(id)?.min(f64::MAX),
                        None => f64::MAX,
                    };
                }
            }
            flies.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        }
        Ok(())
    }

    fn mended(&self, explorer: &mut Explorer<'_>, first: &[ConfigurationId]) -> Result<(), Stop> {
        let members = affordable(explorer, self.space, first, FIRST)?;
        let mut flies: Vec<Firefly> = members
            .iter()
            .map(|m| Firefly { place: self.continuous.place(&m.genes), cost: m.cost })
            .collect();
        while !flies.is_empty() {
            flies.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            for i in 0..flies.len() {
                let randomness =
                    cooled(self.randomness, CALM * self.randomness, explorer.progress());
                let mut tries = 0;
                let next = explorer.unknown_of(PLACES, |rng| {
                    let mut place = flies[i].place.clone();
                    for brighter in flies.iter().filter(|fly| fly.cost < flies[i].cost) {
                        let distance = self.distance(&place, &brighter.place);
                        self.approach(&mut place, &brighter.place, distance);
                    }
                    // Steps get longer while everything around is known.
                    tries += 1;
                    let reach = randomness * f64::from(tries);
                    for (d, at) in place.iter_mut().enumerate() {
                        *at += reach * rng.random_range(-0.5..0.5) * self.continuous.end(d);
                    }
                    self.continuous.clamp(&mut place);
                    repair::always(self.space, &self.continuous.around(&place), rng)
                });
                let Some(id) = next else { return Ok(()) };
                let cost = explorer.cost(id)?;
                if cost < flies[i].cost || i > 0 {
                    flies[i] = Firefly { place: self.place(id), cost };
                }
            }
        }
        Ok(())
    }

    /// Distance in units of each parameter's range.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let apart = |(d, (a, b)): (usize, (&f64, &f64))| ((a - b) / self.continuous.end(d)).powi(2);
        let sum: f64 = a.iter().zip(b).enumerate().map(apart).sum();
        (sum / self.continuous.dimensions().max(1) as f64).sqrt()
    }
}
