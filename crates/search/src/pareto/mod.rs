//! Breeding towards a front: members, variation, generations.

mod evolution;
mod hyperplane;
mod members;
mod niches;
mod presets;
mod variation;

pub(super) use evolution::{POPULATION, Selection, evolve};
pub(super) use hyperplane::Hyperplane;
pub(super) use members::{ParetoMember, ranked};
pub(super) use niches::Niches;
pub(super) use presets::moo2025;
pub(super) use variation::{CROSSOVER, CROSSOVER_OPERATOR, MUTATION};
