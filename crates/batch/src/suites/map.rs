//! The map that a suite may define: an output of some of its studies, whose elements are classes of
//! the cells of a square, side by side.

use std::path::Path;

use records::StudyFolder;
use report::exporters::{ClassMap, ExportError, NamedFile, plot_maps};

use super::{
    figure::pictures,
    row::{SuiteRow, SuiteView},
};

/// Draws the maps of a suite, as far as its studies have kept an output.
///
/// # Errors
/// If a map cannot be drawn.
pub(super) fn files(view: &SuiteView, path: &Path) -> Result<Vec<NamedFile>, ExportError> {
    pictures("map", &view.record.maps, view, |rows| {
        let maps: Vec<ClassMap> = rows.iter().filter_map(|row| map(row, path)).collect();
        let labels: Vec<&str> = maps.iter().map(|map| map.label.as_str()).collect();
        let title = format!("{}: {}", view.record.suite, labels.join(" and "));
        (!maps.is_empty()).then(|| plot_maps(&title, &maps)).transpose()
    })
}

/// The first output that a study kept, as classes.
fn map(row: &SuiteRow, path: &Path) -> Option<ClassMap> {
    let folder = StudyFolder::open(&path.join(row.folder.as_ref()?)).ok()?;
    let record = folder.read_study().ok()?;
    let kept = folder.file(&records::output_file(record.settings.keep_outputs.first()?));
    let text = std::fs::read_to_string(kept).ok()?;
    let class = |line: &str| line.parse::<u32>().ok();
    let classes = text.lines().skip(1).map(class).collect::<Option<Vec<u32>>>()?;
    (!classes.is_empty()).then(|| ClassMap { label: row.label.clone(), classes })
}
