//! Why something cannot be asked of SLURM, with the next step.

use batch::suites::slurm::SlurmFault;

use crate::terminal::Failure;

/// What SLURM did not do, with the next step.
pub(super) fn failed(fault: SlurmFault) -> Failure {
    let failure = Failure::settings(&fault);
    match fault {
        SlurmFault::Absent { .. } => failure.hint(
            "call autobench where sbatch is (often after `module load slurm`), or leave --slurm out",
        ),
        SlurmFault::Start { .. } | SlurmFault::Refused { .. } => failure,
    }
}

/// Why nothing waits, or can be cancelled.
pub(crate) fn never_submitted() -> Failure {
    Failure::settings("this was not submitted to SLURM, so nothing of it is in a queue")
        .hint("`autobench resume` without --wait goes on with it here; Ctrl-C ends it")
}
