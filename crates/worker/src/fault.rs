//! The ways a request to a worker can fail.

use std::time::Duration;

use records::{Costs, Outcome, Status};

/// Part of the message if a process was ended by the system (for lack of memory) or by a person.
pub(super) const FROM_OUTSIDE: &str = "from outside";
/// From this share of its time limit on that a worker waited for a core, the machine was busy.
const BUSY: f64 = 0.2;

/// Why a request got no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkerFault {
    /// The process could not be started.
    #[error("could not start a worker process: {0}")]
    Start(String),
    /// The worker did not answer in time and was killed with all its descendants.
    #[error("it did not end within {} s and was killed{}{}", seconds(*after), busy(*after, *waited), said(last_words))]
    TimedOut {
        /// The time limit.
        after: Duration,
        /// How long a thread of the worker waited for a core meanwhile.
        waited: Duration,
        /// The last lines that the worker printed.
        last_words: String,
    },
    /// The process ended while it worked on the request.
    #[error("the worker process {how}{}", said(last_words))]
    Crashed {
        /// The signal or exit code, in words.
        how: String,
        /// The last lines that the worker printed.
        last_words: String,
    },
    /// The worker cannot serve the request.
    #[error("{0}")]
    Refused(String),
    /// The machine lacks space, memory or processes. The request is not the cause.
    #[error("the machine cannot go on: {0}")]
    Machine(String),
    /// The reply makes no sense; the worker was killed.
    #[error("the worker process broke the protocol: {0}")]
    Protocol(String),
}

impl WorkerFault {
    /// Whether the machine is to blame, not the request.
    #[must_use]
    pub fn is_of_the_machine(&self) -> bool {
        matches!(self, Self::Start(_) | Self::Machine(_))
    }

    /// Whether the process was ended from outside. If it happens again, the configuration is to
    /// blame.
    fn is_from_outside(&self) -> bool {
        matches!(self, Self::Crashed { how, .. } if how.contains(FROM_OUTSIDE))
    }

    /// Whether the request may work when it is repeated: the machine lacked something, ended the
    /// process, or was busy.
    #[must_use]
    pub fn deserves_another_try(&self) -> bool {
        let was_busy =
            matches!(self, Self::TimedOut { after, waited, .. } if is_busy(*after, *waited));
        self.is_of_the_machine() || self.is_from_outside() || was_busy
    }

    /// The status of a trial that ends with this fault.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::TimedOut { .. } => Status::TimedOut,
            Self::Refused(_) => Status::RunFailed,
            Self::Start(_) | Self::Machine(_) | Self::Crashed { .. } | Self::Protocol(_) => {
                Status::Crashed
            }
        }
    }

    /// The outcome of a trial that ends with this fault.
    #[must_use]
    pub fn outcome(&self, costs: Costs) -> Outcome {
        Outcome::failed(self.status(), self.to_string(), costs)
    }
}

fn is_busy(after: Duration, waited: Duration) -> bool {
    waited.as_secs_f64() >= BUSY * after.as_secs_f64()
}

/// Formats the wait for a core on a busy machine as a part of a sentence.
fn busy(after: Duration, waited: Duration) -> String {
    match is_busy(after, waited) {
        true => format!("; a thread of it waited {} s for a core", seconds(waited)),
        false => String::new(),
    }
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 10.0 { format!("{seconds:.1}") } else { format!("{seconds:.0}") }
}

/// Formats the last words as the end of a sentence.
fn said(last_words: &str) -> String {
    if last_words.is_empty() { String::new() } else { format!("; its last words: {last_words}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_sentences_with_the_last_words() {
        let crashed = WorkerFault::Crashed {
            how: "was ended by a segmentation fault (SIGSEGV)".to_owned(),
            last_words: String::new(),
        };
        assert_eq!(
            crashed.to_string(),
            "the worker process was ended by a segmentation fault (SIGSEGV)"
        );
        let late = WorkerFault::TimedOut {
            after: Duration::from_millis(1500),
            waited: Duration::from_millis(10),
            last_words: "step 3".to_owned(),
        };
        assert_eq!(
            late.to_string(),
            "it did not end within 1.5 s and was killed; its last words: step 3"
        );
    }

    #[test]
    fn every_fault_has_one_status_and_only_the_machine_s_faults_are_tried_again() {
        let crashed = |how: &str| WorkerFault::Crashed {
            how: how.to_owned(),
            last_words: "it did not end within 3 s".to_owned(),
        };
        let late = |waited: u64| WorkerFault::TimedOut {
            after: Duration::from_secs(3),
            waited: Duration::from_millis(waited),
            last_words: String::new(),
        };
        for (fault, status, again) in [
            (late(0), Status::TimedOut, false),
            (late(2000), Status::TimedOut, true),
            (crashed("ended with exit code 1"), Status::Crashed, false),
            (crashed("was ended by a kill from outside"), Status::Crashed, true),
            (WorkerFault::Start("no memory".to_owned()), Status::Crashed, true),
            (WorkerFault::Machine("no space".to_owned()), Status::Crashed, true),
            (WorkerFault::Refused("no".to_owned()), Status::RunFailed, false),
            (WorkerFault::Protocol("what".to_owned()), Status::Crashed, false),
        ] {
            assert_eq!(fault.outcome(Costs::default()).status, status, "{fault}");
            assert_eq!(fault.deserves_another_try(), again, "{fault}");
        }
        let told = late(2000).to_string();
        assert!(told.contains("a thread of it waited 2.0 s for a core"), "{told}");
    }
}
