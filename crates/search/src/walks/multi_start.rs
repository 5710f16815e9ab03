//! Climbs one after the other, each from a new place.

use registry::{Allowed, Knob};
use search_api::Stop;
use space::Space;

use super::climb::{Climb, Position};
use crate::problem::explorer::Explorer;

/// Number of random configurations, of which a walk begins at the best.
pub(crate) const DRAWN: u64 = 6;
/// Share of the budget that the first draws may cost.
const FIRST: f64 = 0.1;

pub(crate) const DRAWS: Knob = Knob {
    name: "draws",
    about: "random configurations of which a climb begins at the best",
    default: "6",
    allowed: Allowed::Integer(1, 1_000),
};

/// Climbs from the best of the starts, then each time from the best of a few unknown
/// configurations, until all are known.
pub(crate) fn multi_start(
    explorer: &mut Explorer<'_>,
    space: &Space,
    climb: Climb,
    draws: u64,
) -> Result<(), Stop> {
    let mut start = first(explorer, draws)?;
    while let Some(position) = start {
        climb.from(explorer, space, position)?;
        start = best_drawn(explorer, draws, 1.0)?;
    }
    Ok(())
}

/// The best of the starts, else of a few random configurations; `None` in an empty space.
pub(crate) fn first(explorer: &mut Explorer<'_>, draws: u64) -> Result<Option<Position>, Stop> {
    let starts = explorer.starts();
    let costs = explorer.costs(&starts)?;
    let positions = starts.iter().zip(costs).map(|(id, cost)| Position { id: *id, cost });
    match positions.min_by(|a, b| a.cost.total_cmp(&b.cost)) {
        Some(best) => Ok(Some(best)),
        None => best_drawn(explorer, draws, FIRST),
    }
}

/// The best of a few unknown configurations, fewer once `share` of the budget is spent.
pub(crate) fn best_drawn(
    explorer: &mut Explorer<'_>,
    draws: u64,
    share: f64,
) -> Result<Option<Position>, Stop> {
    let mut best: Option<Position> = None;
    for _ in 0..draws {
        if best.is_some() && explorer.progress() >= share {
            break;
        }
        let Some(id) = explorer.unknown() else { break };
        let drawn = Position::of(explorer, id)?;
        best = Some(best.filter(|best| best.cost <= drawn.cost).unwrap_or(drawn));
    }
    Ok(best)
}
