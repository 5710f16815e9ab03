//! Hill climbing: through better neighbours until there is none.

use rand::seq::SliceRandom;
use registry::{Allowed, Knob, Knobs};
use search_api::Stop;
use space::{ConfigurationId, Neighbourhood, Space};

use crate::problem::explorer::Explorer;

/// Neighbours announced with `may_try` before they are needed.
const AHEAD: usize = 4;

pub(crate) const NEIGHBOURHOOD: Knob = Knob {
    name: "neighbourhood",
    about: "hamming: one parameter takes any value; hamming_adjacent: one moves to the next value; \
            adjacent: all may",
    default: "hamming",
    allowed: Allowed::Choice(&["hamming", "hamming_adjacent", "adjacent", "strictly_adjacent"]),
};

pub(crate) fn neighbourhood(knobs: &Knobs) -> Neighbourhood {
    match knobs.choice(NEIGHBOURHOOD.name) {
        "hamming_adjacent" => Neighbourhood::HammingAdjacent,
        "adjacent" => Neighbourhood::Adjacent,
        "strictly_adjacent" => Neighbourhood::StrictlyAdjacent,
        _ => Neighbourhood::Hamming,
    }
}

/// Which better neighbour is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The first found, in random order.
    First,
    /// The first found, in the order of the parameters.
    FirstInOrder,
    /// The best of all.
    Best,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Climb {
    pub(crate) neighbourhood: Neighbourhood,
    pub(crate) step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    pub(crate) id: ConfigurationId,
    pub(crate) cost: f64,
}

impl Position {
    pub(crate) fn of(explorer: &mut Explorer<'_>, id: ConfigurationId) -> Result<Self, Stop> {
        Ok(Self { id, cost: explorer.cost(id)? })
    }
}

impl Climb {
    /// Climbs until no neighbour is better.
    pub(crate) fn from(
        self,
        explorer: &mut Explorer<'_>,
        space: &Space,
        start: Position,
    ) -> Result<Position, Stop> {
        let mut at = start;
        while let Some(better) = self.step(explorer, space, at)? {
            at = better;
        }
        Ok(at)
    }

    /// A better neighbour, if there is one. Known neighbours are not evaluated again.
    fn step(
        self,
        explorer: &mut Explorer<'_>,
        space: &Space,
        from: Position,
    ) -> Result<Option<Position>, Stop> {
        let all = space.neighbours(from.id, self.neighbourhood);
        let best_known = all
            .iter()
            .filter_map(|id| Some(Position { id: *id, cost: explorer.known(*id)? }))
            .filter(|position| position.cost < from.cost)
            .min_by(|a, b| a.cost.total_cmp(&b.cost));
        let mut unknown: Vec<_> =
            all.into_iter().filter(|id| explorer.known(*id).is_none()).collect();
        match self.step {
            Step::Best => {
                let costs = explorer.costs(&unknown)?;
                let positions = unknown.iter().zip(costs);
                let positions = positions.map(|(id, cost)| Position { id: *id, cost });
                return Ok(positions
                    .chain(best_known)
                    .filter(|position| position.cost < from.cost)
                    .min_by(|a, b| a.cost.total_cmp(&b.cost)));
            }
            // A better neighbour is known already.
            _ if best_known.is_some() => return Ok(best_known),
            Step::First => unknown.shuffle(explorer.rng()),
            Step::FirstInOrder => in_order(space, from.id, &mut unknown),
        }
        for (at, id) in unknown.iter().enumerate() {
            explorer.may_try(&unknown[at..unknown.len().min(at + AHEAD)]);
            let position = Position::of(explorer, *id)?;
            if position.cost < from.cost {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }
}

/// Sorts by the first parameter that differs from `from`, then by the value there.
fn in_order(space: &Space, from: ConfigurationId, ids: &mut [ConfigurationId]) {
    let own = space.configuration(from);
    ids.sort_by_cached_key(|id| {
        let configuration = space.configuration(*id);
        (0..own.0.len()).find(|d| own.0[*d] != configuration.0[*d]).map(|d| (d, configuration))
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use search_api::{Analytic, Budget, Evaluation};
    use space::{Configuration, Parameter};

    use super::*;

    fn slope() -> Arc<Space> {
        let parameters = ["a", "b"].map(|name| Parameter::new(name, 0_i64..6)).to_vec();
        Arc::new(Space::build(parameters, &[] as &[&str], &[]).unwrap())
    }

    #[test]
    fn a_climb_ends_where_no_neighbour_is_better() {
        let space = slope();
        for step in [Step::First, Step::FirstInOrder, Step::Best] {
            let cost = |id: ConfigurationId| {
                let at = space.configuration(id).0;
                f64::from(at[0].abs_diff(4) + at[1].abs_diff(1))
            };
            let mut problem = Analytic::new(space.clone(), Budget::default(), 1, |_, id| {
                Evaluation::scored(cost(id))
            });
            let mut explorer = Explorer::new(&mut problem);
            let climb = Climb { neighbourhood: Neighbourhood::Adjacent, step };
            let start = Position::of(&mut explorer, ConfigurationId(5)).unwrap();
            let top = climb.from(&mut explorer, &space, start).unwrap();
            assert_eq!(space.configuration(top.id), Configuration(vec![4, 1]), "{step:?}");
        }
    }

    #[test]
    fn neighbours_in_order_begin_with_the_first_parameter() {
        let space = slope();
        let from = space.id_of(&Configuration(vec![2, 2])).unwrap();
        let mut ids = space.neighbours(from, Neighbourhood::Hamming);
        in_order(&space, from, &mut ids);
        let places: Vec<_> = ids.iter().map(|id| space.configuration(*id).0).collect();
        assert!(places[..5].iter().all(|at| at[1] == 2), "{places:?}");
        assert!(places[5..].iter().all(|at| at[0] == 2), "{places:?}");
        assert!(places[..5].is_sorted() && places[5..].is_sorted());
    }
}
