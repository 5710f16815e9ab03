//! The folder of a family: its record, its journal, its scripts, and its report.

use std::path::{Path, PathBuf};

use autobench::terminal::Failure;
use records::{
    AnswerEvent, CandidateRecord, EventLog, FAMILY_FILE, FamilyEvent, FamilyRecord, FamilyView,
    FileFault, FolderError, GeneratorRecord, JOURNAL_FILE, parse_events, write_record, write_whole,
};
use report::exporters::family::{BEST_FILE, best_script, files};

use crate::evolution::{Family, Generator, candidate_file};

/// Folder of the candidates' scripts.
const CANDIDATES: &str = "candidates";

/// A family's folder.
pub(super) struct FamilyFolder {
    path: PathBuf,
}

/// Whether a folder holds a family.
pub(crate) fn is_family(path: &Path) -> bool {
    path.join(FAMILY_FILE).is_file()
}

/// Whether a path may be left over from a family that was killed before its record was written.
fn is_beginning(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match name.as_ref() {
        CANDIDATES => std::fs::read_dir(path).is_ok_and(|mut inside| inside.next().is_none()),
        JOURNAL_FILE => path.metadata().is_ok_and(|file| file.is_file() && file.len() == 0),
        other => other.starts_with(".autobench-"),
    }
}

fn no_journal(path: &Path, why: &str) -> Failure {
    Failure::settings(format!("`{}` is no journal of a family: {why}", path.display()))
}

impl FamilyFolder {
    /// Opens a folder that holds a family or is empty.
    pub(super) fn at(path: &Path) -> Result<Self, Failure> {
        let other = || {
            Failure::settings(format!("`{}` holds something else than a family", path.display()))
                .hint("name a new folder with --out, or that of a family that shall go on")
        };
        if !is_family(path) && path.exists() {
            let mut inside = std::fs::read_dir(path).map_err(|_| other())?;
            if !inside.all(|entry| entry.is_ok_and(|entry| is_beginning(&entry.path()))) {
                return Err(other());
            }
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Opens the folder of a family for reading only.
    pub(super) fn of(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Reads the family as it is now, even while another process writes it.
    pub(super) fn read(&self) -> Result<FamilyView, Failure> {
        let record = FamilyRecord::read(&self.path).map_err(Failure::stored)?;
        let journal = self.path.join(JOURNAL_FILE);
        let bytes = std::fs::read(&journal).map_err(FileFault::reading(&journal));
        let bytes = bytes.map_err(Failure::stored)?;
        let read = parse_events::<FamilyEvent>(&journal, &bytes).map_err(Failure::stored)?;
        let family = Family::of(record, read.entries.into_iter().map(|entry| entry.event));
        Ok(family.map_err(|why| no_journal(&journal, &why))?.view().clone())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The family that was asked for, new or resumed. The request is only written after the folder
    /// is locked and the request is known to be possible.
    pub(super) fn family(
        &self,
        asked: FamilyRecord,
        generator: &mut dyn Generator,
    ) -> Result<(Family, EventLog<FamilyEvent>), Failure> {
        let candidates = self.path.join(CANDIDATES);
        std::fs::create_dir_all(&candidates)
            .map_err(FileFault::creating(&candidates))
            .map_err(Failure::stored)?;
        let journal = self.path.join(JOURNAL_FILE);
        let (log, entries) = EventLog::<FamilyEvent>::open(&journal).map_err(Failure::stored)?;
        let events: Vec<FamilyEvent> = entries.into_iter().map(|entry| entry.event).collect();
        let record = match is_family(&self.path) {
            false => asked,
            true => self.going_on(asked, &events)?,
        };
        self.resume(&events, generator)?;
        let asked_for = record.candidates;
        let family = Family::of(record, events).map_err(|why| no_journal(&journal, &why))?;
        let made = family.view().candidates.len() as u64;
        if family.view().test.is_some() && made != asked_for {
            return Err(Failure::settings(format!(
                "the final table of `{}` was made over {made} candidates, and its spaces are no \
                 longer unseen",
                self.path.display()
            ))
            .hint(format!("name a new folder with --out, or ask for --candidates {made}")));
        }
        self.write_record(&family.view().record).map_err(Failure::stored)?;
        self.restore(family.view()).map_err(Failure::stored)?;
        Ok((family, log))
    }

    /// Passes the earlier answers to the generator.
    fn resume(&self, events: &[FamilyEvent], generator: &mut dyn Generator) -> Result<(), Failure> {
        let answers: Vec<AnswerEvent> = events
            .iter()
            .filter_map(|event| match event {
                FamilyEvent::Answered(answer) => Some(answer.clone()),
                FamilyEvent::Scored(_) | FamilyEvent::Finals(_) | FamilyEvent::Tested(_) => None,
            })
            .collect();
        if answers.is_empty() {
            return Ok(());
        }
        generator.resumed(&answers).map_err(|why| {
            Failure::settings(format!("`{}` holds another family: {why}", self.path.display()))
                .hint("name a new folder with --out, or go on with what was asked for before")
        })
    }

    /// The record of a resumed family, with the limits of the new request.
    fn going_on(
        &self,
        asked: FamilyRecord,
        events: &[FamilyEvent],
    ) -> Result<FamilyRecord, Failure> {
        let known = FamilyRecord::read(&self.path).map_err(Failure::stored)?;
        let tested = events.iter().any(|event| matches!(event, FamilyEvent::Tested(_)));
        let differences = known.differences(&asked, tested);
        if !differences.is_empty() {
            return Err(Failure::settings(format!(
                "`{}` holds another family: {}",
                self.path.display(),
                differences.join("; ")
            ))
            .hint("name a new folder with --out, or go on with what was asked for before"));
        }
        let remark = known.generator.remark.clone();
        Ok(FamilyRecord {
            candidates: asked.candidates,
            tokens: asked.tokens,
            generator: GeneratorRecord { remark, ..asked.generator },
            test: asked.test,
            argv: asked.argv,
            ..known
        })
    }

    /// Writes the request.
    pub(super) fn write_record(&self, record: &FamilyRecord) -> Result<(), FolderError> {
        write_record(&self.path.join(FAMILY_FILE), record)
    }

    /// Writes scripts that are missing because of a kill.
    fn restore(&self, view: &FamilyView) -> Result<(), FolderError> {
        for candidate in &view.candidates {
            if !self.script(candidate).exists() {
                self.write_candidate(candidate)?;
            }
        }
        self.write_best(view)
    }

    fn script(&self, candidate: &CandidateRecord) -> PathBuf {
        self.path.join(CANDIDATES).join(candidate_file(candidate.number))
    }

    /// Path of the best candidate's script.
    pub(super) fn best(&self) -> PathBuf {
        self.path.join(BEST_FILE)
    }

    /// Writes the script of a candidate in one piece, if its answer held one.
    pub(super) fn write_candidate(&self, candidate: &CandidateRecord) -> Result<(), FolderError> {
        if candidate.code.is_empty() {
            return Ok(());
        }
        Ok(write_whole(&self.script(candidate), candidate.code.as_bytes())?)
    }

    /// Writes the best script in one piece, if there is one.
    pub(super) fn write_best(&self, view: &FamilyView) -> Result<(), FolderError> {
        match best_script(view) {
            Some(text) => Ok(write_whole(&self.best(), text.as_bytes())?),
            None => Ok(()),
        }
    }

    /// Writes tables, plots and the report.
    pub(super) fn write_files(&self, view: &FamilyView) -> Result<(), Failure> {
        for (name, bytes) in files(view).map_err(Failure::bug)? {
            write_whole(&self.path.join(name), &bytes).map_err(Failure::stored)?;
        }
        Ok(())
    }
}
