//! `report`: one self-contained page with the answer, the plots, the sizes and the conditions.

mod cards;
mod conditions;
mod html;
mod page;
mod sections;
mod time;

pub(super) use html::{card, escape, whole};

use super::{Delivery, ExportError, Exporter, NamedFile, Options};
use crate::{
    records::{StudyRecord, StudyView},
    registry::Entry,
};

inventory::submit!(Entry::<dyn Exporter>(&Report));

#[derive(Debug)]
struct Report;

impl Exporter for Report {
    fn name(&self) -> &'static str {
        "report"
    }

    fn about(&self) -> &'static str {
        "one self-contained HTML page with the answer, plots, sizes and conditions"
    }

    fn file_names(&self) -> &'static [&'static str] {
        &["report.html"]
    }

    fn delivery(&self) -> Delivery {
        Delivery::Folder
    }

    fn export(
        &self,
        record: &StudyRecord,
        view: &StudyView,
        options: &Options,
    ) -> Result<Vec<NamedFile>, ExportError> {
        let page = page::page(record, view, options)?;
        Ok(vec![("report.html".to_owned(), page.into_bytes())])
    }
}
