//! `report`: one self-contained page with the answer, the plots, the sizes and the conditions.

mod cards;
mod conditions;
mod page;
mod sections;
mod time;

pub use sections::thresholds as threshold_table;

use records::{StudyRecord, StudyView};

use super::{Delivery, ExportError, Exporter, NamedFile, Options};

inventory::submit!(Exporter {
    name: "report",
    about: "one self-contained HTML page with the answer, plots, sizes and conditions",
    file_names: &["report.html"],
    delivery: Delivery::Folder,
    export,
    recorded: None,
});

fn export(
    record: &StudyRecord,
    view: &StudyView,
    options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    let page = page::page(record, view, options)?;
    Ok(vec![("report.html".to_owned(), page.into_bytes())])
}
