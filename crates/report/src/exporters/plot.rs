//! `plot`: the plots of saturation, of tuning, of a front and of the roofline, as SVG and PNG.

use records::{StudyRecord, StudyView};

use super::{
    Delivery, ExportError, Exporter, FigureError, NamedFile, Options, front, png, roofline,
    saturation, tuning,
};

inventory::submit!(Exporter {
    name: "plot",
    about: "plots of saturation, of tuning, of the front and of the roofline, as SVG and PNG",
    file_names: &[
        "saturation.svg",
        "saturation.png",
        "tuning.svg",
        "tuning.png",
        "front.svg",
        "front.png",
        "roofline.svg",
        "roofline.png"
    ],
    delivery: Delivery::Folder,
    export,
    recorded: None,
});

fn export(
    record: &StudyRecord,
    view: &StudyView,
    options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    let mut files = Vec::new();
    let add = |files: &mut Vec<NamedFile>, name: &str, svg: String| -> Result<(), ExportError> {
        let pixels = png(&svg)?;
        files.push((format!("{name}.svg"), svg.into_bytes()));
        files.push((format!("{name}.png"), pixels));
        Ok(())
    };
    // A study of one size has no curve, and a replayed or stopped study may have no search trials.
    // All plots that are possible are drawn.
    if view.measured().nth(1).is_some() {
        add(&mut files, "saturation", saturation(record, view, options.scales)?)?;
    }
    match tuning(record, view) {
        Ok(svg) => add(&mut files, "tuning", svg)?,
        Err(FigureError::Empty(_)) if !files.is_empty() => {}
        Err(fault) => return Err(fault.into()),
    }
    for (name, drawn) in [("front", front(record, view)), ("roofline", roofline(record, view))] {
        match drawn {
            Ok(svg) => add(&mut files, name, svg)?,
            Err(FigureError::Empty(_)) => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    Ok(files)
}
