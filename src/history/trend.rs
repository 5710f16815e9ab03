//! `autobench history trend`: how fast a benchmark was in each study.

use std::path::{Path, PathBuf};

use batch::history::{Change, MARGIN, Series, Trend, changes, half_interval, trends};
use clap::Args;
use records::{settings::parse_size, write_whole};
use report::exporters::{aligned, png, quantities::seconds};
use serde_json::json;

use super::chosen::{Chosen, opened};
use crate::terminal::{Failure, output};

/// The arguments of `trend`.
#[derive(Debug, Args)]
pub(super) struct TrendArgs {
    /// The benchmark, or a part of its name
    benchmark: String,
    #[command(flatten)]
    studies: Chosen,
    /// Show this size [default: all sizes that most studies have]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    size: Option<u64>,
    /// Draw the trend: `trend.svg` or `trend.png`
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &TrendArgs) -> Result<(), Failure> {
    let history = opened(&arguments.studies.out)?;
    let filter = arguments.studies.filter(Some(&arguments.benchmark), None);
    let chosen = filter.chosen(&history.entries);
    let trends = trends(&chosen);
    let changes = changes(&trends, MARGIN);
    let shown: Vec<(&Trend<'_>, &Series)> = trends
        .iter()
        .filter_map(|trend| Some((trend, series(trend, arguments.size)?)))
        .filter(|(_, series)| !series.points.is_empty())
        .collect();
    if shown.is_empty() {
        let place = arguments.size.map(|size| format!(" at size {size}")).unwrap_or_default();
        return Err(Failure::settings(format!(
            "no finished study of `{}`{place} is in `{}`",
            arguments.benchmark,
            arguments.studies.out.display()
        ))
        .hint("`autobench history list` shows what is there"));
    }
    if let Some(path) = &arguments.figure {
        draw(path, &shown, &changes)?;
    }
    if arguments.json {
        let all: Vec<_> = shown.iter().map(|(trend, series)| as_json(trend, series)).collect();
        let all = json!({ "trends": all, "changes": of(&changes, arguments.size) });
        return output::json(&serde_json::to_string_pretty(&all).map_err(Failure::bug)?);
    }
    for (trend, series) in shown {
        let at = trend.over(series);
        output::line(&format!("{} on {}, {at}", trend.subject, trend.device))?;
        print(trend, series, &changes)?;
        let left_out = trend.studies.len() - series.points.len();
        if left_out > 0 {
            output::line(&format!("  {left_out} studies have not measured all of it"))?;
        }
    }
    Ok(())
}

fn series<'a>(trend: &'a Trend<'_>, size: Option<u64>) -> Option<&'a Series> {
    match size {
        None => Some(&trend.whole),
        size => trend.sizes.iter().find(|series| series.size == size),
    }
}

/// The changes of the shown size, or of the whole curve.
fn of(changes: &[Change], size: Option<u64>) -> Vec<&Change> {
    changes.iter().filter(|change| change.size == size).collect()
}

fn print(trend: &Trend<'_>, series: &Series, changes: &[Change]) -> Result<(), Failure> {
    let mut rows = vec![["started", "time", "±", "", "folder"].map(str::to_owned).to_vec()];
    for (at, level) in &series.points {
        let (entry, study) = trend.studies[*at];
        let changed = trend.changes_of(series, changes).into_iter().find(|c| c.at == *at);
        let half = half_interval(level);
        rows.push(vec![
            study.started.format("  %Y-%m-%d %H:%M").to_string(),
            seconds(level.value.exp()),
            format!("{half:.1} %"),
            changed.map(Change::speed).unwrap_or_default(),
            entry.folder.clone(),
        ]);
    }
    aligned(&rows, &[0, 3, 4]).iter().try_for_each(|line| output::line(line))
}

fn draw(path: &Path, shown: &[(&Trend<'_>, &Series)], changes: &[Change]) -> Result<(), Failure> {
    let [(trend, series)] = shown else {
        let all: Vec<String> = shown
            .iter()
            .map(|(trend, _)| format!("{} on {}", trend.subject, trend.device))
            .collect();
        return Err(Failure::settings(format!(
            "a figure shows one trend, and these are {}: {}",
            all.len(),
            all.join("; ")
        ))
        .hint("choose one with --device, or with more of the name"));
    };
    let svg = trend.figure(series, changes).map_err(Failure::settings)?;
    let bytes = match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => svg.into_bytes(),
        Some("png") => png(&svg).map_err(Failure::bug)?,
        _ => {
            return Err(Failure::settings(format!(
                "`{}` is no picture; end its name in .svg or .png",
                path.display()
            )));
        }
    };
    write_whole(path, &bytes).map_err(Failure::stored)?;
    output::note(&format!("wrote {}", path.display()));
    Ok(())
}

fn as_json(trend: &Trend<'_>, series: &Series) -> serde_json::Value {
    let points = series.points.iter().map(|(at, level)| {
        let (entry, study) = trend.studies[*at];
        json!({
            "folder": entry.folder,
            "started": study.started,
            "tags": entry.tags,
            "seconds": level.value.exp(),
            "log_seconds": level.value,
            "log_seconds_deviation": level.deviation,
        })
    });
    json!({
        "subject": trend.subject,
        "device": trend.device,
        "size": series.size,
        "sizes": trend.usual,
        "points": points.collect::<Vec<_>>(),
    })
}
