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

/// Why compiling gave no kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileFault {
    /// The device cannot do this (a missing feature, too much shared memory).
    #[error("{0}")]
    Invalid(String),
    /// The compiler refused the source. Holds the first error.
    #[error("{0}")]
    Failed(String),
    /// The machine could not compile (no space, no memory, a killed compiler). The source is not
    /// the cause.
    #[error("{0}")]
    Machine(String),
}

impl CompileFault {
    /// The reason in words, for any kind of fault.
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

/// Why a run failed. A crash or hang ends the process instead, which the worker's parent sees.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFault {
    /// The device cannot launch this (too many threads, too large a grid).
    #[error("{0}")]
    Invalid(String),
    /// The run was launched and failed.
    #[error("{0}")]
    Failed(String),
    /// The device itself found the result wrong.
    #[error("{0}")]
    Wrong(String),
}
