//! The figure that a suite may define: bars of some of its studies, side by side.

use report::exporters::{Bar, BarsPlot, ExportError, FigureError, NamedFile, plot_bars, png};
use space::accuracy::ErrorMetric;

use super::{
    expansion::PlannedStudy,
    fault::{Faults, SuiteFault},
    given::Word,
    row::{StudyAnswer, SuiteRow, SuiteView},
};

/// Returns, for every figure, the 1-based numbers of its studies, in the order of the labels. Each
/// variation of the first label makes a figure.
///
/// # Errors
/// If no study of the suite has one of the labels.
pub fn figures(
    labels: &[Word],
    all: &[PlannedStudy],
    performed: &[&PlannedStudy],
) -> Result<Vec<Vec<usize>>, Vec<SuiteFault>> {
    let mut faults = Faults::default();
    let is = |study: &PlannedStudy, word: &Word| {
        study.label.strip_suffix(study.variation()) == Some(&word.text) || study.label == word.text
    };
    for word in labels {
        if !all.iter().any(|study| is(study, word)) {
            faults.add(word.place, format!("no study is labelled `{}`", word.text));
        }
    }
    let first = |word: &&Word| performed.iter().any(|study| is(study, word));
    let mut variations: Vec<&str> = Vec::new();
    if let Some(word) = labels.iter().find(first) {
        let own = performed.iter().filter(|study| is(study, word));
        variations.extend(own.map(|study| study.variation()));
    }
    let of = |variation: &&str| {
        let named = |word: &Word| {
            let own = |study: &&PlannedStudy| is(study, word) && study.variation() == *variation;
            performed.iter().position(own).map(|at| at + 1)
        };
        labels.iter().filter_map(named).collect()
    };
    faults.or(variations.iter().map(of).collect())
}

/// Draws the figures of a suite, as far as its studies have answers.
///
/// # Errors
/// If a figure cannot be drawn.
pub(super) fn files(view: &SuiteView) -> Result<Vec<NamedFile>, ExportError> {
    let suite = &view.record.suite;
    pictures("figure", &view.record.figures, view, |rows| {
        plot(suite, rows).map(|plot| plot_bars(&plot)).transpose()
    })
}

/// Draws a picture of each group of studies, as SVG and PNG. A group may have nothing to draw.
pub(super) fn pictures(
    name: &str,
    groups: &[Vec<usize>],
    view: &SuiteView,
    draw: impl Fn(&[&SuiteRow]) -> Result<Option<String>, FigureError>,
) -> Result<Vec<NamedFile>, ExportError> {
    let mut files = Vec::new();
    for (at, numbers) in groups.iter().enumerate() {
        let rows: Vec<&SuiteRow> =
            numbers.iter().filter_map(|number| view.rows.get(number.checked_sub(1)?)).collect();
        let Some(svg) = draw(&rows)? else { continue };
        let name = if at == 0 { name.to_owned() } else { format!("{name}-{}", at + 1) };
        files.push((format!("{name}.png"), png(&svg)?));
        files.push((format!("{name}.svg"), svg.into_bytes()));
    }
    Ok(files)
}

/// The studies as bars; `None` if no study has an answer.
fn plot(suite: &str, rows: &[&SuiteRow]) -> Option<BarsPlot> {
    let answers =
        || rows.iter().map(|row| row.begun.as_ref().and_then(|begun| begun.answer.as_ref()));
    let first = answers().next().flatten();
    answers().flatten().next()?;
    let begun = rows.iter().find_map(|row| row.begun.as_ref())?;
    let metric = begun.error_metric.parse::<ErrorMetric>().ok();
    let complement = metric.and_then(ErrorMetric::complement);
    let error = |error: f64| if complement.is_some() { 1.0 - error } else { error };
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    let interval = |answer: &StudyAnswer| {
        let (first, own) = (first?.seconds_interval, answer.seconds_interval);
        let interval = (first.0 / own.1, first.1 / own.0);
        (interval.0 < interval.1 && interval.1.is_finite()).then_some(interval)
    };
    let bars = labels.iter().zip(answers()).enumerate().map(|(at, (label, answer))| Bar {
        label: (*label).to_owned(),
        speedup: answer.and_then(|answer| Some(first?.seconds / answer.seconds)),
        // The first bar is the reference, so it has no interval.
        interval: answer.filter(|_| at > 0).and_then(interval),
        error: answer.and_then(|answer| answer.error).map(error),
    });
    let title = format!("{suite} on {}", begun.device);
    Some(BarsPlot {
        title,
        bars: bars.collect(),
        error: complement.map_or_else(|| begun.error_metric.clone(), str::to_owned),
        is_share: complement.is_some(),
    })
}
