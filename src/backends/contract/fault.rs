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
    /// The device cannot do this (a feature it lacks, too much shared memory).
    #[error("{0}")]
    Invalid(String),
    /// The compiler refused the source; its first error first.
    #[error("{0}")]
    Failed(String),
    /// The machine could not compile: no space, no memory, a compiler that was killed. It says
    /// nothing of the source.
    #[error("{0}")]
    Machine(String),
}

impl CompileFault {
    /// Why, whatever the kind.
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

/// Why a run did not end well (crashes and hangs take the process: the worker's parent sees them).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFault {
    /// The device cannot launch this (too many threads, too large a grid).
    #[error("{0}")]
    Invalid(String),
    /// It was launched and failed.
    #[error("{0}")]
    Failed(String),
}
