//! Formats of a study: functions of its record and its view alone.

pub mod comparison;
mod exchange;
pub mod family;
mod figures;
mod page;
pub mod repeats;
mod tables;
pub mod words;

// Formats.
mod csv;
mod header;
mod json;
mod kernel_tuner;
mod markdown;
mod plot;
mod precision;
mod report;
mod t4;

pub use figures::{
    AxisScale, Bar, BarsPlot, CurvePlot, Dots, DotsPlot, FigureError, Line, LinesPlot, Scales,
    TrendMark, TrendPlot, TrendPoint, front, plot_bars, plot_curve, plot_dots, plot_lines,
    plot_trend, png, precision, roofline, saturation, tuning,
};
pub use page::{Cell, PageData, configuration, escape, row, whole};
pub use precision::threshold_rows;
pub use report::threshold_table;
pub use tables::columns::{Table, TableRow};
pub use tables::score_table::score_cells;
pub use words::{aligned::aligned, ceilings, knee_answer, quantities, trade_offs};

use ::exchange::RecordedSpace;
use records::{FolderError, StudyFolder, StudyRecord, StudyView};
use registry::{Registered, Registry, Unknown};

/// Options of an export.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Scales of the axes of plots.
    pub scales: Scales,
    /// Size for formats of one size; the largest if missing.
    pub size: Option<u64>,
}

/// Why there is no export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is no picture.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The format cannot express the study.
    #[error("cannot write the study as {format}: {why}")]
    Format {
        /// Name of the format.
        format: &'static str,
        /// Cause.
        why: String,
    },
}

/// A file: its name within the study's folder, and its content.
pub type NamedFile = (String, Vec<u8>);

/// Writes a recorded space as one file.
pub type WriteSpace = fn(&RecordedSpace) -> Result<Vec<u8>, ExportError>;

/// Where a format goes by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The main file goes to standard output.
    Stream,
    /// The files go into the study's folder.
    Folder,
}

/// A format that studies are written in.
pub struct Exporter {
    /// What `--format` calls it.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// The names of the files it makes, the main one first.
    pub file_names: &'static [&'static str],
    /// Where it goes when nobody says where.
    pub delivery: Delivery,
    /// The files of a study; an error when the study has nothing that this format could say.
    pub export: fn(&StudyRecord, &StudyView, &Options) -> Result<Vec<NamedFile>, ExportError>,
    /// How it writes a recorded space, where it can.
    pub recorded: Option<WriteSpace>,
}

/// Formats that every study's folder gets.
pub const STUDY: [&str; 4] = ["csv", "plot", "precision", "report"];

/// Why a format was not written into a folder.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// No exporter has this name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The files cannot be made.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The files cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Writes a format into a study's folder; no pictures if there is nothing to draw.
///
/// # Errors
/// If no format has this name, or its files cannot be made or written.
pub fn write(
    name: &str,
    folder: &StudyFolder,
    record: &StudyRecord,
    view: &StudyView,
) -> Result<(), WriteError> {
    let files = match (EXPORTERS.named(name)?.export)(record, view, &Options::default()) {
        Err(ExportError::Figure(FigureError::Empty(_))) => Vec::new(),
        files => files?,
    };
    for (name, bytes) in files {
        folder.write_whole(&name, &bytes)?;
    }
    Ok(())
}

/// Writes every format of [`STUDY`] into a study's folder.
///
/// # Errors
/// If files cannot be made or written.
pub fn write_all(
    folder: &StudyFolder,
    record: &StudyRecord,
    view: &StudyView,
) -> Result<(), WriteError> {
    STUDY.iter().try_for_each(|format| write(format, folder, record, view))
}

inventory::collect!(Exporter);

/// Every exporter.
pub static EXPORTERS: Registry<Exporter> = Registry::new("format");

impl Registered for Exporter {
    fn name(&self) -> &'static str {
        self.name
    }
}
