//! NSGA-II: children and parents compete by the rank of their front, then by crowding distance.
//! With one objective, a rank is a place in the order of scores. Unlike in Kernel Tuner, no
//! configuration is evaluated twice.

use std::cmp::Ordering;

use math::{Rng, crowding};
use registry::Knobs;
use rustc_hash::FxHashMap;
use search_api::{Problem, Stop, Strategy};
use space::ConfigurationId;

use super::pareto::{
    CROSSOVER, CROSSOVER_OPERATOR, MUTATION, POPULATION, ParetoMember, Selection, evolve, moo2025,
    ranked,
};

inventory::submit!(Strategy {
    name: "nsga2",
    aliases: &[],
    about: "breeds a front of several objectives, keeping its members apart by crowding distance",
    reference: "Deb, Pratap, Agarwal and Meyarivan, A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II, IEEE Trans. Evol. Comput. 6, 2002",
    knobs: &[POPULATION, CROSSOVER, CROSSOVER_OPERATOR, MUTATION],
    presets: &[
        moo2025!("50", "20", "0.2"),
        moo2025!("100", "20", "0.05"),
        moo2025!("150", "20", "0.2"),
        moo2025!("200", "20", "0.2"),
    ],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    evolve(problem, knobs, &mut RankAndCrowding::default())
}

/// Rank and crowding distance of every survivor.
#[derive(Debug, Default)]
struct RankAndCrowding {
    fitness: FxHashMap<ConfigurationId, (usize, f64)>,
}

impl RankAndCrowding {
    /// Crowded comparison: the lower rank, then the larger crowding distance.
    fn compare(&self, a: ConfigurationId, b: ConfigurationId) -> Ordering {
        let (rank_a, lonely_a) = self.fitness[&a];
        let (rank_b, lonely_b) = self.fitness[&b];
        rank_a.cmp(&rank_b).then(lonely_b.total_cmp(&lonely_a))
    }
}

impl Selection for RankAndCrowding {
    fn survivors(
        &mut self,
        members: Vec<ParetoMember>,
        places: usize,
        _rng: &mut Rng,
    ) -> Result<Vec<ParetoMember>, Stop> {
        self.fitness.clear();
        let mut survivors: Vec<ParetoMember> = Vec::with_capacity(places);
        for (rank, mut members) in ranked(members).into_iter().enumerate() {
            let lonely = crowding(&members);
            self.fitness
                .extend(members.iter().zip(lonely).map(|(m, lonely)| (m.id, (rank, lonely))));
            members.sort_by(|a, b| self.compare(a.id, b.id));
            members.truncate(places - survivors.len());
            survivors.extend(members);
            if survivors.len() == places {
                break;
            }
        }
        Ok(survivors)
    }

    fn parent<'a>(
        &self,
        a: &'a ParetoMember,
        b: &'a ParetoMember,
        _rng: &mut Rng,
    ) -> &'a ParetoMember {
        if self.compare(b.id, a.id).is_lt() { b } else { a }
    }
}

#[cfg(test)]
mod tests {
    use space::seeded;

    use super::*;

    fn member(id: u64, objectives: &[f64]) -> ParetoMember {
        ParetoMember { id: ConfigurationId(id), objectives: objectives.to_vec() }
    }

    #[test]
    fn the_front_survives_before_others_and_its_lonely_members_before_crowded_ones() {
        let members = vec![
            member(0, &[]),
            member(1, &[0.0, 10.0]),
            member(2, &[4.9, 5.0]),
            member(3, &[5.0, 4.9]),
            member(4, &[10.0, 0.0]),
            member(5, &[9.0, 9.0]),
            member(6, &[2.0, 7.0]),
        ];
        let mut selection = RankAndCrowding::default();
        let ids = |survivors: Result<Vec<ParetoMember>, Stop>| -> Vec<u64> {
            survivors.expect("survivors").iter().map(|m| m.id.0).collect()
        };
        let rng = &mut seeded(1, 0);
        // 2 and 3 crowd each other; 3 lies between 2 and 4, 2 between 6 and 3.
        assert_eq!(ids(selection.survivors(members.clone(), 4, rng)), [1, 4, 3, 6]);
        assert_eq!(ids(selection.survivors(members.clone(), 7, rng)), [1, 4, 3, 6, 2, 5, 0]);
        let (good, bad) = (&members[2], &members[5]);
        assert_eq!(selection.parent(good, bad, rng).id, good.id);
        assert_eq!(selection.parent(bad, good, rng).id, good.id);
    }
}
