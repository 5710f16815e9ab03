//! Parameters, which are the dimensions of a space, and configurations, which are its points.

use serde::{Deserialize, Serialize};

use super::Value;

/// Names of the parameters for the threads of a block along x, y and z, also in Kernel Tuner.
pub const BLOCK_SIZES: [&str; 3] = ["block_size_x", "block_size_y", "block_size_z"];

/// A tunable parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name in kernels, restrictions and records.
    pub name: String,
    /// Values in the author's order.
    pub values: Vec<Value>,
    /// Index of the default value; 0 if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<usize>,
}

impl Parameter {
    /// A parameter whose default is its first value.
    pub fn new<V: Into<Value>>(
        name: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        Self {
            name: name.into(),
            values: values.into_iter().map(Into::into).collect(),
            default: None,
        }
    }

    /// The same parameter with `value` as its default; unchanged if the value is not listed.
    #[must_use]
    pub fn with_default(mut self, value: impl Into<Value>) -> Self {
        let value = value.into();
        if let Some(index) = self.index_of(&value) {
            self.default = Some(index);
        }
        self
    }

    /// Whether the parameter is one of [`BLOCK_SIZES`] by its name.
    #[must_use]
    pub fn is_block_size(&self) -> bool {
        BLOCK_SIZES.contains(&self.name.as_str())
    }

    /// Position of `value` in the list.
    #[must_use]
    pub fn index_of(&self, value: &Value) -> Option<usize> {
        self.values.iter().position(|v| v == value)
    }

    /// Index of the default value.
    #[must_use]
    pub fn default_index(&self) -> usize {
        self.default.unwrap_or(0).min(self.values.len().saturating_sub(1))
    }
}

/// Number of a valid configuration: its position in the space's order, from 0.
///
/// A change of the parameters or restrictions renumbers all configurations, so records store values
/// instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConfigurationId(pub u64);

/// The index of each parameter's value. The configuration may be invalid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration(pub Vec<u32>);

impl AsRef<[u32]> for Configuration {
    fn as_ref(&self) -> &[u32] {
        &self.0
    }
}
