//! From a study that has begun to its result.

mod begun;
mod ceilings;
pub mod kept;
mod pace;

use std::sync::atomic::AtomicBool;

use records::{Event, Figure, StudyFolder, StudyRecord, StudyView};

pub use begun::BegunStudy;

use crate::{
    Conclusion, StudyFault, StudyListener,
    prepare::{SETUP_TIMEOUT, Study},
};

/// What a study found.
#[derive(Debug, Clone)]
pub struct StudyResult {
    /// Where it is written down.
    pub folder: StudyFolder,
    /// What was studied, where and how.
    pub record: StudyRecord,
    /// Everything that happened, as readers of the folder see it.
    pub view: StudyView,
    /// Its answer.
    pub conclusion: Conclusion,
}

impl StudyResult {
    /// The size of the knee, if it has one.
    #[must_use]
    pub fn knee(&self) -> Option<u64> {
        self.view.accepted.as_ref().map(|accepted| accepted.size)
    }

    /// The best configuration of every size that was measured, smallest size first.
    pub fn best_per_size(&self) -> impl Iterator<Item = (u64, &Figure)> {
        self.view.measured().map(|(point, best)| (point.size, best))
    }

    /// The best configuration at the size of the answer.
    #[must_use]
    pub fn best(&self) -> Option<&Figure> {
        self.conclusion.chosen.best.as_ref()
    }
}

impl BegunStudy {
    /// Whether it has its answer already.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.journal.is_finished()
    }

    /// Everything that happened so far.
    #[must_use]
    pub fn view(&self) -> StudyView {
        self.journal.view()
    }

    /// Runs the study from where its journal ends.
    pub fn run(&mut self, listener: &mut dyn StudyListener) -> Result<StudyResult, StudyFault> {
        self.run_unless(listener, &AtomicBool::new(false))
    }

    /// The same, until `interrupted` is set; then [`Study::resume`] goes on with it.
    pub fn run_unless(
        &mut self,
        listener: &mut dyn StudyListener,
        interrupted: &AtomicBool,
    ) -> Result<StudyResult, StudyFault> {
        let Self { study, folder, journal } = self;
        study.note_pace(journal, |text| listener.note(text))?;
        let was_finished = journal.is_finished();
        let result = {
            let mut subject = study.subject();
            let mut evaluator = study.evaluator();
            let (subject, evaluator) = (subject.as_mut(), evaluator.as_mut());
            crate::run(&study.plan, subject, evaluator, journal, listener, interrupted)
        };
        study.release_control(|text| listener.note(text));
        if let Err(StudyFault::Interrupted) = &result {
            let why = "by Ctrl-C or a signal".to_owned();
            journal.write(Event::Interrupted { why })?;
        }
        let conclusion = result?;
        keep_source(study, folder, &conclusion);
        study.note_ceilings(journal, |text| listener.note(text))?;
        let view = journal.view();
        if !was_finished {
            study.keep_pace(folder, &view, |text| listener.note(text));
        }
        Ok(StudyResult { folder: folder.clone(), record: study.record.clone(), view, conclusion })
    }
}

/// Writes the winner's exact source, flags and geometry for readers.
fn keep_source(study: &Study, folder: &StudyFolder, conclusion: &Conclusion) {
    let (Some(worker), Some(best)) = (study.workers().first(), &conclusion.chosen.best) else {
        return;
    };
    let size = conclusion.chosen.size;
    let source = worker.client.borrow_mut().explain(size, &best.configuration, SETUP_TIMEOUT);
    if let Ok(text) = source {
        // The figure counts without its source; `show` says if that is missing.
        let _ = folder.write_whole("winner.cu", text.as_bytes());
    }
}
