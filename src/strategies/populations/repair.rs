//! From a configuration that may be invalid to a valid one near it.

use crate::space::{Configuration, ConfigurationId, Neighbourhood, Rng, Space};

/// The configuration itself if it is valid, else a random neighbour, looked for in ever wider
/// neighbourhoods; `None` when not even the widest holds a valid one.
pub(in crate::strategies) fn neighbour(
    space: &Space,
    configuration: &Configuration,
    rng: &mut Rng,
) -> Option<ConfigurationId> {
    let wider = [Neighbourhood::StrictlyAdjacent, Neighbourhood::Adjacent, Neighbourhood::Hamming];
    space
        .id_of(configuration)
        .or_else(|| wider.iter().find_map(|n| space.random_neighbour(configuration, *n, rng)))
}

/// As [`neighbour`], and where there is none the nearest valid configuration.
pub(in crate::strategies) fn always(
    space: &Space,
    configuration: &Configuration,
    rng: &mut Rng,
) -> Option<ConfigurationId> {
    neighbour(space, configuration, rng).or_else(|| space.nearest(configuration))
}
