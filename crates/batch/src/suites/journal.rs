//! The journal of a suite: which study began in which folder, and how each study ended.

use std::collections::BTreeMap;

use records::{Entry, EventLog};
use serde::{Deserialize, Serialize};

use super::earlier_runs::SizeFrom;

/// An event of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum SuiteEvent {
    /// A study got a folder and began.
    StudyBegan {
        /// The study's number, from 1.
        study: usize,
        /// Name of the study's folder inside the suite's.
        folder: String,
        /// The size that another study of the suite gave it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sized: Option<SizeFrom>,
    },
    /// A study ended.
    StudyEnded {
        /// The study's number, from 1.
        study: usize,
        /// How the study ended.
        how: StudyEnd,
        /// Why the study has no answer; empty if it has one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The suite continued after an interruption.
    Resumed {
        /// The command, as typed.
        argv: Vec<String>,
    },
    /// Studies were submitted to SLURM, as the elements of a job array.
    Submitted {
        /// The job's number.
        job: String,
        /// The studies' numbers, from 1.
        studies: Vec<usize>,
    },
    /// All submitted studies that had not ended were cancelled.
    Cancelled,
    /// All studies have ended.
    Finished,
}

/// How a study ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StudyEnd {
    /// The study has an answer.
    Finished,
    /// The study failed and has no answer.
    Failed,
    /// A signal stopped the study; it can be resumed.
    Interrupted,
}

/// The only writer of a suite's journal.
pub type SuiteJournal = EventLog<SuiteEvent>;

/// The state of the studies according to a journal, by their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Told {
    /// Names of the studies' folders.
    pub folders: BTreeMap<usize, String>,
    /// Sizes that other studies of the suite gave them.
    pub sized: BTreeMap<usize, SizeFrom>,
    /// Reasons of the studies that failed.
    pub failed: BTreeMap<usize, String>,
    /// The latest SLURM job of each study.
    pub jobs: BTreeMap<usize, String>,
    /// Whether jobs were cancelled and nothing was submitted since.
    pub cancelled: bool,
}

impl Told {
    /// Builds the state from all entries of a journal.
    #[must_use]
    pub fn by(entries: &[Entry<SuiteEvent>]) -> Self {
        let mut told = Self::default();
        entries.iter().for_each(|entry| told.hear(&entry.event));
        told
    }

    /// Applies one more event.
    pub fn hear(&mut self, event: &SuiteEvent) {
        match event {
            SuiteEvent::StudyBegan { study, folder, sized } => {
                self.folders.insert(*study, folder.clone());
                self.sized.extend(sized.clone().map(|sized| (*study, sized)));
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
