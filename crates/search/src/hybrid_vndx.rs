//! Hybrid variable neighbourhood descent: a walk to the best of a few candidates, as predicted by a
//! nearest-neighbour model, with a tabu list, elites and annealing.
//!
//! Candidates are neighbours of the current place in a neighbourhood that is chosen by its success,
//! a child of two elites, and random configurations. Only the most promising candidate is
//! evaluated.
//!
//! *Published*: the elites are the five worst, temperature and tabu penalty are in
//! milliseconds, two failures make every prediction near them infinite, and the walk restarts after
//! rejected steps instead of steps without improvement. *Mended*: all this is repaired, the
//! temperature follows the budget, and known configurations are no candidates.

use math::Rng;
use rand::{RngExt, seq::IndexedRandom};
use registry::{Allowed, Knob, Knobs, Preset};
use search_api::{Problem, Stop, Strategy};
use space::{Configuration, ConfigurationId, Neighbourhood, Space};

use super::{
    surrogate::nearest_known::NearestKnown,
    walks::{
        climb::Position,
        multi_start::{DRAWN, first},
        tabu::Tabu,
        temperature::{Yardstick, accepts, cooled},
    },
};
use crate::problem::{
    explorer::Explorer,
    form::{FORM, Form},
};

const NEIGHBOURHOODS: [Neighbourhood; 3] =
    [Neighbourhood::StrictlyAdjacent, Neighbourhood::Adjacent, Neighbourhood::Hamming];
/// Factor of a neighbourhood's weight when its step is taken, and when it is not.
const REWARD: (f64, f64) = (1.1, 0.9);
/// Published initial temperature.
const PUBLISHED: f64 = 1.0;
/// Mended temperature at the end, as a share of the initial one.
const COLD: f64 = 0.01;

inventory::submit!(Strategy {
    name: "hybrid_vndx",
    aliases: &["hybrid_variable_neighbourhood_descent"],
    about: "tries the best of a few candidates, as predicted by a nearest-neighbour model",
    reference: "Willemsen, van Stein and van Werkhoven, Automated Algorithm Design for Auto-Tuning Optimizers, 2025",
    knobs: &[
        FORM,
        Knob {
            name: "budget",
            about: "evaluations, revisits too, after which the published form ends",
            default: "5000",
            allowed: Allowed::Integer(1, 1_000_000_000),
        },
        Knob {
            name: "k",
            about: "nearest evaluated configurations that predict a candidate",
            default: "5",
            allowed: Allowed::Integer(1, 1_000),
        },
        Knob {
            name: "candidates",
            about: "candidates that one is chosen from",
            default: "8",
            allowed: Allowed::Integer(2, 1_000),
        },
        Knob {
            name: "restart",
            about: "steps without success before it begins elsewhere",
            default: "100",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "tabu",
            about: "places that the published form would rather not visit again",
            default: "300",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "elite",
            about: "configurations that candidates are crossed from",
            default: "5",
            allowed: Allowed::Integer(2, 10_000),
        },
        Knob {
            name: "temperature",
            about: "at first; 1 is the distance from best to median (published: 1.0 ms)",
            default: "0.1",
            allowed: Allowed::Number(1e-9, 1e9),
        },
        Knob {
            name: "cooling",
            about: "factor of the published temperature per step",
            default: "0.995",
            allowed: Allowed::Number(0.01, 1.0),
        },
    ],
    presets: &[Preset {
        name: "generated2025",
        reference: "Willemsen, van Stein and van Werkhoven, Automated Algorithm Design, 2025: until the budget is \
                    spent",
        knobs: &[
            ("form", "published"),
            ("budget", "1000000000"),
            ("k", "5"),
            ("candidates", "8"),
            ("restart", "100"),
            ("tabu", "300"),
            ("elite", "5"),
            ("temperature", "1.0"),
            ("cooling", "0.995"),
        ],
    },],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let form = Form::of(knobs);
    let draws = if form == Form::Mended { DRAWN } else { 1 };
    let Some(start) = first(&mut explorer, draws)? else { return Ok(()) };
    let mut walk = Walk {
        space: &space,
        form,
        at: start,
        history: NearestKnown::new(knobs.integer("k") as usize),
        elite: Vec::new(),
        weights: [1.0; 3],
        pool: knobs.integer("candidates") as usize,
        elites: knobs.integer("elite") as usize,
    };
    walk.remember(start);
    walk.elite.push(start);
    match form {
        Form::Mended => {
            let hot = knobs.number("temperature");
            walk.mended(&mut explorer, hot, knobs.integer("restart"))
        }
        Form::Published => walk.published(&mut explorer, knobs),
    }
}

struct Walk<'a> {
    space: &'a Space,
    form: Form,
    at: Position,
    history: NearestKnown,
    elite: Vec<Position>,
    weights: [f64; 3],
    pool: usize,
    elites: usize,
}

impl Walk<'_> {
    fn remember(&mut self, position: Position) {
        self.history.learn(self.space.configuration(position.id), position.cost);
    }

    fn predicted(&self, id: ConfigurationId, worth: impl Fn(f64) -> f64) -> f64 {
        self.history.predicted(&self.space.configuration(id), worth)
    }

    /// Draws a neighbourhood with a probability proportional to its weight.
    fn neighbourhood(&self, rng: &mut Rng) -> usize {
        let mut left = rng.random::<f64>() * self.weights.iter().sum::<f64>();
        for (which, weight) in self.weights.iter().enumerate() {
            left -= weight;
            if left <= 0.0 {
                return which;
            }
        }
        self.weights.len() - 1
    }

    fn reward(&mut self, which: usize, taken: bool) {
        self.weights[which] *= if taken { REWARD.0 } else { REWARD.1 };
        let sum: f64 = self.weights.iter().sum();
        if !(1e-6..1e6).contains(&sum) {
            self.weights.iter_mut().for_each(|weight| *weight *= 3.0 / sum);
        }
    }

    /// Neighbours, a child of two elites, and random configurations, without repetition.
    fn candidates(&self, which: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
        let here = self.space.configuration(self.at.id);
        let mut pool = Vec::with_capacity(self.pool);
        for _ in 0..self.pool {
            let neighbour = self.space.random_neighbour(&here, NEIGHBOURHOODS[which], rng);
            pool.extend(neighbour.filter(|id| !pool.contains(id)));
            if pool.len() == self.pool / 2 || neighbour.is_none() {
                break;
            }
        }
        if self.elite.len() >= 2 {
            let parents: Vec<_> = self
                .elite
                .sample(rng, 2)
                .map(|elite| self.space.configuration(elite.id).0)
                .collect();
            let genes = parents[0].iter().zip(&parents[1]);
            let genes = genes.map(|(a, b)| if rng.random_bool(0.5) { *a } else { *b }).collect();
            let child = self.space.id_of(&Configuration(genes));
            pool.extend(child.or_else(|| self.space.random(rng)));
        }
        while pool.len() < self.pool {
            pool.extend(self.space.random(rng));
        }
        let mut seen = Vec::with_capacity(pool.len());
        pool.retain(|id| {
            let new = !seen.contains(id);
            seen.push(*id);
            new
        });
        pool
    }

    /// Adds an elite. The published form drops the best elite, because it pops the smallest of a
    /// heap.
    fn honour(&mut self, position: Position) {
        if self.form == Form::Mended && self.elite.iter().any(|elite| elite.id == position.id) {
            return;
        }
        self.elite.push(position);
        self.elite.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        if self.elite.len() > self.elites {
            match self.form {
                Form::Mended => self.elite.truncate(self.elites),
                Form::Published => drop(self.elite.remove(0)),
            }
        }
    }

    fn mended(mut self, explorer: &mut Explorer<'_>, hot: f64, patience: u64) -> Result<(), Stop> {
        let mut yardstick = Yardstick::default();
        yardstick.see(self.at.cost);
        let (mut least, mut idle) = (self.at.cost, 0);
        loop {
            explorer.check()?;
            let which = self.neighbourhood(explorer.rng());
            let mut pool = self.candidates(which, explorer.rng());
            pool.retain(|id| explorer.known(*id).is_none());
            let worth = |id: &ConfigurationId| self.predicted(*id, |cost| yardstick.level(cost));
            let scored = pool.iter().map(|id| (worth(id), *id));
            let promising = scored.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id);
            let Some(next) = promising.or_else(|| explorer.unknown()) else { return Ok(()) };
            let next = Position::of(explorer, next)?;
            yardstick.see(next.cost);
            self.remember(next);
            self.honour(next);
            let temperature = cooled(hot, COLD * hot, explorer.progress());
            let rise = yardstick.rise(self.at.cost, next.cost);
            let taken = accepts(rise, temperature, explorer.rng());
            self.reward(which, taken);
            if taken {
                self.at = next;
            }
            idle = if next.cost < least { 0 } else { idle + 1 };
            least = least.min(next.cost);
            if idle >= patience {
                let Some(elsewhere) = explorer.unknown() else { return Ok(()) };
                self.at = Position::of(explorer, elsewhere)?;
                yardstick.see(self.at.cost);
                self.remember(self.at);
                self.honour(self.at);
                idle = 0;
            }
        }
    }

    fn published(mut self, explorer: &mut Explorer<'_>, knobs: &Knobs) -> Result<(), Stop> {
        let hot = self.form.number(knobs, "temperature", PUBLISHED);
        let restart = knobs.integer("restart");
        let mut tabu = Tabu::new(knobs.integer("tabu") as usize);
        tabu.add(self.at.id);
        let (mut temperature, mut rejected, mut asked) = (hot, 0, 1);
        while asked < knobs.integer("budget") {
            let which = self.neighbourhood(explorer.rng());
            let pool = self.candidates(which, explorer.rng());
            let scored = pool.iter().map(|id| {
                let score = self.predicted(*id, |cost| explorer.as_published(cost));
                let penalty = if tabu.holds(*id) { score.abs() * 0.1 + 1e3 } else { 0.0 };
                (score + penalty, *id)
            });
            let next = scored.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id);
            let Some(next) = next else { return Ok(()) };
            let next = Position::of(explorer, next)?;
            asked += 1;
            self.remember(next);
            self.honour(next);
            let rise = explorer.as_published(next.cost) - explorer.as_published(self.at.cost);
            let taken = accepts(rise, temperature.max(1e-8), explorer.rng());
            self.reward(which, taken);
            if taken {
                tabu.add(next.id);
                self.at = next;
                rejected = 0;
            } else {
                rejected += 1;
            }
            temperature *= knobs.number("cooling");
            if rejected >= restart {
                let Some(elsewhere) = self.space.random(explorer.rng()) else { return Ok(()) };
                self.at = Position::of(explorer, elsewhere)?;
                asked += 1;
                self.remember(self.at);
                tabu.clear();
                tabu.add(elsewhere);
                (rejected, temperature) = (0, hot);
            }
        }
        Ok(())
    }
}
