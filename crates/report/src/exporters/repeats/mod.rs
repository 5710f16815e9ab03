//! Formats of repeats: a table, a plot and a page. Each is a function of the repeats' view alone.

mod page;
mod table;
pub mod words;

use records::{RepeatsFolder, RepeatsView};

use super::{ExportError, FigureError, NamedFile, WriteError, figures, png};

/// Returns the files of repeats. There is no plot if no two studies have a size in common.
///
/// # Errors
/// If one of them cannot be made.
pub fn files(view: &RepeatsView) -> Result<Vec<NamedFile>, ExportError> {
    let mut files = vec![("repeats.csv".to_owned(), table::table(view).csv()?)];
    let figure = match figures::repeats(view) {
        Ok(svg) => Some(svg),
        Err(FigureError::Empty(_)) => None,
        Err(fault) => return Err(fault.into()),
    };
    let page = page::page(view, figure.as_deref());
    if let Some(svg) = figure {
        let pixels = png(&svg)?;
        files.push(("repeats.svg".to_owned(), svg.into_bytes()));
        files.push(("repeats.png".to_owned(), pixels));
    }
    files.push(("report.html".to_owned(), page.into_bytes()));
    Ok(files)
}

/// Writes the files of repeats into their folder.
///
/// # Errors
/// If they cannot be made or written.
pub fn write(folder: &RepeatsFolder, view: &RepeatsView) -> Result<(), WriteError> {
    for (name, bytes) in files(view)? {
        folder.write_whole(&name, &bytes)?;
    }
    Ok(())
}
