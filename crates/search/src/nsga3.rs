//! NSGA-III: NSGA-II with reference directions over all trade-offs, which keep the members of a
//! front apart. It still works with many objectives, which put almost everything on the front.
//!
//! There are as many directions as members, spread by their Riesz energy as in Kernel Tuner, or on
//! the lattice of Das and Dennis. Objectives are scaled throughout, so that milliseconds and
//! seconds give the same search.

use math::{Rng, das_dennis, partitions_within, riesz_energy};
use rand::RngExt;
use registry::{Allowed, Knob, Knobs, Preset};
use search_api::{Problem, Stop, Strategy};

use super::pareto::{
    CROSSOVER, CROSSOVER_OPERATOR, Hyperplane, MUTATION, Niches, POPULATION, ParetoMember,
    Selection, evolve, ranked,
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
            about: "reference directions: riesz, as many as members, pushed apart by their energy; \
                    das-dennis, the finest even lattice with at most as many",
            default: "riesz",
            allowed: Allowed::Choice(&["riesz", "das-dennis"]),
        },
    ],
    presets: &[
        Preset {
            name: "moo2025-50",
            reference: "NSGA-II and NSGA-III in Kernel Tuner, Table 6, for 50 evaluations",
            knobs: &[
                ("population", "40"),
                ("mutation", "0.1"),
                ("crossover", "1"),
                ("crossover_operator", "two_point"),
                ("directions", "riesz")
            ],
        },
        Preset {
            name: "moo2025-100",
            reference: "NSGA-II and NSGA-III in Kernel Tuner, Table 6, for 100 evaluations",
            knobs: &[
                ("population", "20"),
                ("mutation", "0.1"),
                ("crossover", "1"),
                ("crossover_operator", "two_point"),
                ("directions", "riesz")
            ],
        },
        Preset {
            name: "moo2025-150",
            reference: "NSGA-II and NSGA-III in Kernel Tuner, Table 6, for 150 evaluations",
            knobs: &[
                ("population", "20"),
                ("mutation", "0.05"),
                ("crossover", "1"),
                ("crossover_operator", "two_point"),
                ("directions", "riesz")
            ],
        },
        Preset {
            name: "moo2025-200",
            reference: "NSGA-II and NSGA-III in Kernel Tuner, Table 6, for 200 evaluations",
            knobs: &[
                ("population", "20"),
                ("mutation", "0.2"),
                ("crossover", "1"),
                ("crossover_operator", "two_point"),
                ("directions", "riesz")
            ],
        },
    ],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let even = knobs.choice("directions") == "das-dennis";
    evolve(problem, knobs, &mut ReferenceDirections { even, ..ReferenceDirections::default() })
}

/// Niches, and a scale that follows the front. Both are set up with the first valid member.
#[derive(Debug, Default)]
struct ReferenceDirections {
    plane: Hyperplane,
    /// Whether the directions are a lattice.
    even: bool,
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
        let even = self.even;
        let niches = self.niches.get_or_insert_with(|| {
            Niches::new(match even {
                true => das_dennis(figures, partitions_within(figures, places)),
                false => riesz_energy(figures, places, rng),
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
