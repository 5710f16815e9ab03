//! Generations: parents are chosen, have children, and both compete for places.

use math::Rng;
use rand::seq::IndexedRandom;
use registry::{Allowed, Knob, Knobs};
use rustc_hash::FxHashSet;
use search_api::{Problem, Stop};
use space::{ConfigurationId, Shuffle, Space};

use super::{ParetoMember, variation::Variation};
use crate::surrogate::starts;

/// A population whose size is not given takes at most one part in `SHARE` of the evaluations that
/// are left, but has at least `LEAST` members. A small budget would otherwise pay for one
/// generation.
const SHARE: u64 = 4;
const LEAST: u64 = 4;
/// Couples that are tried per place before random configurations take the rest.
const COUPLES: usize = 8;

/// Members of a generation of NSGA-II and NSGA-III.
pub(crate) const POPULATION: Knob = Knob {
    name: "population",
    about: "members of a generation; by default at most a quarter of the budget; Kernel Tuner \
            has 20",
    default: "12",
    allowed: Allowed::Integer(2, 10_000),
};

/// Which members survive and have children: all that distinguishes these strategies.
pub(crate) trait Selection {
    /// The fittest members, at most `places`.
    ///
    /// # Errors
    /// If the selection is not made for these objectives.
    fn survivors(
        &mut self,
        members: Vec<ParetoMember>,
        places: usize,
        rng: &mut Rng,
    ) -> Result<Vec<ParetoMember>, Stop>;

    /// Which of two survivors has children.
    fn parent<'a>(
        &self,
        a: &'a ParetoMember,
        b: &'a ParetoMember,
        rng: &mut Rng,
    ) -> &'a ParetoMember;
}

/// Breeds until the problem stops it or everything is known; never evaluates a known configuration.
pub(crate) fn evolve(
    problem: &mut dyn Problem,
    knobs: &Knobs,
    selection: &mut dyn Selection,
) -> Result<(), Stop> {
    let space = problem.space();
    let variation = Variation::new(knobs);
    let left = problem.spent().evaluations_left().unwrap_or(u64::MAX);
    let asked = knobs.integer(POPULATION.name);
    let places = match knobs.given(POPULATION.name) {
        true => asked,
        false => asked.min(left / SHARE).max(LEAST),
    } as usize;
    let mut nursery = Nursery { known: FxHashSet::default(), rest: space.shuffle(), space: &space };
    let mut population = nursery.first(problem, places)?;
    while !population.is_empty() {
        problem.check()?;
        population = selection.survivors(population, places, problem.rng())?;
        let couple = |rng: &mut Rng| [(); 2].map(|()| tournament(&population, &*selection, rng));
        let children = nursery.generation(variation, places, problem.rng(), couple);
        if children.is_empty() {
            return Ok(());
        }
        population.extend(evaluated(problem, children)?);
    }
    Ok(())
}

/// The fitter of two random members.
fn tournament(
    population: &[ParetoMember],
    selection: &dyn Selection,
    rng: &mut Rng,
) -> ConfigurationId {
    let pair: Vec<&ParetoMember> = population.sample(rng, 2).collect();
    match pair[..] {
        [a, b] => selection.parent(a, b, rng).id,
        _ => population[0].id,
    }
}

fn evaluated(
    problem: &mut dyn Problem,
    ids: Vec<ConfigurationId>,
) -> Result<Vec<ParetoMember>, Stop> {
    let evaluations = problem.evaluate_all(&ids)?;
    Ok(ids.into_iter().zip(evaluations).map(|(id, e)| ParetoMember::new(id, e)).collect())
}

/// Source of new members, without repetition.
struct Nursery<'a> {
    space: &'a Space,
    known: FxHashSet<ConfigurationId>,
    /// Random configurations for places that no child takes.
    rest: Shuffle,
}

impl Nursery<'_> {
    /// Evaluates the starts, and random configurations for the places that are left.
    fn first(
        &mut self,
        problem: &mut dyn Problem,
        places: usize,
    ) -> Result<Vec<ParetoMember>, Stop> {
        let mut ids = starts(problem);
        ids.retain(|id| self.known.insert(*id));
        self.fill(&mut ids, places, problem.rng());
        evaluated(problem, ids)
    }

    /// Children of couples, and random configurations for the places that no child takes.
    fn generation(
        &mut self,
        variation: Variation,
        places: usize,
        rng: &mut Rng,
        couple: impl Fn(&mut Rng) -> [ConfigurationId; 2],
    ) -> Vec<ConfigurationId> {
        let mut children = Vec::with_capacity(places);
        for _ in 0..COUPLES * places {
            if children.len() >= places {
                break;
            }
            let parents = couple(rng);
            for child in variation.children(self.space, parents, rng) {
                if children.len() < places && self.known.insert(child) {
                    children.push(child);
                }
            }
        }
        self.fill(&mut children, places, rng);
        children
    }

    fn fill(&mut self, ids: &mut Vec<ConfigurationId>, places: usize, rng: &mut Rng) {
        while ids.len() < places
            && let Some(id) = self.rest.next(rng)
        {
            if self.known.insert(id) {
                ids.push(id);
            }
        }
    }
}
