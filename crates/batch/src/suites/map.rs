//! The map that a suite may define: an output of some of its studies, whose elements are classes of
//! the cells of a square, side by side.

use std::path::Path;

use records::StudyFolder;
use report::exporters::{ClassMap, ExportError, NamedFile, plot_maps, png};

use super::row::{SuiteRow, SuiteView};

/// Draws the maps of a suite, as far as its studies have kept an output.
///
/// # Errors
/// If a map cannot be drawn.
pub(super) fn files(view: &SuiteView, path: &Path) -> Result<Vec<NamedFile>, ExportError> {
    let mut files = Vec::new();
    for (at, numbers) in view.record.maps.iter().enumerate() {
        let rows = numbers.iter().filter_map(|number| view.rows.get(number.checked_sub(1)?));
        let maps: Vec<ClassMap> = rows.filter_map(|row| map(row, path)).collect();
        if maps.is_empty() {
            continue;
        }
        let labels: Vec<&str> = maps.iter().map(|map| map.label.as_str()).collect();
        let title = format!("{}: {}", view.record.suite, labels.join(" and "));
        let svg = plot_maps(&title, &maps)?;
        let name = if at == 0 { "map".to_owned() } else { format!("map-{}", at + 1) };
        files.push((format!("{name}.png"), png(&svg)?));
        files.push((format!("{name}.svg"), svg.into_bytes()));
    }
    Ok(files)
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
