//! The order in which parameters of precision and of performance are tuned.

use serde::{Deserialize, Serialize};

/// The order in which parameters of precision (formats and policies of mathematics) and of
/// performance (all others) are tuned.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Tune all parameters at once.
    #[default]
    Unified,
    /// Tune performance in full precision first, then precision with the winner.
    PerformanceFirst,
    /// Tune precision with the other parameters at their defaults first, then performance with the
    /// winner.
    PrecisionFirst,
}

impl Order {
    /// Name on command lines and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unified => "unified",
            Self::PerformanceFirst => "performance-first",
            Self::PrecisionFirst => "precision-first",
        }
    }

    /// Whether all parameters are tuned at once.
    #[must_use]
    pub const fn is_unified(&self) -> bool {
        matches!(self, Self::Unified)
    }
}

impl std::str::FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        <Self as clap::ValueEnum>::from_str(text, false).map_err(|_| {
            format!("no order named `{text}` (known: unified, performance-first, precision-first)")
        })
    }
}
