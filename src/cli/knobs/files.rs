//! `knobs.csv`: a row for every setting as soon as it is scored.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use crate::{
    cli::terminal::Failure,
    records::{FileFault, StudyFolder},
    scoring::{KnobGrid, Landscape, ScoredSetting},
};

/// The table while settings are scored.
pub(super) struct KnobsFile<'a> {
    path: PathBuf,
    writer: csv::Writer<File>,
    grid: &'a KnobGrid,
}

impl<'a> KnobsFile<'a> {
    /// Begins it with its header.
    pub(super) fn begin(
        folder: &StudyFolder,
        grid: &'a KnobGrid,
        landscapes: &[Landscape],
    ) -> Result<Self, Failure> {
        let path = folder.file("knobs.csv");
        let file =
            File::create(&path).map_err(FileFault::creating(&path)).map_err(Failure::stored)?;
        let mut file = Self { path, writer: csv::Writer::from_writer(file), grid };
        let mut header = vec!["setting".to_owned(), "score".to_owned(), "error".to_owned()];
        header.extend(grid.names().map(|name| format!("knob_{name}")));
        header.extend(landscapes.iter().map(|landscape| format!("score_{}", landscape.name)));
        file.row(&header)?;
        Ok(file)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a setting; it is on disk before anything else is scored.
    pub(super) fn add(&mut self, setting: &ScoredSetting) -> Result<(), Failure> {
        if setting.scores.is_empty() {
            return Ok(());
        }
        let mut row = vec![setting.entry.clone(), setting.score().to_string()];
        row.push(setting.error().map(|error| error.to_string()).unwrap_or_default());
        match setting.id {
            Some(id) => row.extend(self.grid.values(id).into_iter().map(str::to_owned)),
            None => row.extend(self.grid.names().map(|_| String::new())),
        }
        row.extend(setting.scores.iter().map(f64::to_string));
        self.row(&row)
    }

    fn row(&mut self, row: &[String]) -> Result<(), Failure> {
        let written = self.writer.write_record(row).map_err(std::io::Error::from);
        let flushed = written.and_then(|()| self.writer.flush());
        flushed.map_err(FileFault::writing(&self.path)).map_err(Failure::stored)
    }
}
