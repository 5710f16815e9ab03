//! Particle swarm: particles fly through a box, pulled to their own best place and the best of all.
//!
//! *Published*: a place without a valid configuration counts as a failure, velocities begin wider
//! than the range of most parameters, and a swarm that has gathered stays there. *Mended*: invalid
//! places move to the nearest valid configuration, velocities are in units of each parameter's
//! range and bounded, the swarm is small when the budget is, and a particle that meets only known
//! places starts again elsewhere.

use math::Rng;
use rand::RngExt;
use registry::{Allowed, Knob, Knobs, Preset};
use search_api::{Problem, Stop, Strategy};
use space::{ConfigurationId, Space};

use super::populations::{
    continuous::Continuous,
    members::{affordable, with_starts},
    repair,
};
use crate::problem::{
    explorer::Explorer,
    form::{FORM, Form, TPDS2026},
};

/// Share of the budget that the swarm's first places may cost.
const FIRST: f64 = 0.1;
/// Upper limit of a mended particle's velocity, in ranges of a parameter per move.
const FASTEST: f64 = 0.5;
/// Consecutive moves to known configurations after which a mended particle starts again elsewhere.
const IDLE: u32 = 4;

/// Published pulls, where they differ from the textbook's.
const PUBLISHED: Pulls = Pulls { inertia: 0.5, cognitive: 3.5, social: 1.0 };

inventory::submit!(Strategy {
    name: "pso",
    aliases: &["particle_swarm"],
    about: "a swarm of particles, each drawn to its own best place and to the best of all",
    reference: "Kennedy and Eberhart, Particle Swarm Optimization, ICNN, 1995; inertia of Shi and Eberhart, 1998",
    knobs: &[
        FORM,
        Knob {
            name: "particles",
            about: "particles, at most half the space",
            default: "50",
            allowed: Allowed::Integer(1, 100_000),
        },
        Knob {
            name: "iterations",
            about: "moves of the published form, which ends with them",
            default: "190",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "inertia",
            about: "share of its velocity that a particle keeps (published: 0.5)",
            default: "0.7",
            allowed: Allowed::Number(0.0, 1.0),
        },
        Knob {
            name: "cognitive",
            about: "pull of a particle's own best place (published: 3.5)",
            default: "2.0",
            allowed: Allowed::Number(0.0, 10.0),
        },
        Knob {
            name: "social",
            about: "pull of the best place of all (published: 1.0)",
            default: "2.0",
            allowed: Allowed::Number(0.0, 10.0),
        },
    ],
    presets: &[Preset {
        name: "tpds2026",
        reference: TPDS2026,
        knobs: &[
            ("form", "published"),
            ("particles", "50"),
            ("iterations", "190"),
            ("inertia", "0.5"),
            ("cognitive", "3.5"),
            ("social", "1.0")
        ],
    },],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let form = Form::of(knobs);
    let flight = Flight {
        space: &space,
        continuous: Continuous::new(&space),
        pulls: Pulls {
            inertia: form.number(knobs, "inertia", PUBLISHED.inertia),
            cognitive: form.number(knobs, "cognitive", PUBLISHED.cognitive),
            social: form.number(knobs, "social", PUBLISHED.social),
        },
    };
    let half = (space.len() as f64 / 2.0).round_ties_even() as u64;
    let particles = knobs.integer("particles").min(half.max(1)) as usize;
    let drawn = space.sample(particles, explorer.rng());
    let first = with_starts(&explorer.starts(), &drawn);
    match form {
        Form::Mended => flight.mended(&mut explorer, &first),
        Form::Published => flight.published(&mut explorer, &first, knobs.integer("iterations")),
    }
}

struct Particle {
    place: Vec<f64>,
    velocity: Vec<f64>,
    best: Vec<f64>,
    best_cost: f64,
    /// Consecutive moves to known configurations.
    idle: u32,
}

impl Particle {
    fn at(place: Vec<f64>) -> Self {
        Self {
            velocity: vec![0.0; place.len()],
            best: place.clone(),
            place,
            best_cost: f64::INFINITY,
            idle: 0,
        }
    }

    fn learn(&mut self, cost: f64) {
        if cost < self.best_cost {
            self.best_cost = cost;
            self.best.clone_from(&self.place);
        }
    }
}

struct Pulls {
    inertia: f64,
    cognitive: f64,
    social: f64,
}

struct Flight<'a> {
    space: &'a Space,
    continuous: Continuous,
    pulls: Pulls,
}

impl Flight<'_> {
    fn accelerate(&self, particle: &mut Particle, leader: &[f64], rng: &mut Rng) {
        let own = self.pulls.cognitive * rng.random::<f64>();
        let all = self.pulls.social * rng.random::<f64>();
        for (d, velocity) in particle.velocity.iter_mut().enumerate() {
            let at = particle.place[d];
            *velocity = self.pulls.inertia * *velocity
                + own * (particle.best[d] - at)
                + all * (leader[d] - at);
        }
    }

    fn fly(&self, particle: &mut Particle) {
        for (at, velocity) in particle.place.iter_mut().zip(&particle.velocity) {
            *at += velocity;
        }
        self.continuous.clamp(&mut particle.place);
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
        let mut swarm: Vec<Particle> =
            first.iter().map(|id| Particle::at(self.place(*id))).collect();
        for particle in &mut swarm {
            particle.velocity.fill_with(|| explorer.rng().random_range(-1.0..1.0));
        }
        let (mut leader, mut least) = (Vec::new(), f64::MAX);
        for _ in 0..iterations {
            explorer.check()?;
            let here = swarm.iter().map(|p| self.space.id_of(&self.continuous.around(&p.place)));
            let here: Vec<Option<ConfigurationId>> = here.collect();
            let valid: Vec<ConfigurationId> = here.iter().flatten().copied().collect();
            let mut costs = explorer.costs(&valid)?.into_iter();
            for (particle, here) in swarm.iter_mut().zip(&here) {
                let cost = here.and_then(|_| costs.next()).unwrap_or(f64::MAX).min(f64::MAX);
                particle.learn(cost);
                if cost <= least {
                    least = cost;
                    leader.clone_from(&particle.place);
                }
            }
            for particle in &mut swarm {
                self.accelerate(particle, &leader, explorer.rng());
                self.fly(particle);
            }
        }
        Ok(())
    }

    fn mended(&self, explorer: &mut Explorer<'_>, first: &[ConfigurationId]) -> Result<(), Stop> {
        let mut swarm = Vec::new();
        for member in affordable(explorer, self.space, first, FIRST)? {
            let mut particle = self.born(explorer, member.id);
            particle.learn(member.cost);
            swarm.push(particle);
        }
        let Some(best) = swarm.iter().min_by(|a, b| a.best_cost.total_cmp(&b.best_cost)) else {
            return Ok(());
        };
        let (mut leader, mut least) = (best.best.clone(), best.best_cost);
        loop {
            explorer.check()?;
            for particle in &mut swarm {
                self.accelerate(particle, &leader, explorer.rng());
                for (d, velocity) in particle.velocity.iter_mut().enumerate() {
                    let fastest = FASTEST * self.continuous.end(d);
                    *velocity = velocity.clamp(-fastest, fastest);
                }
                self.fly(particle);
                let Some(id) = self.snap_to_valid(explorer, particle) else { return Ok(()) };
                let cost = explorer.recall(id)?;
                particle.learn(cost);
                if cost < least {
                    least = cost;
                    leader.clone_from(&particle.place);
                }
            }
        }
    }

    /// A particle at a configuration with a random velocity.
    fn born(&self, explorer: &mut Explorer<'_>, id: ConfigurationId) -> Particle {
        let mut particle = Particle::at(self.place(id));
        for (d, velocity) in particle.velocity.iter_mut().enumerate() {
            *velocity = explorer.rng().random_range(-FASTEST..FASTEST) * self.continuous.end(d);
        }
        particle
    }

    /// The valid configuration at a particle's place. A particle that has met only known ones for
    /// some time starts again at an unknown one.
    fn snap_to_valid(
        &self,
        explorer: &mut Explorer<'_>,
        particle: &mut Particle,
    ) -> Option<ConfigurationId> {
        let around = self.continuous.around(&particle.place);
        let id = repair::always(self.space, &around, explorer.rng())?;
        if self.space.id_of(&around).is_none() {
            particle.place = self.place(id);
        }
        if explorer.known(id).is_none() {
            particle.idle = 0;
            return Some(id);
        }
        particle.idle += 1;
        if particle.idle < IDLE {
            return Some(id);
        }
        let id = explorer.unknown()?;
        *particle = self.born(explorer, id);
        Some(id)
    }
}
