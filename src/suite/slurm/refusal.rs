//! Failures of requests to SLURM, with hints.

use batch::suites::slurm::SlurmFault;

use crate::terminal::Failure;

/// The failure for a fault of SLURM, with a hint.
pub(super) fn failed(fault: SlurmFault) -> Failure {
    let failure = Failure::settings(&fault);
    match fault {
        SlurmFault::Absent { .. } => failure.hint(
            "call autobench where sbatch is (often after `module load slurm`), or leave --slurm out",
        ),
        SlurmFault::Start { .. } | SlurmFault::Refused { .. } => failure,
    }
}

/// The error if a suite that was never submitted to SLURM is waited for or cancelled.
pub(crate) fn never_submitted() -> Failure {
    Failure::settings("this was not submitted to SLURM, so nothing of it is in a queue")
        .hint("`autobench resume` without --wait goes on with it here; Ctrl-C ends it")
}
