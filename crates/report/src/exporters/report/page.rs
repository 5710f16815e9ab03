//! The whole page: its head, the order of its sections, and its figures.

use records::{StudyRecord, StudyView};

use super::{cards, conditions, sections, time};
use crate::exporters::{
    AxisScale, ExportError, FigureError, Options, PageData, Scales, figures, front,
    page::html::{escape, whole},
    roofline, saturation, tuning,
};

/// Most trials that are drawn with an SVG element each. With more, the picture loads slower than
/// the rest of the page.
const MOST_DRAWN: usize = 3_000;

pub(super) fn page(
    record: &StudyRecord,
    view: &StudyView,
    options: &Options,
) -> Result<String, ExportError> {
    let title = escape(&format!("{} on {}", record.benchmark.name, record.device.name));
    let mut body = format!("<h1>{title}</h1>\n");
    body += &format!("<p class=\"about\">{}</p>\n", escape(&record.benchmark.about));
    body += &cards::cards(record, view);
    body += &curves(record, view, options)?;
    body += &cards::warnings(record, view);
    body += &ceilings(record, view)?;
    body += &trade_offs(record, view)?;
    body += &sections::winner(record, view, &samples(record, view)?);
    body += &precision(record, view)?;
    body += &sections::knees(record, view);
    body += &sections::sizes(record, view);
    body += &searches(record, view)?;
    body += &time::time(record, view);
    body += &conditions::conditions(record, view);
    let mut data = PageData::new();
    data.study(&record.benchmark.name, record, view);
    body += &data.element();
    let footer = format!("Made by autobench {} from the journal of the study.", record.autobench);
    Ok(whole(&title, &body, &escape(&footer)))
}

/// Draws the saturation plot with logarithmic and with linear sizes. The switch between them needs
/// no script.
fn curves(
    record: &StudyRecord,
    view: &StudyView,
    options: &Options,
) -> Result<String, ExportError> {
    if view.measured().nth(1).is_none() {
        return Ok(String::new());
    }
    let figure = |size, class: &str| -> Result<String, ExportError> {
        let svg = saturation(record, view, Scales { size, ..options.scales })?;
        Ok(format!("<figure class=\"{class}\">\n{svg}</figure>\n"))
    };
    let button = |id: &str, words: &str, state: &str| {
        format!(
            "<input type=\"radio\" name=\"size-axis\" id=\"{id}\"{state}>\
             <label for=\"{id}\">{words}</label>"
        )
    };
    let checked = |scale| if options.scales.size == scale { " checked" } else { "" };
    Ok(format!(
        "<h2>Saturation</h2>\n<div data-chart=\"curves\">\n<div class=\"switch\">\n{}{}\n\
         {}{}</div>\n</div>\n",
        button("size-log", "logarithmic sizes", checked(AxisScale::Log)),
        button("size-linear", "linear sizes", checked(AxisScale::Linear)),
        figure(AxisScale::Log, "log")?,
        figure(AxisScale::Linear, "linear")?,
    ))
}

/// Formats the share of its ceiling that the winner reaches, with the roofline if it can be drawn.
fn ceilings(record: &StudyRecord, view: &StudyView) -> Result<String, ExportError> {
    if view.ceilings.is_none() {
        return Ok(String::new());
    }
    let figure = match roofline(record, view) {
        Ok(svg) => format!("<figure>\n{svg}</figure>\n"),
        Err(FigureError::Empty(_)) => String::new(),
        Err(fault) => return Err(fault.into()),
    };
    Ok(sections::ceilings(record, view, &figure))
}

/// Wraps a picture that the script replaces with a chart.
fn drawn(chart: &str, svg: &str) -> String {
    format!("<div data-chart=\"{chart}\"><figure>\n{svg}</figure></div>\n")
}

fn trade_offs(record: &StudyRecord, view: &StudyView) -> Result<String, ExportError> {
    match front(record, view) {
        Ok(svg) => Ok(sections::front(record, view, &drawn("front", &svg))),
        // One objective has no front, but the script can draw any two metrics over each other.
        Err(FigureError::Empty(_)) => {
            Ok("<div data-chart=\"front\" data-title=\"Trade-offs\"></div>\n".to_owned())
        }
        Err(fault) => Err(fault.into()),
    }
}

/// Draws the samples behind the best configuration and the default one.
fn samples(record: &StudyRecord, view: &StudyView) -> Result<String, ExportError> {
    let Some((point, best)) = view.winner() else { return Ok(String::new()) };
    let default = point.default().filter(|usual| usual.configuration != best.configuration);
    match figures::histogram(record, best, default) {
        Ok(svg) => Ok(format!("<figure>\n{svg}</figure>\n")),
        Err(FigureError::Empty(_)) => Ok(String::new()),
        Err(fault) => Err(fault.into()),
    }
}

/// Draws what speed costs in accuracy, if number formats are parameters.
fn precision(record: &StudyRecord, view: &StudyView) -> Result<String, ExportError> {
    let Some(gains) = view.precision_gains(record) else { return Ok(String::new()) };
    let thresholds = view.thresholds.as_ref().map(sections::thresholds).unwrap_or_default();
    match figures::precision(record, &gains) {
        Ok(svg) => Ok(format!("<h2>Precision</h2>\n<figure>\n{svg}</figure>\n{thresholds}")),
        Err(FigureError::Empty(_)) => Ok(String::new()),
        Err(fault) => Err(fault.into()),
    }
}

fn searches(record: &StudyRecord, view: &StudyView) -> Result<String, ExportError> {
    if view.trials.len() > MOST_DRAWN {
        return Ok("<h2>Search</h2>\n<div data-chart=\"trials\"><p>The picture of so many trials is \
                   <code>tuning.svg</code> beside this page; with JavaScript it stands here.</p></div>\n"
            .to_owned());
    }
    match tuning(record, view) {
        Ok(svg) => Ok(format!("<h2>Search</h2>\n{}", drawn("trials", &svg))),
        Err(FigureError::Empty(_)) => Ok(String::new()),
        Err(fault) => Err(fault.into()),
    }
}
