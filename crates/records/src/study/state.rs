//! State of a study, in a word.

use serde::Serialize;

use crate::Progress;

/// State of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", content = "reason", rename_all = "kebab-case")]
pub enum StudyState {
    /// The study has its answer.
    Finished,
    /// The study cannot have an answer; why, in one sentence.
    Failed(String),
    /// The study has no answer yet; why, in one sentence.
    Unfinished(String),
}

impl StudyState {
    /// State of a study that has begun.
    #[must_use]
    pub fn of(progress: &Progress) -> Self {
        match progress {
            Progress::Finished(_) => Self::Finished,
            Progress::Interrupted(why) => Self::Unfinished(format!("interrupted: {why}")),
            Progress::Open => Self::Unfinished("it runs, or was killed".to_owned()),
        }
    }

    /// State of a study that has not begun.
    #[must_use]
    pub fn not_begun() -> Self {
        Self::Unfinished("not begun".to_owned())
    }

    /// State in one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed(_) => "failed",
            Self::Unfinished(_) => "unfinished",
        }
    }

    /// Why there is no answer; empty if there is one.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Finished => "",
            Self::Failed(why) | Self::Unfinished(why) => why,
        }
    }
}
