//! One of the repeats: its study's results so far.

use std::path::Path;

use serde::Serialize;

use crate::{
    FolderError, JOURNAL_FILE, JournalError, KneeFinding, Named, Progress, Purpose, StudyFolder,
    StudyRecord, StudyState, StudyView, read_journal, repeats::RepeatsRecord,
};

/// The best configuration at the size of a study's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepeatWinner {
    /// Size of the answer: the knee, or the largest size if there is no knee.
    pub size: u64,
    /// The configuration.
    pub configuration: Named,
    /// Run time, in seconds.
    pub seconds: f64,
    /// Secondary metric.
    pub metric: Option<f64>,
}

/// One of the repeats.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeat {
    /// Number, from 1, which is also the name of its folder.
    pub study: u32,
    /// Seed of the study.
    pub seed: u64,
    /// State of the study.
    #[serde(flatten)]
    pub state: StudyState,
    /// Findings of the detectors.
    pub knees: Vec<KneeFinding>,
    /// Size of the accepted knee.
    pub accepted: Option<u64>,
    /// Whether larger sizes confirmed the knee.
    pub confirmed: bool,
    /// The best configuration at the size of the answer.
    pub winner: Option<RepeatWinner>,
    /// Seconds charged to the study, if it is finished.
    pub seconds: Option<f64>,
    /// Measured sizes of the schedule, ascending, without the sizes added around the knee.
    pub ladder: Vec<u64>,
    /// Secondary metric of the best configuration at every measured size, ascending.
    pub curve: Vec<(u64, f64)>,
}

impl Repeat {
    /// Reads a study's folder, in any state.
    pub(crate) fn read(path: &Path, record: &RepeatsRecord, number: u32) -> Self {
        let seed = record.seed(number);
        let (seed, view, mut state) = match read(path, record) {
            Ok(Some((study, view))) => {
                let state = StudyState::of(&view.progress);
                (study.settings.seed, view, state)
            }
            Ok(None) => (seed, StudyView::default(), StudyState::not_begun()),
            Err(why) => (seed, StudyView::default(), StudyState::Failed(why)),
        };
        if let (StudyState::Unfinished(_), Some(why)) = (&state, record.failed.get(&number)) {
            state = StudyState::Failed(why.clone());
        }
        Self::of(number, seed, state, &view)
    }

    /// Results of a study.
    #[must_use]
    pub fn of(study: u32, seed: u64, state: StudyState, view: &StudyView) -> Self {
        let grown = view.measured().filter(|(point, _)| point.purpose() == Purpose::Growth);
        let winner = view.winner().map(|(point, figure)| RepeatWinner {
            size: point.size,
            configuration: figure.configuration.clone(),
            seconds: figure.seconds.median,
            metric: figure.metric.as_ref().map(|metric| metric.value),
        });
        let finished = state == StudyState::Finished;
        Self {
            study,
            seed,
            state,
            knees: view.knees.clone(),
            accepted: view.accepted.as_ref().map(|knee| knee.size),
            confirmed: view.accepted.as_ref().is_some_and(|knee| knee.confirmed),
            winner: winner.filter(|_| finished),
            seconds: match view.progress {
                Progress::Finished(seconds) => Some(seconds),
                Progress::Open | Progress::Interrupted(_) => None,
            },
            ladder: grown.map(|(point, _)| point.size).collect(),
            curve: view
                .measured()
                .filter_map(|(point, figure)| Some((point.size, figure.metric.as_ref()?.value)))
                .collect(),
        }
    }

    /// Finding of a detector.
    #[must_use]
    pub fn finding(&self, detector: &str) -> Option<&KneeFinding> {
        self.knees.iter().find(|finding| finding.detector == detector)
    }

    /// Position of a size in steps of the schedule, from the first size; linear in the logarithm
    /// between sizes.
    #[must_use]
    pub fn step(&self, size: f64) -> Option<f64> {
        let at = |index: usize| (self.ladder[index] as f64).ln();
        let last = self.ladder.len().checked_sub(2)?;
        let below = self.ladder.iter().take_while(|step| **step as f64 <= size).count();
        let from = below.saturating_sub(1).min(last);
        let step = from as f64 + (size.ln() - at(from)) / (at(from + 1) - at(from));
        step.is_finite().then_some(step)
    }
}

/// The study in a folder; `None` if it has not begun.
fn read(path: &Path, plan: &RepeatsRecord) -> Result<Option<(StudyRecord, StudyView)>, String> {
    if path.is_file() {
        return Err(format!("`{}` is a file, not the folder of a study", path.display()));
    }
    let folder = match StudyFolder::open(path) {
        Ok(folder) => folder,
        Err(FolderError::NotAStudy(_)) => return Ok(None),
        Err(fault) => return Err(fault.to_string()),
    };
    let record = folder.read_study().map_err(|fault| fault.to_string())?;
    plan.claims(path, &record)?;
    let journal = folder.file(JOURNAL_FILE);
    if !journal.exists() {
        return Ok(None);
    }
    let read = read_journal(&journal).map_err(|fault: JournalError| fault.to_string())?;
    Ok(Some((record, StudyView::from_events(&read.entries))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_lies_on_its_ladder_between_it_and_beyond_it() {
        let mut repeat = Repeat::of(1, 1, StudyState::Finished, &StudyView::default());
        assert_eq!(repeat.step(100.0), None, "there is no ladder");
        repeat.ladder = vec![100];
        assert_eq!(repeat.step(100.0), None, "one rung is no ladder");
        repeat.ladder = vec![100, 200, 400, 800];
        for (size, step) in [
            (100.0, 0.0),
            (400.0, 2.0),
            (800.0, 3.0),
            (200.0 * 2_f64.sqrt(), 1.5),
            (3200.0, 5.0),
            (25.0, -2.0),
        ] {
            assert!((repeat.step(size).expect("a step") - step).abs() < 1e-9, "{size}");
        }
        for nonsense in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(repeat.step(nonsense), None, "{nonsense}");
        }
    }
}
