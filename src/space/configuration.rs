//! A point of a space and its number.

use serde::{Deserialize, Serialize};

/// Number of a valid configuration: its place in the space's order, from 0.
///
/// A changed parameter list or restriction renumbers everything, so records keep values instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConfigurationId(pub u64);

/// The index of each parameter's value. It may be invalid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration(pub Vec<u32>);

impl AsRef<[u32]> for Configuration {
    fn as_ref(&self) -> &[u32] {
        &self.0
    }
}
