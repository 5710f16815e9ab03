//! In which order parameters of precision and all others are tuned.

use serde::{Deserialize, Serialize};

/// In which order parameters of precision (formats and policies of mathematics) and all others, of
/// performance, are tuned.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// All at once.
    #[default]
    Unified,
    /// First performance with full precision everywhere, then precision with what won.
    PerformanceFirst,
    /// First precision with the other parameters at their defaults, then these with what won.
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
