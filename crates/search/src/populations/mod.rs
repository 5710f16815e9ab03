//! Populations: members, crossover and other ways to mix them, and repair of invalid ones.

pub(super) mod continuous;
pub(super) mod crossover;
pub(super) mod donor;
pub(super) mod members;
pub mod repair;
