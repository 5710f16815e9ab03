//! `plot`: the saturation plot and the tuning plot, as SVG and PNG.

use super::{ExportError, Exporter, NamedFile, Options, png, saturation, tuning};
use crate::records::{StudyRecord, StudyView};

/// The entry of the registry.
pub(super) static ENTRY: Plot = Plot;

/// The exporter of plots.
#[derive(Debug)]
pub(super) struct Plot;

impl Exporter for Plot {
    fn name(&self) -> &'static str {
        "plot"
    }

    fn about(&self) -> &'static str {
        "saturation and tuning plots, as SVG and PNG"
    }

    fn file_names(&self) -> &'static [&'static str] {
        &["saturation.svg", "saturation.png", "tuning.svg", "tuning.png"]
    }

    fn export(
        &self,
        record: &StudyRecord,
        view: &StudyView,
        options: &Options,
    ) -> Result<Vec<NamedFile>, ExportError> {
        let mut files = Vec::new();
        let mut add = |name: &str, svg: String| -> Result<(), ExportError> {
            let pixels = png(&svg)?;
            files.push((format!("{name}.svg"), svg.into_bytes()));
            files.push((format!("{name}.png"), pixels));
            Ok(())
        };
        add("saturation", saturation(record, view, options.scales)?)?;
        // A replayed or cut-off study may report sizes without any trial of its search.
        if let Ok(svg) = tuning(record, view) {
            add("tuning", svg)?;
        }
        Ok(files)
    }
}
