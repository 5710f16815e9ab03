//! The journal of a suite: which study began in which folder, and how each ended.

use std::collections::BTreeMap;

use records::{Entry, EventLog};
use serde::{Deserialize, Serialize};

/// What happened in a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum SuiteEvent {
    /// A study has a folder.
    StudyBegan {
        /// Its number, from 1.
        study: usize,
        /// Name of its folder inside the suite's.
        folder: String,
    },
    /// A study ended.
    StudyEnded {
        /// Its number, from 1.
        study: usize,
        /// How.
        how: StudyEnd,
        /// Why it has no answer; empty if it has.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The suite goes on after an interruption.
    Resumed {
        /// The command, as typed.
        argv: Vec<String>,
    },
    /// Studies were submitted to SLURM, as the elements of a job array.
    Submitted {
        /// Number of the job.
        job: String,
        /// Their numbers, from 1.
        studies: Vec<usize>,
    },
    /// What was submitted and had not ended was cancelled.
    Cancelled,
    /// Every study has ended.
    Finished,
}

/// How a study ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StudyEnd {
    /// With an answer.
    Finished,
    /// Without one.
    Failed,
    /// By a signal; it can go on.
    Interrupted,
}

/// The only writer of a suite's journal.
pub type SuiteJournal = EventLog<SuiteEvent>;

/// What a journal says of the studies, by their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Told {
    /// Names of their folders.
    pub folders: BTreeMap<usize, String>,
    /// Why those failed that did.
    pub failed: BTreeMap<usize, String>,
    /// Jobs of SLURM in which they were submitted last.
    pub jobs: BTreeMap<usize, String>,
    /// Whether nothing was submitted since jobs were cancelled.
    pub cancelled: bool,
}

impl Told {
    /// What a journal says.
    #[must_use]
    pub fn by(entries: &[Entry<SuiteEvent>]) -> Self {
        let mut told = Self::default();
        entries.iter().for_each(|entry| told.hear(&entry.event));
        told
    }

    /// Takes one more event in.
    pub fn hear(&mut self, event: &SuiteEvent) {
        match event {
            SuiteEvent::StudyBegan { study, folder } => {
                self.folders.insert(*study, folder.clone());
                self.failed.remove(study);
            }
            SuiteEvent::StudyEnded { study, how: StudyEnd::Failed, reason } => {
                self.failed.insert(*study, reason.clone());
            }
            SuiteEvent::StudyEnded { study, .. } => {
                self.failed.remove(study);
            }
            SuiteEvent::Submitted { job, studies } => {
                self.cancelled = false;
                for study in studies {
                    self.jobs.insert(*study, job.clone());
                    self.failed.remove(study);
                }
            }
            SuiteEvent::Cancelled => self.cancelled = true,
            SuiteEvent::Resumed { .. } | SuiteEvent::Finished => {}
        }
    }
}
