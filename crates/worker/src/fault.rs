//! The ways a request to a worker can fail.

use std::time::Duration;

/// Part of the message if a process was ended by the system (for lack of memory) or by a person.
pub(super) const FROM_OUTSIDE: &str = "from outside";

/// Why a request got no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkerFault {
    /// The process could not be started.
    #[error("could not start a worker process: {0}")]
    Start(String),
    /// The worker did not answer in time and was killed with all its descendants.
    #[error("it did not end within {} s and was killed{}", seconds(*after), said(last_words))]
    TimedOut {
        /// The time limit.
        after: Duration,
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
    #[must_use]
    pub fn is_from_outside(&self) -> bool {
        matches!(self, Self::Crashed { how, .. } if how.contains(FROM_OUTSIDE))
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
            last_words: "step 3".to_owned(),
        };
        assert_eq!(
            late.to_string(),
            "it did not end within 1.5 s and was killed; its last words: step 3"
        );
    }
}
