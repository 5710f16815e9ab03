//! Formats of a family of candidate strategies: tables, pictures, a page, and the best as a script.

mod best_script;
mod page;
mod pictures;
mod table;
pub mod words;

pub use best_script::best_script;

use records::FamilyView;

use super::{ExportError, NamedFile, png};

/// Name of the file with the best candidate's script.
pub const BEST_FILE: &str = "best.luau";

/// Returns the files of a family without its scripts. The page comes last.
///
/// # Errors
/// If one of them cannot be made.
pub fn files(view: &FamilyView) -> Result<Vec<NamedFile>, ExportError> {
    let mut files = vec![("candidates.csv".to_owned(), table::candidates(view).csv()?)];
    if let Some(test) = &view.test {
        files.push(("test.csv".to_owned(), table::test(test).csv()?));
    }
    let pictures = pictures::Pictures::of(view)?;
    if let Some(tree) = &pictures.tree {
        files.push(("family.png".to_owned(), png(tree)?));
        files.push(("family.svg".to_owned(), tree.clone().into_bytes()));
    }
    files.push(("report.html".to_owned(), page::page(view, &pictures).into_bytes()));
    Ok(files)
}
