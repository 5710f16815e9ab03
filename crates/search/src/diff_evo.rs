//! Differential evolution: a trial mixes a member's values with those of a donor, which is another
//! member plus the scaled difference of two more. The trial replaces the member if it is better.
//!
//! *Published*: the population is 16 times the number of parameters whatever the budget. After
//! three generations without change in all, every further generation is a random design. *Mended*:
//! the population is small, members are replaced as soon as a trial beats them, known trials are
//! drawn again, and a population that has converged starts again around its best.

use math::Rng;
use registry::{Allowed, Knob, Knobs};
use search_api::{Problem, Stop, Strategy};
use space::{Configuration, ConfigurationId, Neighbourhood, Space};

use super::populations::{
    donor::{Donor, VARIANTS, Variant},
    members::{Member, affordable, evaluated, rank, with_starts},
};
use crate::problem::{
    explorer::Explorer,
    form::{FORM, Form},
};

/// Published number of members for every parameter.
const PUBLISHED: u64 = 16;
const FEWEST: u64 = 6;
/// Share of the budget that the first population may cost.
const FIRST: f64 = 0.1;
/// Tries to draw a new trial before another source is used.
const REPEATS: usize = 20;
/// Generations without change, in all, before the published form draws only random designs.
const STABLE: u32 = 2;
/// Consecutive rounds without change after which the mended form starts again.
const IDLE: u32 = 2;

inventory::submit!(Strategy {
    name: "diff_evo",
    aliases: &["differential_evolution"],
    about: "mixes the members of a population with the differences between others",
    reference: "Storn and Price, Differential Evolution, Journal of Global Optimization 11, 1997",
    knobs: &[
        FORM,
        Knob {
            name: "population",
            about: "members for every parameter with several values (published: 16)",
            default: "1",
            allowed: Allowed::Integer(1, 10_000),
        },
        Knob {
            name: "factor",
            about: "how far differences between members reach (F)",
            default: "0.7",
            allowed: Allowed::Number(0.0, 2.0),
        },
        Knob {
            name: "crossover",
            about: "share of values that come from the donor (CR)",
            default: "0.6",
            allowed: Allowed::Number(0.0, 1.0),
        },
        Knob {
            name: "variant",
            about: "the donor's base, the number of differences, and the crossover",
            default: "best1bin",
            allowed: Allowed::Choice(VARIANTS),
        },
    ],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let variant = Variant::named(knobs.choice("variant"));
    let (factor, crossover) = (knobs.number("factor"), knobs.number("crossover"));
    let donor = Donor::new(&space, variant, factor, crossover);
    let evolution = Evolution { space: &space, donor };
    let several = space.parameters().iter().filter(|p| p.values.len() > 1).count();
    let form = Form::of(knobs);
    let each = form.integer(knobs, "population", PUBLISHED);
    let wanted = each.saturating_mul(several.max(1) as u64).max(FEWEST);
    let size = if wanted > space.len() { space.len().div_ceil(2) } else { wanted } as usize;
    match form {
        Form::Mended => evolution.mended(&mut explorer, size),
        Form::Published => evolution.published(&mut explorer, size),
    }
}

struct Evolution<'a> {
    space: &'a Space,
    donor: Donor,
}

impl Evolution<'_> {
    fn trial(
        &self,
        members: &[Member],
        at: usize,
        best: &Configuration,
        rng: &mut Rng,
    ) -> Option<ConfigurationId> {
        let trial = self.donor.trial(members, at, best, rng);
        self.space.nearest_by_manhattan(&trial, rng)
    }

    fn published(&self, explorer: &mut Explorer<'_>, size: usize) -> Result<(), Stop> {
        let drawn = self.space.latin_hypercube(size, explorer.rng());
        let first = with_starts(&explorer.starts(), &drawn);
        let mut members = evaluated(explorer, self.space, &first)?;
        let Some(mut best) = members.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).cloned()
        else {
            return Ok(());
        };
        let mut stable = 0;
        for _ in 0..self.space.len() {
            let trials = if stable > STABLE {
                self.space.latin_hypercube(members.len(), explorer.rng())
            } else {
                self.generation(explorer, &members, &best)
            };
            let trials = evaluated(explorer, self.space, &trials)?;
            let mut changed = false;
            for (at, trial) in trials.into_iter().enumerate() {
                if trial.cost > members[at].cost {
                    continue;
                }
                if trial.cost < best.cost {
                    best = trial.clone();
                }
                if members.iter().all(|member| member.id != trial.id) {
                    members[at] = trial;
                    changed = true;
                }
            }
            stable += u32::from(!changed);
        }
        Ok(())
    }

    /// One trial for every member; a random configuration if all tries repeat other trials.
    fn generation(
        &self,
        explorer: &mut Explorer<'_>,
        members: &[Member],
        best: &Member,
    ) -> Vec<ConfigurationId> {
        let mut trials: Vec<ConfigurationId> = Vec::with_capacity(members.len());
        for at in 0..members.len() {
            let trial = (0..REPEATS)
                .filter_map(|_| self.trial(members, at, &best.genes, explorer.rng()))
                .find(|trial| !trials.contains(trial));
            trials.extend(trial.or_else(|| self.space.random(explorer.rng())));
        }
        trials
    }

    fn mended(&self, explorer: &mut Explorer<'_>, size: usize) -> Result<(), Stop> {
        let drawn = self.space.latin_hypercube(size, explorer.rng());
        let first = with_starts(&explorer.starts(), &drawn);
        let mut members = affordable(explorer, self.space, &first, FIRST)?;
        let mut idle = 0;
        while !members.is_empty() {
            let mut changed = false;
            for at in 0..members.len() {
                let best = members.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
                let best = best.map_or_else(|| members[at].genes.clone(), |b| b.genes.clone());
                let Some(trial) = self.unknown_trial(explorer, &members, at, &best) else {
                    return Ok(());
                };
                let cost = explorer.cost(trial)?;
                if cost < members[at].cost {
                    members[at] = Member::new(self.space, trial, cost);
                    changed = true;
                }
            }
            idle = if changed { 0 } else { idle + 1 };
            if idle >= IDLE {
                rank(&mut members);
                let count = members.len();
                members.truncate(1);
                let strangers = std::iter::from_fn(|| explorer.unknown()).take(count - 1);
                let strangers: Vec<_> = strangers.collect();
                members.extend(evaluated(explorer, self.space, &strangers)?);
                idle = 0;
            }
        }
        Ok(())
    }

    /// An unknown trial; failing that, an unknown neighbour of the best; failing that, any unknown.
    fn unknown_trial(
        &self,
        explorer: &mut Explorer<'_>,
        members: &[Member],
        at: usize,
        best: &Configuration,
    ) -> Option<ConfigurationId> {
        let mut tries = 0;
        explorer.unknown_of(2 * REPEATS, |rng| {
            tries += 1;
            if tries <= REPEATS {
                self.trial(members, at, best, rng)
            } else {
                self.space.random_neighbour(best, Neighbourhood::Hamming, rng)
            }
        })
    }
}
