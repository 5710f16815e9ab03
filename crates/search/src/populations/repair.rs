//! Repair: from a configuration that may be invalid to a valid one near it.

use math::Rng;
use space::{Configuration, ConfigurationId, Neighbourhood, Space};

/// The configuration if it is valid, else a random neighbour, from wider neighbourhoods if needed.
#[must_use]
pub fn neighbour(
    space: &Space,
    configuration: &Configuration,
    rng: &mut Rng,
) -> Option<ConfigurationId> {
    let wider = [Neighbourhood::StrictlyAdjacent, Neighbourhood::Adjacent, Neighbourhood::Hamming];
    space
        .id_of(configuration)
        .or_else(|| wider.iter().find_map(|n| space.random_neighbour(configuration, *n, rng)))
}

/// [`neighbour`], or the nearest valid configuration if there is none.
#[must_use]
pub fn always(
    space: &Space,
    configuration: &Configuration,
    rng: &mut Rng,
) -> Option<ConfigurationId> {
    neighbour(space, configuration, rng).or_else(|| space.nearest_by_hamming(configuration))
}
