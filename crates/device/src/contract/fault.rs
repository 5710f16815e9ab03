//! Why a device is missing, why there is no kernel, why a run failed.

use serde::{Deserialize, Serialize};

/// Why a backend has no devices here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{why}; {cure}")]
pub struct Missing {
    /// What was looked for and not found.
    pub why: String,
    /// How to get it.
    pub cure: String,
}

/// Why there is no kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileFault {
    /// The device cannot do this (a missing feature, too much shared memory).
    #[error("{0}")]
    Invalid(String),
    /// The compiler refused the source; holds its first error.
    #[error("{0}")]
    Failed(String),
    /// The machine could not compile (no space, no memory, a killed compiler), whatever the source.
    #[error("{0}")]
    Machine(String),
}

impl CompileFault {
    /// The reason, whatever the kind.
    #[must_use]
    pub fn reason(self) -> String {
        match self {
            Self::Invalid(reason) | Self::Failed(reason) | Self::Machine(reason) => reason,
        }
    }
}

/// A problem of the device itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DeviceFault(pub String);

/// Why a run failed. Crashes and hangs end the process, which the worker's parent sees.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFault {
    /// The device cannot launch this (too many threads, too large a grid).
    #[error("{0}")]
    Invalid(String),
    /// The run was launched and failed.
    #[error("{0}")]
    Failed(String),
}
