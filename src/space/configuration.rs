//! A point of a space, and the number it goes by.

use serde::{Deserialize, Serialize};

/// The number of a valid configuration: its place in the space's order, from 0.
///
/// Numbers belong to one space; a changed parameter list or restriction renumbers everything, so
/// records keep values and not numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConfigurationId(pub u64);

/// For each parameter, the index of its value; valid or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration(pub Vec<u32>);

impl AsRef<[u32]> for Configuration {
    fn as_ref(&self) -> &[u32] {
        &self.0
    }
}
