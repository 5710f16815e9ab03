//! Formats of a study. Each is a function of the study's record and view alone.

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
    AxisScale, Bar, BarsPlot, ClassMap, CurvePlot, Dots, DotsPlot, FigureError, Line, LinesPlot,
    Scales, TrendMark, TrendPlot, TrendPoint, front, plot_bars, plot_curve, plot_dots, plot_lines,
    plot_maps, plot_trend, png, precision, roofline, saturation, tuning,
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
    /// Size for formats of one size; the largest if `None`.
    pub size: Option<u64>,
}

/// Why there is no export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A picture cannot be drawn.
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
    /// Its name for `--format`.
    pub name: &'static str,
    /// What it writes, in a few words.
    pub about: &'static str,
    /// Names of the files that it makes, the main one first.
    pub file_names: &'static [&'static str],
    /// Where the files go if no destination is given.
    pub delivery: Delivery,
    /// Returns the files of a study; an error if the study has nothing for this format.
    pub export: fn(&StudyRecord, &StudyView, &Options) -> Result<Vec<NamedFile>, ExportError>,
    /// Writes a recorded space, if the format can hold one.
    pub recorded: Option<WriteSpace>,
}

/// Formats that are written into every study's folder.
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

/// Writes a format into a study's folder. Writes nothing if there is nothing to draw.
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
