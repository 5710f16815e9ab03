//! What a study is written as: functions of its record and its view alone.

mod figures;
pub mod quantities;

pub use figures::{CurvePlot, FigureError, Scale, Scales, plot_curve, png, saturation, tuning};

use crate::records::{StudyRecord, StudyView};

/// What a reader may choose about an export.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// How the axes of plots are spaced.
    pub scales: Scales,
}

/// Why there is no export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is no picture.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The format cannot say this.
    #[error("cannot write the study as {format}: {why}")]
    Format {
        /// The format's name.
        format: &'static str,
        /// What is wrong.
        why: String,
    },
}

/// A file: its name within the study's folder, and what is in it.
pub type NamedFile = (String, Vec<u8>);

/// A format that studies are written in.
pub trait Exporter: Sync {
    /// What `--format` calls it.
    fn name(&self) -> &'static str;
    /// One sentence.
    fn about(&self) -> &'static str;
    /// The names of the files it makes, the main one first.
    fn file_names(&self) -> &'static [&'static str];
    /// The files of a study.
    ///
    /// # Errors
    /// When the study has nothing that this format could say.
    fn export(
        &self,
        record: &StudyRecord,
        view: &StudyView,
        options: &Options,
    ) -> Result<Vec<NamedFile>, ExportError>;
}

/// The exporter of a name.
#[must_use]
pub fn exporter(name: &str) -> Option<&'static dyn Exporter> {
    EXPORTERS.iter().copied().find(|e| e.name() == name)
}

crate::registry! {
    /// Every exporter, sorted by name.
    pub static EXPORTERS: dyn Exporter;
    plot,
}
