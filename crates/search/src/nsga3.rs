//! NSGA-III: NSGA-II with reference directions over all trade-offs, which keep the members of a
//! front apart. It still works with many objectives, which put almost everything on the front.
//!
//! There are as many directions as members, spread by their Riesz energy as in Kernel Tuner, or
//! those that the user gives, such as a lattice. Objectives are scaled throughout, so that
//! milliseconds and seconds give the same search.

use math::{Rng, riesz_energy};
use rand::RngExt;
use registry::{Allowed, Knob, Knobs};
use search_api::{Problem, Stop, Strategy};

use super::pareto::{
    CROSSOVER, CROSSOVER_OPERATOR, Hyperplane, MUTATION, Niches, POPULATION, ParetoMember,
    Selection, evolve, moo2025, ranked,
};

inventory::submit!(Strategy {
    name: "nsga3",
    aliases: &[],
    about: "breeds a front of several objectives, spreading its members over reference directions",
    reference: "Deb and Jain, An Evolutionary Many-Objective Optimization Algorithm Using Reference-Point-Based Nondominated Sorting Approach, IEEE Trans. Evol. Comput. 18, 2014",
    knobs: &[
        POPULATION,
        CROSSOVER,
        CROSSOVER_OPERATOR,
        MUTATION,
        Knob {
            name: "directions",
            about: "reference directions of your own, with a number for each objective, such as \
                    1/0+0.5/0.5+0/1; none: as many as members, pushed apart by their Riesz energy",
            default: "none",
            allowed: Allowed::Points,
        },
    ],
    presets: &[
        moo2025!("50", "40", "0.1"),
        moo2025!("100", "20", "0.1"),
        moo2025!("150", "20", "0.05"),
        moo2025!("200", "20", "0.2"),
    ],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let own = knobs.points("directions").to_vec();
    evolve(problem, knobs, &mut ReferenceDirections { own, ..ReferenceDirections::default() })
}

/// Niches, and a scale that follows the front. Both are set up with the first valid member.
#[derive(Debug, Default)]
struct ReferenceDirections {
    plane: Hyperplane,
    /// The user's directions, if any.
    own: Vec<Vec<f64>>,
    niches: Option<Niches>,
}

impl Selection for ReferenceDirections {
    fn survivors(
        &mut self,
        members: Vec<ParetoMember>,
        places: usize,
        rng: &mut Rng,
    ) -> Result<Vec<ParetoMember>, Stop> {
        let ranks = ranked(members);
        let valid: Vec<&ParetoMember> =
            ranks.iter().flatten().filter(|member| !member.failed()).collect();
        let Some(figures) = valid.first().map(|member| member.objectives.len()) else {
            return Ok(ranks.into_iter().flatten().take(places).collect());
        };
        if let Some(point) = self.own.first().filter(|point| point.len() != figures) {
            let why = format!(
                "`directions` of nsga3 have {} numbers for {figures} objectives; give one for each",
                point.len()
            );
            return Err(Stop::Fault(why.into()));
        }
        self.plane.update(&valid, &ranks[0]);
        let own = &self.own;
        let niches = self.niches.get_or_insert_with(|| {
            Niches::new(match own.is_empty() {
                false => own.clone(),
                true => riesz_energy(figures, places, rng),
            })
        });
        let place =
            |member: &ParetoMember| niches.place(&self.plane.normalised(&member.objectives));
        let mut survivors: Vec<ParetoMember> = Vec::with_capacity(places);
        for rank in ranks {
            let free = places - survivors.len();
            if rank.len() <= free || rank[0].failed() {
                survivors.extend(rank.into_iter().take(free));
                continue;
            }
            let candidates: Vec<_> = rank.iter().map(place).collect();
            let members: Vec<_> = survivors.iter().map(place).collect();
            let chosen = niches.choose(&candidates, &members, free, rng);
            survivors.extend(chosen.into_iter().map(|at| rank[at].clone()));
            break;
        }
        Ok(survivors)
    }

    fn parent<'a>(
        &self,
        a: &'a ParetoMember,
        b: &'a ParetoMember,
        rng: &mut Rng,
    ) -> &'a ParetoMember {
        match (a.failed(), b.failed()) {
            (false, true) => a,
            (true, false) => b,
            _ if rng.random_bool(0.5) => a,
            _ => b,
        }
    }
}
