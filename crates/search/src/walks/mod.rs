//! Walks from configuration to configuration: where they begin, their steps, and tabu places.

pub(super) mod climb;
pub(super) mod multi_start;
pub(super) mod quasi_newton;
pub(super) mod round_values;
pub(super) mod tabu;
pub(super) mod temperature;
pub(super) mod value_distance;
