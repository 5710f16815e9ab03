//! `suite.csv` and `suite.md`: one row per study. `docs/guide/files.md` documents the columns.

use std::{fmt::Write as _, path::Path};

use records::{ScoreRecord, sinks::markdown};
use report::exporters::{ExportError, NamedFile, Table, TableRow};

use super::{
    figure, map, page,
    row::{SuiteRow, SuiteView},
    scores, words,
};

/// Builds the files in a suite's folder: tables, pictures and a page.
///
/// # Errors
/// If a file cannot be built.
pub fn files(view: &SuiteView, path: &Path) -> Result<Vec<NamedFile>, ExportError> {
    let mut table = Table::default();
    view.rows.iter().for_each(|study| table.push(row(study)));
    let mut files = vec![
        ("suite.csv".to_owned(), table.csv()?),
        ("suite.md".to_owned(), page(view).into_bytes()),
    ];
    files.extend(figure::files(view)?);
    files.extend(map::files(view, path)?);
    files.extend(page::files(view, path)?);
    if view.rows.iter().any(|study| study.command == "score") {
        files.push(("scores.csv".to_owned(), scores::csv(&view.rows)?));
    }
    Ok(files)
}

fn row(study: &SuiteRow) -> TableRow {
    let begun = study.begun.as_ref();
    let answer = begun.and_then(|begun| begun.answer.as_ref());
    let metric = answer.and_then(|answer| answer.metric_figure.as_ref());
    let score = study.score.as_ref();
    let best = score.and_then(ScoreRecord::best);
    let strategy = begun.map(|begun| begun.strategy.as_str());
    let strategy = strategy.or_else(|| best.map(|best| best.strategy.as_str()));
    let metric_name = answer.map(|answer| answer.metric.0.as_str());
    let metric_name = metric_name.or_else(|| best.map(|best| best.figure.as_str()));
    let metric_value = metric.map(|metric| metric.value).or_else(|| best?.value);
    let metric_interval = metric.map(|metric| metric.interval).or_else(|| best?.interval);
    let evaluations = begun.map(|begun| begun.evaluations).or_else(|| best?.evaluations);
    let wall = begun.map(|begun| begun.wall_seconds).or_else(|| Some(score?.wall_seconds));
    let shown = scores::shown(study);
    let of_best = shown.first().map(|one| one.published).filter(|text| !text.is_empty());
    let published = of_best.map_or_else(|| study.published.texts.join(" "), str::to_owned);
    let low = |interval: Option<(f64, f64)>| interval.map(|interval| interval.0);
    let high = |interval: Option<(f64, f64)>| interval.map(|interval| interval.1);
    let knee = answer.and_then(|answer| answer.knee_interval);
    let seconds = answer.map(|answer| answer.seconds_interval);
    let gain = answer.and_then(|answer| answer.gain_interval);
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let mut row = TableRow::default();
    row.count("study", study.study as u64)
        .text("label", &study.label)
        .text("state", study.state.word())
        .text("reason", study.state.reason())
        .text("command", &study.command)
        .text("benchmark", text(begun.map(|begun| begun.benchmark.as_str())))
        .text("device", text(begun.map(|begun| begun.device.as_str())))
        .text("strategy", text(strategy))
        .count("seed", begun.map(|begun| begun.seed).or_else(|| Some(score?.seed)))
        .count("size", answer.and_then(|answer| answer.size))
        .count("knee", answer.and_then(|answer| answer.knee))
        .number("knee_low", low(knee))
        .number("knee_high", high(knee))
        .text("confidence", text(answer.and_then(|answer| answer.confidence)))
        .text("best", answer.map_or_else(String::new, |a| a.configuration.to_string()))
        .number("seconds", answer.map(|answer| answer.seconds))
        .number("seconds_low", low(seconds))
        .number("seconds_high", high(seconds))
        .text("unsettled", if answer.is_some_and(|answer| answer.unsettled) { "yes" } else { "" })
        .text("metric", text(metric_name))
        .text("metric_unit", text(answer.map(|answer| answer.metric.1.as_str())))
        .number("metric_value", metric_value)
        .number("metric_low", low(metric_interval))
        .number("metric_high", high(metric_interval))
        .number("error", answer.and_then(|answer| answer.error))
        .number("gain", answer.and_then(|answer| answer.gain))
        .number("gain_low", low(gain))
        .number("gain_high", high(gain))
        .count("front", answer.and_then(|answer| answer.front).map(|front| front as u64))
        .count("evaluations", evaluations)
        .number("charged_seconds", begun.and_then(|begun| begun.charged_seconds))
        .number("wall_seconds", wall)
        .text("chosen", text(score.and_then(|score| score.chosen.as_deref())))
        .text("published", published)
        .text("folder", text(study.folder.as_deref()));
    row
}

fn markdown_table<const N: usize>(
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), ":---|".repeat(N));
    for cells in rows {
        let cells = cells.map(|cell| markdown(&cell).into_owned());
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
    table
}

/// Values of strategies, and the published results.
fn beside_published(view: &SuiteView) -> String {
    let mut page = String::new();
    if view.rows.iter().any(|study| study.score.is_some()) {
        page += "\n## Strategies\n\n";
        let rows = view.rows.iter().flat_map(words::score_cells);
        page += &markdown_table(words::SCORE_HEAD, rows);
        page += "\nMeans over the spaces ± their standard deviation (95 % interval from resampled \
                 runs).\n";
    }
    for (head, sentences) in words::published(view) {
        let _ = write!(page, "\n## {}\n\n", markdown(&head));
        for sentence in sentences {
            let _ = writeln!(page, "- {}", markdown(&sentence));
        }
    }
    page
}

fn page(view: &SuiteView) -> String {
    let mut page = format!("# {}\n\n", markdown(&view.record.suite));
    if !view.record.about.is_empty() {
        let _ = write!(page, "{}\n\n", markdown(&view.record.about));
    }
    let _ = write!(page, "{}.\n\n", markdown(&words::count(view)));
    page += &markdown_table(words::HEAD, view.rows.iter().map(words::cells));
    let mut repeats = words::knees_of_repeats(view).peekable();
    if repeats.peek().is_some() {
        page += "\n";
        page += &markdown_table(words::REPEATS_HEAD, repeats);
    }
    page += &beside_published(view);
    let _ = write!(
        page,
        "\nMedians with half their 95 % interval; gain over the default configuration (≈: its \
         interval holds 1). Suite {}, autobench {}, {}.\n",
        markdown(&view.record.origin),
        markdown(&view.record.autobench),
        view.record.started.format("%Y-%m-%d"),
    );
    page
}
