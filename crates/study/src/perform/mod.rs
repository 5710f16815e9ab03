//! From a study that has begun to its result.

mod begun;
mod ceilings;
pub mod kept;

use std::sync::atomic::AtomicBool;

use records::{Event, Figure, StudyFolder, StudyRecord, StudyView, output_file};

pub use begun::BegunStudy;

use crate::{
    Conclusion, StudyFault, StudyListener,
    prepare::{SETUP_TIMEOUT, Study},
};

/// What a study found.
#[derive(Debug, Clone)]
pub struct StudyResult {
    /// The study's folder.
    pub folder: StudyFolder,
    /// The record: benchmark, device and settings.
    pub record: StudyRecord,
    /// Everything that happened, as read from the journal.
    pub view: StudyView,
    /// The answer.
    pub conclusion: Conclusion,
}

impl StudyResult {
    /// Returns the size of the knee, if there is one.
    #[must_use]
    pub fn knee(&self) -> Option<u64> {
        self.view.accepted.as_ref().map(|accepted| accepted.size)
    }

    /// Returns the best configuration of every measured size, smallest size first.
    pub fn best_per_size(&self) -> impl Iterator<Item = (u64, &Figure)> {
        self.view.measured().map(|(point, best)| (point.size, best))
    }

    /// Returns the best configuration at the size of the answer.
    #[must_use]
    pub fn best(&self) -> Option<&Figure> {
        self.conclusion.chosen.best.as_ref()
    }
}

impl BegunStudy {
    /// Whether the study has its answer already.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.journal.is_finished()
    }

    /// Returns everything that happened so far.
    #[must_use]
    pub fn view(&self) -> StudyView {
        self.journal.view()
    }

    /// Runs the study from the end of its journal.
    pub fn run(&mut self, listener: &mut dyn StudyListener) -> Result<StudyResult, StudyFault> {
        self.run_unless(listener, &AtomicBool::new(false))
    }

    /// Like [`BegunStudy::run`], until `interrupted` is set. [`Study::resume`] then continues it.
    pub fn run_unless(
        &mut self,
        listener: &mut dyn StudyListener,
        interrupted: &AtomicBool,
    ) -> Result<StudyResult, StudyFault> {
        let Self { study, folder, journal } = self;
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
        keep_outputs(study, folder, &conclusion).map_err(|why| listener.note(&why)).ok();
        study.note_ceilings(journal, |text| listener.note(text))?;
        let view = journal.view();
        Ok(StudyResult { folder: folder.clone(), record: study.record.clone(), view, conclusion })
    }
}

/// Writes the outputs of the winner that the settings ask for into the study's folder.
fn keep_outputs(
    study: &Study,
    folder: &StudyFolder,
    conclusion: &Conclusion,
) -> Result<(), String> {
    let (Some(worker), Some(best)) = (study.workers().first(), &conclusion.chosen.best) else {
        return Ok(());
    };
    let (size, settings) = (conclusion.chosen.size, &study.plan.settings);
    for name in &settings.keep_outputs {
        let values = worker.client.borrow_mut().output(
            size,
            &best.configuration,
            name,
            settings.measuring.timeout(),
        );
        let values = values.map_err(|fault| format!("--keep-output {name}: {fault}"))?;
        let mut text = format!("{name}\n");
        values.iter().for_each(|value| text += &format!("{value}\n"));
        let written = folder.write_whole(&output_file(name), text.as_bytes());
        written.map_err(|fault| format!("--keep-output {name}: {fault}"))?;
    }
    Ok(())
}

/// Writes the winner's exact source, flags and launch geometry into the study's folder.
fn keep_source(study: &Study, folder: &StudyFolder, conclusion: &Conclusion) {
    let (Some(worker), Some(best)) = (study.workers().first(), &conclusion.chosen.best) else {
        return;
    };
    let size = conclusion.chosen.size;
    let source = worker.client.borrow_mut().explain(size, &best.configuration, SETUP_TIMEOUT);
    if let Ok(text) = source {
        // The result is valid without its source, and `show` reports a missing one.
        let _ = folder.write_whole("winner.cu", text.as_bytes());
    }
}
