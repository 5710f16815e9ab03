//! The table of settings: each row is written as soon as its setting is scored.

use std::{
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use autobench::terminal::Failure;
use records::{FileFault, StudyFolder};
use report::exporters::{Table, TableRow, quantities::counted};
use scoring::{Landscape, TriedSetting, total};

/// Name of the file.
const NAME: &str = "settings.csv";

/// A file that grows during the search, so that an interrupted search keeps its scores.
pub(super) struct SettingsFile<'a> {
    landscapes: &'a [Landscape],
    path: PathBuf,
    /// The file, its table, and the number of rows written.
    grown: Mutex<(File, Table, usize)>,
    /// Why a row could not be written.
    fault: OnceLock<Failure>,
}

impl<'a> SettingsFile<'a> {
    pub(super) fn create(
        folder: &StudyFolder,
        landscapes: &'a [Landscape],
    ) -> Result<Self, Failure> {
        let path = folder.file(NAME);
        let file = File::create(&path).map_err(FileFault::creating(&path));
        let file = file.map_err(Failure::stored)?;
        let grown = Mutex::new((file, Table::default(), 0));
        Ok(Self { landscapes, path, grown, fault: OnceLock::new() })
    }

    pub(super) fn add(&self, tried: &TriedSetting) {
        let mut grown = self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, table, rows) = &mut *grown;
        table.push(row(tried, self.landscapes));
        let line = table.last_line().map_err(Failure::bug);
        let written = line.and_then(|line| {
            let written = file.write_all(&line).and_then(|()| file.flush());
            written.map_err(FileFault::writing(&self.path)).map_err(Failure::stored)
        });
        match written {
            Ok(()) => *rows += 1,
            // The first failure ends the search.
            Err(failure) => drop(self.fault.set(failure)),
        }
    }

    /// Whether a row could not be written.
    pub(super) fn is_faulty(&self) -> bool {
        self.fault.get().is_some()
    }

    /// Why a search ended early, and which scores are kept.
    pub(super) fn ended(&self) -> Failure {
        if let Some(failure) = self.fault.get() {
            return failure.clone();
        }
        let (.., rows) = &*self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        let left = match rows {
            0 => "before a setting was scored".to_owned(),
            rows => format!("and `{}` has the {}", self.path.display(), scored(*rows)),
        };
        Failure::interrupted(format!("the search was interrupted, {left}"))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn scored(rows: usize) -> String {
    let verb = if rows == 1 { "was" } else { "were" };
    format!("{} that {verb} scored", counted(rows, "setting"))
}

/// Row of a setting with its results.
pub(super) fn row(tried: &TriedSetting, landscapes: &[Landscape]) -> TableRow {
    let (score, error) = total(&tried.standings);
    let mut row = TableRow::default();
    row.text("strategy", &tried.strategy)
        .number("score", score)
        .number("standard_error", error)
        .count("failed_runs", tried.failed as u64)
        .text("fault", tried.fault.as_deref().unwrap_or_default());
    for (landscape, standing) in landscapes.iter().zip(&tried.standings) {
        row.number(&format!("score_{}", landscape.name), standing.score);
    }
    row
}
