//! Files of `score` in a folder of their own: scores, curves and a plot.

use std::path::{Path, PathBuf};

use super::scored::Scored;
use crate::cli::terminal::Failure;
use crate::{
    exporters::{AxisScale, FigureError, Line, LinesPlot, plot_lines, png},
    records::StudyFolder,
    scoring::{overall, total},
};

/// Number of the best strategies that are drawn.
const DRAWN: usize = 6;
/// Lower limit of what is drawn: tiny spaces begin far below random search.
const FLOOR: f64 = -0.5;
/// Step between written or drawn points of a curve.
const STEP: usize = 10;

pub(super) fn write(scored: &Scored, out: &Path) -> Result<PathBuf, Failure> {
    let spaces = match scored.landscapes.as_slice() {
        [one] => one.name.clone(),
        many => format!("{} spaces", many.len()),
    };
    let strategies = match scored.strategies.as_slice() {
        [one] => one.label.clone(),
        many => format!("{} strategies", many.len()),
    };
    let folder = StudyFolder::create(out, chrono::Utc::now(), &strategies, &spaces, "score")
        .map_err(Failure::settings)?;
    let svg = picture(scored).map_err(Failure::bug)?;
    let pixels = png(&svg).map_err(Failure::bug)?;
    let files = [
        ("scores.csv", scores(scored).map_err(Failure::bug)?),
        ("curves.csv", curves(scored).map_err(Failure::bug)?),
        ("performance.svg", svg.into_bytes()),
        ("performance.png", pixels),
    ];
    for (name, bytes) in files {
        folder.write_whole(name, &bytes).map_err(Failure::bug)?;
    }
    Ok(folder.path().to_owned())
}

/// One row per strategy and space, and one per strategy over all.
fn scores(scored: &Scored) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["strategy".to_owned(), "space".to_owned()];
    header.extend(["score", "standard_error", "runs"].map(str::to_owned));
    header.extend(scored.evaluations.iter().map(|n| format!("fraction_of_optimum_at_{n}")));
    writer.write_record(&header)?;
    let number = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    for &at in &scored.ranking {
        let label = &scored.strategies[at].label;
        let (score, error) = total(&scored.standings[at]);
        let runs = scored.repeats.to_string();
        let mut all = vec![label.clone(), "all".to_owned()];
        all.extend([score.to_string(), number(error), runs.clone()]);
        all.resize(header.len(), String::new());
        writer.write_record(&all)?;
        for (landscape, standing) in scored.landscapes.iter().zip(&scored.standings[at]) {
            let mut row = vec![label.clone(), landscape.name.clone()];
            row.extend([standing.score.to_string(), number(standing.standard_error), runs.clone()]);
            row.extend(standing.fractions.iter().map(|fraction| number(*fraction)));
            writer.write_record(&row)?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// The mean performance over the time axis, every tenth point.
fn curves(scored: &Scored) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["strategy", "share_of_time", "performance", "standard_error"])?;
    for &at in &scored.ranking {
        let (performance, errors) = overall(&scored.standings[at]);
        for (i, (value, error)) in performance.iter().zip(&errors).enumerate().step_by(STEP) {
            let share = i as f64 / (performance.len() - 1) as f64;
            let label = scored.strategies[at].label.clone();
            writer.write_record([
                label,
                share.to_string(),
                value.to_string(),
                error.to_string(),
            ])?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// The curves of the best, with bands of two standard errors.
fn picture(scored: &Scored) -> Result<String, FigureError> {
    let lines: Vec<Line> = scored
        .ranking
        .iter()
        .take(DRAWN)
        .map(|&at| {
            let (performance, errors) = overall(&scored.standings[at]);
            let last = (performance.len() - 1) as f64;
            let points = performance.iter().zip(&errors).enumerate().step_by(STEP);
            let point = |(i, (value, error)): (usize, (&f64, &f64))| {
                (i as f64 / last, *value, (value - 2.0 * error, value + 2.0 * error))
            };
            let score = total(&scored.standings[at]).0;
            Line {
                name: format!("{} ({score:.2})", scored.strategies[at].label),
                points: points.map(point).collect(),
            }
        })
        .collect();
    let places = match scored.landscapes.len() {
        1 => scored.landscapes[0].name.clone(),
        n => format!("mean of {n} spaces"),
    };
    let shown = match scored.ranking.len() {
        n if n > DRAWN => format!(", the best {DRAWN} of {n} strategies"),
        _ => String::new(),
    };
    plot_lines(&LinesPlot {
        title: &format!("{places}, {} runs each{shown}", scored.repeats),
        x_title: "share of the time in which random search gets 95 % of the way to the optimum",
        y_title: "performance (0: random search, 1: optimum)",
        lines: &lines,
        x_scale: AxisScale::Linear,
        floor: FLOOR,
    })
}
