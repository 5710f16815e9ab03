//! Climbs one after the other, each from somewhere new.

use super::{
    Stop,
    climb::{Climb, Position},
    explorer::Explorer,
};
use crate::space::Space;

/// Climbs from the best of the starts, then from unknown configurations for as long as there are
/// any.
pub(super) fn multi_start(
    explorer: &mut Explorer<'_>,
    space: &Space,
    climb: Climb,
) -> Result<(), Stop> {
    let Some(first) = first(explorer)? else { return Ok(()) };
    climb.from(explorer, space, first)?;
    while let Some(id) = explorer.unknown() {
        let start = Position::of(explorer, id)?;
        climb.from(explorer, space, start)?;
    }
    Ok(())
}

/// The best of the starts, else a random configuration; none in an empty space.
pub(super) fn first(explorer: &mut Explorer<'_>) -> Result<Option<Position>, Stop> {
    let starts = explorer.starts();
    let costs = explorer.costs(&starts)?;
    let positions = starts.iter().zip(costs).map(|(id, cost)| Position { id: *id, cost });
    if let Some(best) = positions.min_by(|a, b| a.cost.total_cmp(&b.cost)) {
        return Ok(Some(best));
    }
    let random = explorer.unknown();
    random.map(|id| Position::of(explorer, id)).transpose()
}
