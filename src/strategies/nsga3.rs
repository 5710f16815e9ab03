//! NSGA-III: NSGA-II with directions over all trade-offs that keep the members of a front apart,
//! which still works where many objectives put almost everything on the front.
//! As many directions as members, spread by their Riesz energy as in Kernel Tuner. Objectives are
//! scaled throughout, so that milliseconds and seconds give the same search.

use rand::RngExt;

use super::{
    Knobs, Problem, Stop, Strategy,
    pareto::{Hyperplane, KNOBS, Niches, ParetoMember, Selection, evolve, ranked},
};
use crate::{numeric::riesz_energy, space::Rng};

inventory::submit!(Strategy {
    name: "nsga3",
    aliases: &[],
    about: "breeds a front of several objectives, spreading its members over reference directions",
    reference: "Deb and Jain, An Evolutionary Many-Objective Optimization Algorithm Using Reference-Point-Based Nondominated Sorting Approach, IEEE Trans. Evol. Comput. 18, 2014",
    knobs: KNOBS,
    presets: &[],
    search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    evolve(problem, knobs, &mut ReferenceDirections::default())
}

/// Niches on a scale that follows the front; both begin with the first valid member.
#[derive(Debug, Default)]
struct ReferenceDirections {
    plane: Hyperplane,
    niches: Option<Niches>,
}

impl Selection for ReferenceDirections {
    fn survivors(
        &mut self,
        members: Vec<ParetoMember>,
        places: usize,
        rng: &mut Rng,
    ) -> Vec<ParetoMember> {
        let ranks = ranked(members);
        let valid: Vec<&ParetoMember> =
            ranks.iter().flatten().filter(|member| !member.failed()).collect();
        let Some(figures) = valid.first().map(|member| member.objectives.len()) else {
            return ranks.into_iter().flatten().take(places).collect();
        };
        self.plane.update(&valid, &ranks[0]);
        let niches =
            self.niches.get_or_insert_with(|| Niches::new(riesz_energy(figures, places, rng)));
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
        survivors
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
