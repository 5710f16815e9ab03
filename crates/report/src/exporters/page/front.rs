//! The front that a study answers with, as rows of its trials.

use records::{Front, FrontPoint, Phase, StudyRecord, StudyView, TrialRow};
use serde::Serialize;

/// The front of a size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PageFront {
    size: u64,
    /// Rows of the trials that measured the front's members.
    rows: Vec<usize>,
}

impl PageFront {
    pub(super) fn of(record: &StudyRecord, view: &StudyView) -> Option<Self> {
        let front = view.answering_front(record)?;
        let row =
            |member: &FrontPoint| view.trials.iter().position(|row| made(&front, member, row));
        Some(Self { size: front.size, rows: front.members.iter().filter_map(row).collect() })
    }
}

/// Whether a trial measured this member of a front.
fn made(front: &Front, member: &FrontPoint, row: &TrialRow) -> bool {
    let trial = &row.event.trial;
    let phase = match front.fresh {
        true => trial.phase.is_contest(),
        false => trial.phase == Phase::Search,
    };
    let measured = trial.outcome.measurement.as_ref();
    phase
        && trial.size == front.size
        && trial.configuration == member.configuration
        && measured.is_some_and(|m| m.seconds == member.seconds)
}
