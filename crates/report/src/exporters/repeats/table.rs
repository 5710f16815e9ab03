//! `repeats.csv`: one row per study and detector. `docs/guide/files.md` documents the columns.

use records::{Repeat, RepeatsView};

use crate::exporters::tables::columns::{Table, TableRow};

pub(super) fn table(view: &RepeatsView) -> Table {
    let mut table = Table::default();
    let detectors = &view.record.plan.settings.detectors;
    for repeat in &view.repeats {
        for (at, detector) in detectors.iter().enumerate() {
            table.push(row(view, repeat, detector, at == 0));
        }
    }
    table
}

fn row(view: &RepeatsView, repeat: &Repeat, detector: &str, decides: bool) -> TableRow {
    let finding = repeat.finding(detector);
    let winner = repeat.winner.as_ref();
    let secondary = &view.record.plan.benchmark.secondary;
    let mut row = TableRow::default();
    row.count("study", u64::from(repeat.study))
        .count("seed", repeat.seed)
        .text("state", repeat.state.word())
        .text("reason", repeat.state.reason())
        .text("detector", detector)
        .text("decides", if decides { "yes" } else { "no" })
        .number("knee", finding.and_then(|f| f.knee))
        .number("knee_low", finding.and_then(|f| f.interval).map(|i| i.0))
        .number("knee_high", finding.and_then(|f| f.interval).map(|i| i.1))
        .text("confidence", finding.map_or("", |f| f.confidence.as_str()))
        .number("share", finding.and_then(|f| f.share))
        .count("accepted", repeat.accepted.filter(|_| decides))
        .count("winner_size", winner.map(|w| w.size))
        .text("winner", winner.map_or_else(String::new, |w| w.configuration.to_string()))
        .number("winner_seconds", winner.map(|w| w.seconds))
        .text("metric", &secondary.name)
        .text("metric_unit", &secondary.unit)
        .number("winner_metric", winner.and_then(|w| w.metric))
        .number("seconds", repeat.seconds);
    row
}
