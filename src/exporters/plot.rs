//! `plot`: the saturation plot, the tuning plot and the plot of a front, as SVG and PNG.

use super::{
    Delivery, ExportError, Exporter, FigureError, NamedFile, Options, front, png, saturation,
    tuning,
};
use crate::{
    records::{StudyRecord, StudyView},
    registry::Entry,
};

inventory::submit!(Entry::<dyn Exporter>(&Plot));

#[derive(Debug)]
struct Plot;

impl Exporter for Plot {
    fn name(&self) -> &'static str {
        "plot"
    }

    fn about(&self) -> &'static str {
        "plots of saturation, of tuning and of the front, as SVG and PNG"
    }

    fn file_names(&self) -> &'static [&'static str] {
        &["saturation.svg", "saturation.png", "tuning.svg", "tuning.png", "front.svg", "front.png"]
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
        let mut files = Vec::new();
        let add =
            |files: &mut Vec<NamedFile>, name: &str, svg: String| -> Result<(), ExportError> {
                let pixels = png(&svg)?;
                files.push((format!("{name}.svg"), svg.into_bytes()));
                files.push((format!("{name}.png"), pixels));
                Ok(())
            };
        // One size is no curve, and a study may have no trials of its search.
        if view.measured().nth(1).is_some() {
            add(&mut files, "saturation", saturation(record, view, options.scales)?)?;
        }
        match tuning(record, view) {
            Ok(svg) => add(&mut files, "tuning", svg)?,
            Err(FigureError::Empty(_)) if !files.is_empty() => {}
            Err(fault) => return Err(fault.into()),
        }
        match front(record, view) {
            Ok(svg) => add(&mut files, "front", svg)?,
            Err(FigureError::Empty(_)) => {}
            Err(fault) => return Err(fault.into()),
        }
        Ok(files)
    }
}
