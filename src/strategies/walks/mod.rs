//! Walks from one configuration to the next: where they begin, which step they take, and where they
//! do not return.

pub(super) mod climb;
pub(super) mod multi_start;
pub(super) mod spread;
pub(super) mod tabu;
pub(super) mod temperature;
