//! Sections of the page, each a function of the study.

use std::collections::{BTreeMap, BTreeSet};

use knees::Confidence;
use records::{
    Figure, Gain, KneeFinding, SizeClosed, SizePoint, StudyRecord, StudyView, ThresholdBest,
    ThresholdBests,
};

use crate::exporters::{
    page::{
        Cell,
        html::{configuration, escape},
        row as page_row,
    },
    words::{
        self,
        knee_answer::{KneeAnswer, whole},
        quantities::{percent, significant},
        trade_offs,
    },
};

/// Facts of a kernel in metrics, such as its registers, begin with this.
const KERNEL_FACT: &str = "kernel_";

/// Formats the best configuration next to the default: parameters, and what the device knows of the
/// kernels. `figure` is a picture below them.
pub(super) fn winner(record: &StudyRecord, view: &StudyView, figure: &str) -> String {
    let Some((point, best)) = view.winner() else { return String::new() };
    let mut rows = String::new();
    for (name, value) in &best.configuration.0 {
        let default = point.default().and_then(|figure| figure.configuration.get(name));
        rows += &format!(
            "<tr><td><code>{}</code></td><td><code>{}</code></td><td><code>{}</code></td></tr>\n",
            escape(name),
            escape(&value.to_string()),
            escape(&default.map_or("–".to_owned(), ToString::to_string)),
        );
    }
    rows += &kernel_facts(best, point.default());
    let mut error = String::new();
    if let Some(figure) = best.error {
        let (metric, bound) = &record.benchmark.error;
        let bound = record.settings.max_error.unwrap_or(*bound);
        error = format!(
            "<p>Its error{} is {}, the bound is {}; checked against {}.</p>\n",
            if metric.is_empty() { String::new() } else { format!(" ({})", escape(metric)) },
            significant(figure, 3),
            significant(bound, 3),
            escape(&record.benchmark.reference)
        );
    }
    let tried = words::tried::sentence(view, point);
    let tried =
        tried.map_or_else(String::new, |tried| format!("<p>Tried: {}.</p>\n", escape(&tried)));
    format!(
        "<h2>Best configuration{}</h2>\n{error}{tried}<div class=\"wide\"><table>\n\
         <tr><th>parameter</th><th>best</th><th>default</th></tr>\n{rows}</table></div>\n{figure}",
        words::at_size(record, point.size)
    )
}

/// Formats what the device knows of the kernels, such as registers, shared memory and occupancy, as
/// rows. Facts that are 0 for both are left out.
fn kernel_facts(best: &Figure, default: Option<&Figure>) -> String {
    let none = BTreeMap::new();
    let usual = default.map_or(&none, |default| &default.metrics);
    let names: BTreeSet<&String> = best.metrics.keys().chain(usual.keys()).collect();
    let row = |name: &String| {
        let fact = name.strip_prefix(KERNEL_FACT)?.replace('_', " ");
        let (one, other) = (best.metrics.get(name), usual.get(name));
        let known = [one, other].into_iter().flatten().any(|value| value.abs() > 0.0);
        let cell =
            |value: Option<&f64>| value.map_or("–".to_owned(), |value| significant(*value, 4));
        known.then(|| {
            format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                escape(&fact),
                cell(one),
                cell(other)
            )
        })
    };
    names.into_iter().filter_map(row).collect()
}

/// Formats the best configuration under each threshold of the error.
#[must_use]
pub fn thresholds(bests: &ThresholdBests) -> String {
    let row = |best: &ThresholdBest| {
        let [name, time, error, gain, fastest] = words::thresholds::cells(best);
        let figure = best.best.as_ref();
        format!(
            "<tr><th>{}</th>{}{}{}{}</tr>\n",
            escape(&name),
            Cell::quantity(&time, figure.map(|figure| figure.seconds.median)),
            Cell::quantity(&error, best.fresh_error.or_else(|| figure?.error)),
            Cell::quantity(&gain, best.gain),
            Cell::html(configuration(&fastest)),
        )
    };
    format!(
        "<div class=\"wide\"><table>\n<tr><th>error at most</th><th class=\"n\">time</th>\
         <th class=\"n\">error on fresh inputs</th><th class=\"n\">gain over full precision</th>\
         <th>fastest configuration</th></tr>\n{}</table></div>\n",
        bests.bests.iter().map(row).collect::<String>()
    )
}

pub(super) fn front(record: &StudyRecord, view: &StudyView, figure: &str) -> String {
    let Some(front) = view.answering_front(record) else { return String::new() };
    let heads = front.objectives.iter().map(|objective| {
        let words = trade_offs::axis(record, &objective.metric);
        format!("<th class=\"n\">{}</th>", escape(&words))
    });
    let rows = front.members.iter().map(|member| {
        let texts = trade_offs::member(&front, member).into_iter().zip(&member.values);
        let cells = texts.map(|(text, value)| Cell::quantity(&text, Some(*value)));
        let configuration = configuration(&member.configuration.to_string());
        page_row(cells.chain([Cell::html(configuration)]))
    });
    format!(
        "<h2>Front{}</h2>\n<p>{}.</p>\n{figure}<div class=\"wide\"><table>\n\
         <tr>{}<th>configuration</th></tr>\n{}</table></div>\n",
        words::at_size(record, front.size),
        escape(&trade_offs::count(record, &front)),
        heads.collect::<String>(),
        rows.collect::<String>(),
    )
}

pub(super) fn ceilings(record: &StudyRecord, view: &StudyView, figure: &str) -> String {
    let lines = words::ceilings::of_study(record, view);
    let Some((first, rest)) = lines.split_first() else { return String::new() };
    let notes: String =
        rest.iter().map(|line| format!("<p class=\"warning\">{}</p>\n", escape(line))).collect();
    format!("<h2>Ceilings</h2>\n<p>The winner {}.</p>\n{notes}{figure}", escape(first))
}

pub(super) fn knees(record: &StudyRecord, view: &StudyView) -> String {
    let Some(answer) = KneeAnswer::of(record, view).filter(|_| !view.knees.is_empty()) else {
        return String::new();
    };
    let rows: String = view.knees.iter().map(|finding| knee_row(&answer, finding)).collect();
    let around = words::knee::refinement(&answer, view)
        .map_or_else(String::new, |text| format!("<p>But {}.</p>\n", escape(&text)));
    let why = view.accepted.as_ref().map_or(String::new(), |knee| {
        format!("<p>Accepted: {}.</p>\n", escape(knee.why.trim_end_matches('.')))
    });
    format!(
        "<h2>Knees</h2>\n{why}{around}<div class=\"wide\"><table>\n<tr><th>detector</th>\
         <th class=\"n\">knee</th><th class=\"n\">95 % interval</th>\
         <th class=\"n\">share of the level</th><th>verdict</th><th>why</th></tr>\n\
         {rows}</table></div>\n{}",
        levels(record, view)
    )
}

fn levels(record: &StudyRecord, view: &StudyView) -> String {
    let lines = words::levels::lines(record, view);
    let levels: String = lines.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
    match lines.is_empty() {
        true => levels,
        false => format!("<p>The curve has several levels:</p>\n<ul>\n{levels}</ul>\n"),
    }
}

fn knee_row(answer: &KneeAnswer<'_>, finding: &KneeFinding) -> String {
    let deciding = answer.finding == Some(finding);
    let known = Confidence::named(&finding.confidence);
    let (confidence, against) = match deciding {
        true => (answer.confidence, &answer.against),
        false => (known, &finding.against),
    };
    let interval = |(low, high): (f64, f64)| format!("{} to {}", whole(low), whole(high));
    let confirmed_by = words::knee::confirmed_by(finding);
    let parts = std::iter::once(&finding.why).chain(&confirmed_by).chain(against);
    let why: Vec<&str> = parts.map(String::as_str).filter(|part| !part.is_empty()).collect();
    format!(
        "<tr{}>{}{}{}{}{}{}</tr>\n",
        if deciding && answer.knee.is_some() { " class=\"knee\"" } else { "" },
        Cell::text(&finding.detector),
        Cell::quantity(&finding.knee.map_or("none".to_owned(), whole), finding.knee),
        Cell::figure(&finding.interval.map_or("–".to_owned(), interval)),
        Cell::quantity(&finding.share.map_or("–".to_owned(), percent), finding.share),
        Cell::text(confidence.map_or("–", Confidence::word)),
        Cell::text(&why.join("; ")),
    )
}

pub(super) fn sizes(record: &StudyRecord, view: &StudyView) -> String {
    let metric = &record.benchmark.secondary;
    let rows: String = view.sizes.iter().map(|point| size_row(view, point)).collect();
    let unit = if metric.unit.is_empty() { String::new() } else { format!(" ({})", metric.unit) };
    let chance = view.sizes.iter().any(|point| {
        let gained = point.closed.as_ref().map(SizeClosed::gained);
        matches!(gained, Some(Gain::Insignificant { .. }))
    });
    let note = match chance {
        true => "<p>≈ 1×: the 95 % interval of the gain holds 1.</p>\n",
        false => "",
    };
    format!(
        "<h2>Sizes</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"n\">size</th>\
         <th class=\"n\">run time</th><th class=\"n\">{}{}</th><th class=\"n\">gain</th>\
         <th class=\"n\">trials</th><th class=\"n\">failed</th><th>best configuration</th></tr>\n\
         {rows}</table></div>\n{note}",
        escape(&metric.name),
        escape(&unit)
    )
}

fn size_row(view: &StudyView, point: &SizePoint) -> String {
    let is_knee = view.accepted.as_ref().is_some_and(|knee| knee.size == point.size);
    let best = point.best();
    let metric = best.and_then(|f| f.metric.as_ref()).map(|m| m.value);
    let gained = point.closed.as_ref().map_or(Gain::Unknown, SizeClosed::gained);
    let configuration = match best {
        Some(figure) => configuration(&figure.configuration.to_string()),
        None => escape(point.closed.as_ref().map_or("still open", |c| c.why.as_str())),
    };
    format!(
        "<tr{}>{}{}{}{}{}{}{}</tr>\n",
        if is_knee { " class=\"knee\"" } else { "" },
        Cell::count(point.size),
        Cell::quantity(
            &best.map_or("–".to_owned(), words::time),
            best.map(|figure| figure.seconds.median)
        ),
        Cell::quantity(&metric.map_or("–".to_owned(), |value| significant(value, 4)), metric),
        Cell::quantity(&words::gain::cell(point.closed.as_ref()), gained.factor()),
        Cell::count(point.counts.search),
        Cell::count(point.counts.failed()),
        Cell::html(configuration),
    )
}
