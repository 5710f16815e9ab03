//! `markdown`: a table for a README.

use std::fmt::Write as _;

use records::{
    Figure, SizePoint, StudyRecord, StudyView,
    sinks::{markdown, markdown_code_cell},
};

use super::{
    Delivery, ExportError, Exporter, NamedFile, Options,
    words::{self, knee_answer::KneeAnswer, quantities::significant},
};

inventory::submit!(Exporter {
    name: "markdown",
    about: "a table of the sizes for a README",
    file_names: &["study.md"],
    delivery: Delivery::Stream,
    export,
    recorded: None,
});

fn export(
    record: &StudyRecord,
    view: &StudyView,
    _options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    Ok(vec![("study.md".to_owned(), text(record, view).into_bytes())])
}

fn text(record: &StudyRecord, view: &StudyView) -> String {
    let benchmark = &record.benchmark;
    let metric = &benchmark.secondary;
    let mut out =
        format!("**{}** on {}: ", markdown(&benchmark.name), markdown(&record.device.name));
    out += &markdown(&answer(record, view));
    let _ = write!(
        out,
        "\n\n| size | run time | {} ({}) | gain | best configuration |\n|---:|---:|---:|---:|:---|\n",
        markdown(&metric.name),
        markdown(&metric.unit)
    );
    for point in &view.sizes {
        match point.best() {
            Some(figure) => out += &row(record, view, point, figure),
            None => {
                let why = point.closed.as_ref().map_or("still open", |c| c.why.as_str());
                let _ = writeln!(
                    out,
                    "| {} | – | – | – | {} |",
                    words::size(record, point.size),
                    markdown(why)
                );
            }
        }
    }
    let caches = words::conditions::footnote(record, view);
    let caches = markdown(&caches);
    let _ = write!(
        out,
        "\nMedians with half their 95 % interval; gain over the default configuration \
         (≈ 1×: its interval holds 1); {caches}; {}; seed {}; autobench {}, {}.\n",
        markdown(&record.device.compiler),
        record.settings.seed,
        markdown(&record.autobench),
        record.started.format("%Y-%m-%d"),
    );
    out
}

fn answer(record: &StudyRecord, view: &StudyView) -> String {
    let Some(answer) = KneeAnswer::of(record, view) else {
        return "no knee was sought.".to_owned();
    };
    let (size, more) = (words::knee::size(&answer), words::knee::more(&answer));
    if answer.knee.is_none() {
        return format!("no knee was found: {more}.");
    }
    let doubt = words::knee::doubt(&answer).map(|doubt| format!("; {doubt}"));
    format!("the knee is at {size} ({more}){}.", doubt.unwrap_or_default())
}

fn row(record: &StudyRecord, view: &StudyView, point: &SizePoint, figure: &Figure) -> String {
    let is_knee = view.accepted.as_ref().is_some_and(|knee| knee.size == point.size);
    let size = words::size(record, point.size);
    let size = if is_knee { format!("**{size}**") } else { size };
    let metric = figure.metric.as_ref().map_or("–".to_owned(), |m| significant(m.value, 4));
    let gain = words::gain::cell(point.closed.as_ref());
    format!(
        "| {size} | {} | {metric} | {gain} | {} |\n",
        words::time(figure),
        markdown_code_cell(&figure.configuration.to_string()),
    )
}
