//! `precision`: speed over accuracy, as a table and as pictures.

use records::{PrecisionGains, StudyRecord, StudyView, ThresholdBest, ThresholdBests};

use super::{
    Delivery, ExportError, Exporter, FigureError, NamedFile, Options, figures, png,
    tables::columns::{Table, TableRow},
};

inventory::submit!(Exporter {
    name: "precision",
    about: "speed-up over the error where formats are parameters: table and plots",
    file_names: &["precision.csv", "precision.svg", "precision.png", "thresholds.csv"],
    delivery: Delivery::Folder,
    export,
    recorded: None,
});

fn export(
    record: &StudyRecord,
    view: &StudyView,
    _options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    let gains = view.precision_gains(record);
    let gains = gains.ok_or(FigureError::Empty("nothing chooses between formats"))?;
    let mut files = vec![("precision.csv".to_owned(), table(record, &gains).csv()?)];
    let svg = figures::precision(record, &gains)?;
    let pixels = png(&svg)?;
    files.push(("precision.svg".to_owned(), svg.into_bytes()));
    files.push(("precision.png".to_owned(), pixels));
    if let Some(bests) = &view.thresholds {
        let mut table = Table::default();
        threshold_rows(record, bests).into_iter().for_each(|row| table.push(row));
        files.push(("thresholds.csv".to_owned(), table.csv()?));
    }
    Ok(files)
}

/// Returns a row for each threshold of the error.
#[must_use]
pub fn threshold_rows(record: &StudyRecord, bests: &ThresholdBests) -> Vec<TableRow> {
    let row = |best: &ThresholdBest| {
        let figure = best.best.as_ref();
        let interval = figure.map(|figure| figure.seconds.interval);
        let gain = best.gain_interval;
        let mut row = TableRow::default();
        row.count("size", record.size(bests.size))
            .text("threshold", &best.name)
            .number("bound", best.bound)
            .number("seconds", figure.map(|figure| figure.seconds.median))
            .number("seconds_low", interval.map(|interval| interval.0))
            .number("seconds_high", interval.map(|interval| interval.1))
            .number("error", figure.and_then(|figure| figure.error))
            .number("fresh_error", best.fresh_error)
            .number("gain_over_precise", best.gain)
            .number("gain_low", gain.map(|gain| gain.0))
            .number("gain_high", gain.map(|gain| gain.1))
            .text("best", figure.map_or_else(String::new, |f| f.configuration.to_string()));
        row
    };
    bests.bests.iter().map(row).collect()
}

fn table(record: &StudyRecord, gains: &PrecisionGains) -> Table {
    let mut table = Table::default();
    for (at, point) in gains.points.iter().enumerate() {
        let best = gains.levels.iter().filter(|level| level.best == Some(at));
        let best: Vec<&str> = best.map(|level| level.level.as_str()).collect();
        let mut row = TableRow::default();
        row.count("size", record.size(gains.size))
            .number("error", point.error)
            .number("seconds", point.seconds)
            .number("gain_over_precise", point.gain)
            .number("footprint", point.footprint)
            .number("energy", point.energy)
            .number("energy_uncertainty", point.energy_uncertainty)
            .text("front", if point.on_front { "yes" } else { "no" })
            .text("formats", point.uniform.map_or("mixed", |element| element.name()))
            .text("best_of", best.join(" "));
        for (name, value) in &point.configuration.0 {
            row.text(name, value);
        }
        table.push(row);
    }
    table
}
