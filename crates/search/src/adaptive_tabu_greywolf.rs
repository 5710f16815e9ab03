//! Adaptive tabu grey wolf: a pack led by its three best members. Each of the other wolves becomes
//! a mix of the leaders and itself, is sometimes shaken, avoids known configurations, and accepts
//! worse ones as in annealing.
//!
//! *Published*: the schedule counts against its own budget of 5,000 evaluations, so that under a
//! smaller budget the temperature hardly falls. (With `schedule=budget` it follows the real budget,
//! as the paper says.) Temperatures are in milliseconds. *Mended*: the schedule follows
//! the budget, temperatures are relative to median − best, and everything known is tabu.

use math::Rng;
use rand::{RngExt, seq::IndexedRandom};
use registry::{Allowed, Knob, Knobs, Preset};
use search_api::{Problem, Stop, Strategy};
use space::{Configuration, ConfigurationId, Neighbourhood, Space};

use super::{
    populations::{
        members::{Member, evaluated, rank, with_starts},
        repair,
    },
    walks::{
        tabu::Tabu,
        temperature::{Yardstick, accepts},
    },
};
use crate::problem::{
    explorer::Explorer,
    form::{FORM, Form},
};

/// Published stagnation limit and temperature.
const PUBLISHED: (u64, f64) = (80, 1.0);
const LEADERS: usize = 3;
/// Reheating at half the stagnation limit, as a share of the initial temperature.
const REHEAT: f64 = 0.2;
/// Upper limit of the probability of a shake.
const MOST_SHAKEN: f64 = 0.5;
/// Tries around a child before a wolf goes to a random unknown configuration.
const NEIGHBOURS: usize = 10;

inventory::submit!(Strategy {
    name: "adaptive_tabu_greywolf",
    aliases: &["grey_wolf"],
    about: "a pack that follows its best three, shaken when it stagnates, away from where it was",
    reference: "Willemsen, van Stein and van Werkhoven, Automated Algorithm Design for Auto-Tuning Optimizers, 2025",
    knobs: &[
        FORM,
        Knob {
            name: "schedule",
            about: "what the temperature follows: the spent share of the budget, as in the paper, or \
                    of a count of evaluations (the knob `budget`), as in Kernel Tuner; `own` is the \
                    form's: budget if mended, count if published",
            default: "own",
            allowed: Allowed::Choice(&["own", "budget", "count"]),
        },
        Knob {
            name: "budget",
            about: "evaluations, revisits included, over which the schedule `count` cools",
            default: "5000",
            allowed: Allowed::Integer(1, 1_000_000_000),
        },
        Knob {
            name: "wolves",
            about: "wolves in the pack",
            default: "8",
            allowed: Allowed::Integer(4, 10_000),
        },
        Knob {
            name: "tabu",
            about: "latest configurations, per wolf, that the published form does not visit again",
            default: "3",
            allowed: Allowed::Integer(1, 10_000),
        },
        Knob {
            name: "shake",
            about: "chance that a wolf is shaken while the pack gets better",
            default: "0.2",
            allowed: Allowed::Number(0.0, 1.0),
        },
        Knob {
            name: "jump",
            about: "chance that a shaken wolf takes one value of a random configuration",
            default: "0.15",
            allowed: Allowed::Number(0.0, 1.0),
        },
        Knob {
            name: "stagnation",
            about: "rounds without a better best before the worst are replaced (published: 80)",
            default: "15",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "replaced",
            about: "share of the pack that is replaced then",
            default: "0.3",
            allowed: Allowed::Number(0.0, 1.0),
        },
        Knob {
            name: "temperature",
            about: "at first; 1 is the distance from best to median (published: 1.0 ms)",
            default: "0.1",
            allowed: Allowed::Number(1e-9, 1e9),
        },
        Knob {
            name: "decay",
            about: "how many times the temperature falls by a factor of e over the budget",
            default: "5.0",
            allowed: Allowed::Number(0.0, 1e3),
        },
        Knob {
            name: "coldest",
            about: "the lowest temperature",
            default: "0.0001",
            allowed: Allowed::Number(1e-12, 1e9),
        },
    ],
    presets: &[Preset {
        name: "generated2025",
        reference: "Willemsen, van Stein and van Werkhoven, Automated Algorithm Design, 2025: the temperature by \
                    the share of the budget",
        knobs: &[
            ("form", "published"),
            ("schedule", "budget"),
            ("wolves", "8"),
            ("tabu", "3"),
            ("shake", "0.2"),
            ("jump", "0.15"),
            ("stagnation", "80"),
            ("replaced", "0.3"),
            ("temperature", "1.0"),
            ("decay", "5.0"),
            ("coldest", "0.0001")
        ],
    },],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let form = Form::of(knobs);
    let hunt = Hunt {
        space: &space,
        form,
        counts: match knobs.choice("schedule") {
            "budget" => false,
            "count" => true,
            _ => form == Form::Published,
        },
        budget: knobs.integer("budget"),
        shake: knobs.number("shake"),
        jump: knobs.number("jump"),
        stagnation: form.integer(knobs, "stagnation", PUBLISHED.0),
        replaced: knobs.number("replaced"),
        temperature: form.number(knobs, "temperature", PUBLISHED.1),
        decay: knobs.number("decay"),
        coldest: knobs.number("coldest"),
    };
    let drawn = space.sample(knobs.integer("wolves") as usize, explorer.rng());
    let first = with_starts(&explorer.starts(), &drawn);
    let mut pack = evaluated(&mut explorer, &space, &first)?;
    if pack.is_empty() {
        return Ok(());
    }
    let mut tabu = Tabu::new(pack.len() * knobs.integer("tabu") as usize);
    first.iter().for_each(|id| tabu.add(*id));
    hunt.run(&mut explorer, &mut pack, tabu)
}

struct Hunt<'a> {
    space: &'a Space,
    form: Form,
    /// Whether the schedule follows a count of evaluations instead of the problem's budget.
    counts: bool,
    budget: u64,
    shake: f64,
    jump: f64,
    stagnation: u64,
    replaced: f64,
    temperature: f64,
    decay: f64,
    coldest: f64,
}

impl Hunt<'_> {
    fn run(
        &self,
        explorer: &mut Explorer<'_>,
        pack: &mut [Member],
        mut tabu: Tabu,
    ) -> Result<(), Stop> {
        let mut yardstick = Yardstick::default();
        pack.iter().for_each(|wolf| yardstick.see(wolf.cost));
        rank(pack);
        let (mut least, mut stagnant) = (pack[0].cost, 0);
        let mut asked = pack.len() as u64;
        loop {
            explorer.check()?;
            let progress = match self.counts {
                false => explorer.progress(),
                true => asked as f64 / self.budget as f64,
            };
            if self.form == Form::Published && self.counts && progress >= 1.0 {
                return Ok(());
            }
            let temperature = self.cooled(progress, stagnant);
            let stagnation = stagnant as f64 / self.stagnation as f64;
            let shaken = (self.shake * (1.0 + stagnation)).min(MOST_SHAKEN);
            let leaders: Vec<Member> = pack.iter().take(LEADERS).cloned().collect();
            for wolf in pack.iter_mut() {
                if leaders.iter().any(|leader| leader.id == wolf.id) {
                    continue;
                }
                let child = self.child(wolf, &leaders, explorer.rng());
                let child = self.shaken(child, shaken, progress, explorer.rng());
                let Some(id) = self.arrived(explorer, &tabu, &child) else { return Ok(()) };
                let cost = explorer.cost(id)?;
                asked += 1;
                yardstick.see(cost);
                tabu.add(id);
                let rise = match self.form {
                    Form::Mended => yardstick.rise(wolf.cost, cost),
                    Form::Published => {
                        explorer.as_published(cost) - explorer.as_published(wolf.cost)
                    }
                };
                if accepts(rise, temperature, explorer.rng()) {
                    *wolf = Member::new(self.space, id, cost);
                }
            }
            rank(pack);
            stagnant = if pack[0].cost < least { 0 } else { stagnant + 1 };
            least = least.min(pack[0].cost);
            if stagnant >= self.stagnation {
                let worst = (pack.len() as f64 * self.replaced).ceil() as usize;
                for wolf in pack.iter_mut().rev().take(worst) {
                    let stranger = match self.form {
                        Form::Mended => explorer.unknown(),
                        Form::Published => self.space.random(explorer.rng()),
                    };
                    let Some(id) = stranger else { return Ok(()) };
                    *wolf = Member::new(self.space, id, explorer.cost(id)?);
                    asked += 1;
                    yardstick.see(wolf.cost);
                    tabu.add(id);
                }
                rank(pack);
                (least, stagnant) = (pack[0].cost, 0);
            }
            if pack.len() <= LEADERS {
                // A pack of leaders only does not move. It is that small because the space is.
                let Some(id) = explorer.unknown() else { return Ok(()) };
                explorer.cost(id)?;
            }
        }
    }

    fn cooled(&self, progress: f64, stagnant: u64) -> f64 {
        let cooled = (self.temperature * (-self.decay * progress).exp()).max(self.coldest);
        let reheats = stagnant > 0 && stagnant.is_multiple_of((self.stagnation / 2).max(1));
        if reheats { cooled + REHEAT * self.temperature } else { cooled }
    }

    /// A child whose values each come from a leader or the wolf itself.
    fn child(&self, wolf: &Member, leaders: &[Member], rng: &mut Rng) -> Configuration {
        let value = |d: usize| {
            let from = rng.random_range(0..=leaders.len());
            leaders.get(from).unwrap_or(wolf).genes.0[d]
        };
        Configuration((0..wolf.genes.0.len()).map(value).collect())
    }

    /// Returns the child or, with probability `chance`, shakes it: it gets one value of a random
    /// configuration, or becomes a random neighbour.
    fn shaken(
        &self,
        mut child: Configuration,
        chance: f64,
        progress: f64,
        rng: &mut Rng,
    ) -> Configuration {
        if !rng.random_bool(chance) {
            return child;
        }
        if rng.random_bool(self.jump) && !child.0.is_empty() {
            let at = rng.random_range(0..child.0.len());
            if let Some(id) = self.space.random(rng) {
                child.0[at] = self.space.configuration(id).0[at];
            }
            return child;
        }
        let near = [Neighbourhood::Adjacent, Neighbourhood::StrictlyAdjacent];
        let near = near[usize::from(progress >= 0.5)];
        let neighbour = self.space.random_neighbour(&child, near, rng);
        neighbour.map_or(child, |id| self.space.configuration(id))
    }

    /// Repairs a child and moves it away from tabu configurations.
    fn arrived(
        &self,
        explorer: &mut Explorer<'_>,
        tabu: &Tabu,
        child: &Configuration,
    ) -> Option<ConfigurationId> {
        if self.form == Form::Published {
            let id = self.space.id_of(child).or_else(|| self.first_neighbour(child));
            let id = id.or_else(|| self.space.random(explorer.rng()))?;
            if !tabu.holds(id) {
                return Some(id);
            }
            let around = self.space.neighbours(id, Neighbourhood::Hamming);
            return Some(around.choose(explorer.rng()).copied().unwrap_or(id));
        }
        let mut at = repair::always(self.space, child, explorer.rng())?;
        let mut tries = 0;
        explorer.unknown_of(NEIGHBOURS, |rng| {
            if tries > 0 {
                let genes = self.space.configuration(at);
                at = self.space.random_neighbour(&genes, Neighbourhood::Hamming, rng)?;
            }
            tries += 1;
            Some(at)
        })
    }

    /// The published repair: the first valid neighbour.
    fn first_neighbour(&self, child: &Configuration) -> Option<ConfigurationId> {
        [Neighbourhood::Adjacent, Neighbourhood::Hamming, Neighbourhood::StrictlyAdjacent]
            .iter()
            .find_map(|near| self.space.neighbours_of_any(child, *near).first().copied())
    }
}
