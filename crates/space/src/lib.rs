//! Parameters, restrictions and the space of valid configurations. Pure: no files, devices or
//! clocks. A [`Space`] is built once from [`Parameter`]s and restriction texts ([`Expression`]),
//! and never changes after that.
//!
//! This crate never knows about searches or measurements. Begin with `search_space.rs`.

pub mod accuracy;
mod backward;
mod construct;
mod coordinates;
mod diagram;
mod error;
mod expression;
mod forward;
mod listing;
mod narrow;
mod nearest;
mod neighbours;
mod parameter;
mod prefixes;
mod random_neighbour;
mod residual;
mod restriction;
mod sampling;
mod search_space;
mod size;
mod value;
mod value_index;
mod value_list;

pub use error::SpaceError;
pub use expression::{EvalError, Expression, ExpressionError};
pub use narrow::{NarrowError, keep_values};
pub use neighbours::Neighbourhood;
pub use parameter::{BLOCK_SIZES, Configuration, ConfigurationId, Parameter};
pub use sampling::Shuffle;
pub use search_space::Space;
pub use value::Value;
pub use value_index::ValueIndex;
pub use value_list::{ValuesError, parse_values};

pub use math::{Rng, seeded_search as seeded};
