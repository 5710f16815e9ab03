//! Why a trial ends before it is measured.

use device::{CompileFault, DeviceFault, RunFault};
use plugins::FormulaFault;
use records::Status;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrialFailure {
    pub(super) status: Status,
    /// What went wrong, in one sentence.
    pub(super) reason: String,
}

impl TrialFailure {
    pub(super) fn run(reason: impl Into<String>) -> Self {
        Self { status: Status::RunFailed, reason: reason.into() }
    }

    pub(super) fn wrong(reason: impl Into<String>) -> Self {
        Self { status: Status::WrongResult, reason: reason.into() }
    }

    pub(super) fn invalid(reason: impl Into<String>) -> Self {
        Self { status: Status::Invalid, reason: reason.into() }
    }
}

impl From<FormulaFault> for TrialFailure {
    fn from(fault: FormulaFault) -> Self {
        let reason = fault.to_string();
        match fault {
            FormulaFault::Source { .. } => Self { status: Status::CompileFailed, reason },
            _ => Self::invalid(reason),
        }
    }
}

impl From<DeviceFault> for TrialFailure {
    fn from(fault: DeviceFault) -> Self {
        Self::run(fault.to_string())
    }
}

impl From<RunFault> for TrialFailure {
    fn from(fault: RunFault) -> Self {
        match fault {
            RunFault::Invalid(reason) => Self::invalid(reason),
            RunFault::Failed(reason) => Self::run(reason),
            RunFault::Wrong(reason) => Self::wrong(reason),
        }
    }
}

impl From<CompileFault> for TrialFailure {
    fn from(fault: CompileFault) -> Self {
        match fault {
            CompileFault::Invalid(reason) => Self::invalid(reason),
            CompileFault::Failed(reason) | CompileFault::Machine(reason) => {
                Self { status: Status::CompileFailed, reason }
            }
        }
    }
}
