//! One of the repeats: what its study says, or why it says nothing.

use std::path::Path;

use serde::Serialize;

use crate::records::{
    FolderError, JOURNAL_FILE, JournalError, KneeFinding, Named, Progress, Purpose, StudyFolder,
    StudyRecord, StudyView, read_journal, repeats::RepeatsRecord,
};

/// How far a study came.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", content = "reason", rename_all = "kebab-case")]
pub enum RepeatState {
    /// It has its answer.
    Finished,
    /// It cannot have one; why, in one sentence.
    Failed(String),
    /// It has none yet; why, in one sentence.
    Unfinished(String),
}

impl RepeatState {
    /// In one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed(_) => "failed",
            Self::Unfinished(_) => "unfinished",
        }
    }

    /// Why there is no answer; nothing where there is one.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Finished => "",
            Self::Failed(why) | Self::Unfinished(why) => why,
        }
    }
}

/// The configuration that a study answers with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepeatWinner {
    /// At this size: the knee, or the largest where there is none.
    pub size: u64,
    /// What it is.
    pub configuration: Named,
    /// Its run time.
    pub seconds: f64,
    /// The secondary metric.
    pub metric: Option<f64>,
}

/// One of the repeats.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeat {
    /// Its number, from 1; its folder is called so.
    pub study: u32,
    /// What all its chance is a function of.
    pub seed: u64,
    /// How far it came.
    #[serde(flatten)]
    pub state: RepeatState,
    /// What the detectors say.
    pub knees: Vec<KneeFinding>,
    /// The knee that it answers with.
    pub accepted: Option<u64>,
    /// Whether larger sizes confirmed that.
    pub confirmed: bool,
    /// What it answers with.
    pub winner: Option<RepeatWinner>,
    /// Seconds it was charged, where it is finished.
    pub seconds: Option<f64>,
    /// The sizes of its schedule that were measured, ascending; those around the knee apart.
    pub ladder: Vec<u64>,
    /// The secondary metric of the best configuration at every measured size, ascending.
    pub curve: Vec<(u64, f64)>,
}

impl Repeat {
    /// What lies in a study's folder, whatever that is.
    pub(in crate::records) fn read(path: &Path, record: &RepeatsRecord, number: u32) -> Self {
        let seed = record.seed(number);
        let (seed, view, mut state) = match read(path, record) {
            Ok(Some((study, view))) => {
                let state = state(&view.progress);
                (study.settings.seed, view, state)
            }
            Ok(None) => {
                let state = RepeatState::Unfinished("not begun".to_owned());
                (seed, StudyView::default(), state)
            }
            Err(why) => (seed, StudyView::default(), RepeatState::Failed(why)),
        };
        if let (RepeatState::Unfinished(_), Some(why)) = (&state, record.failed.get(&number)) {
            state = RepeatState::Failed(why.clone());
        }
        Self::of(number, seed, state, &view)
    }

    /// What a study says.
    #[must_use]
    pub fn of(study: u32, seed: u64, state: RepeatState, view: &StudyView) -> Self {
        let grown = view.measured().filter(|(point, _)| point.purpose() == Purpose::Growth);
        let winner = view.winner().map(|(point, figure)| RepeatWinner {
            size: point.size,
            configuration: figure.configuration.clone(),
            seconds: figure.seconds.median,
            metric: figure.metric.as_ref().map(|metric| metric.value),
        });
        let finished = state == RepeatState::Finished;
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

    /// What a detector says.
    #[must_use]
    pub fn finding(&self, detector: &str) -> Option<&KneeFinding> {
        self.knees.iter().find(|finding| finding.detector == detector)
    }

    /// Where a size lies among the sizes of the schedule, in steps from the first: between two by
    /// the logarithm, beyond the ends as far as the last step reaches.
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

fn state(progress: &Progress) -> RepeatState {
    match progress {
        Progress::Finished(_) => RepeatState::Finished,
        Progress::Interrupted(why) => RepeatState::Unfinished(format!("interrupted: {why}")),
        Progress::Open => RepeatState::Unfinished("it runs, or was killed".to_owned()),
    }
}

/// The study in a folder; none where none has begun.
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
        let mut repeat = Repeat::of(1, 1, RepeatState::Finished, &StudyView::default());
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
