//! The sections of the page, each a function of the study.

use super::page::escape;
use crate::{
    exporters::{
        quantities::{bytes, grouped, percent, seconds, significant},
        trade_offs, words,
    },
    records::{CacheState, Progress, SizePoint, StudyRecord, StudyView},
};

/// The answer at a glance.
pub(super) fn cards(record: &StudyRecord, view: &StudyView) -> String {
    let mut cards = String::new();
    let mut card = |what: &str, figure: &str, more: &str| {
        cards += &format!(
            "<div class=\"card\"><span class=\"what\">{what}</span><b>{}</b><span>{}</span></div>\n",
            escape(figure),
            escape(more)
        );
    };
    match (&view.accepted, view.deciding()) {
        (Some(knee), finding) => {
            let interval = finding.and_then(|f| f.interval).map(interval_words);
            let share = finding.and_then(|f| f.share);
            let share = share.map(|share| format!("{} of the best", percent(share)));
            let parts = [Some(format!("by {}", knee.detector)), interval, share];
            let more: Vec<String> = parts.into_iter().flatten().collect();
            card("knee", &grouped(knee.size), &more.join(", "));
        }
        (None, _) if !view.sizes.is_empty() && !record.settings.detectors.is_empty() => {
            let why = view.growth_ended.as_deref().unwrap_or("the study is not finished");
            card("knee", "none", why);
        }
        (None, _) => {}
    }
    if let Some((point, figure)) = view.winner() {
        if let Some(metric) = &figure.metric {
            let unit = &record.benchmark.secondary.unit;
            let value = format!("{} {unit}", significant(metric.value, 4));
            let (low, high) = metric.interval;
            let more = format!(
                "{} at size {}, 95 % interval {} to {}",
                record.benchmark.secondary.name,
                grouped(point.size),
                significant(low, 4),
                significant(high, 4)
            );
            card("there it reaches", &value, &more);
        }
        if let Some(gain) = point.gain() {
            let interval = point.closed.as_ref().and_then(|c| c.gain_interval);
            let more = interval.map_or_else(
                || "than the default configuration".to_owned(),
                |(low, high)| {
                    format!(
                        "than the default configuration, 95 % interval {} to {}",
                        significant(low, 3),
                        significant(high, 3)
                    )
                },
            );
            card("faster", &format!("{}×", significant(gain, 3)), &more);
        }
    }
    format!("<div class=\"cards\">\n{cards}</div>\n")
}

fn interval_words((low, high): (f64, f64)) -> String {
    let whole = |v: f64| grouped(v.round().max(0.0) as u64);
    format!("95 % interval {} to {}", whole(low), whole(high))
}

/// Reasons to distrust the figures.
pub(super) fn warnings(record: &StudyRecord, view: &StudyView) -> String {
    let mut all: Vec<String> = Vec::new();
    match &view.progress {
        Progress::Finished(_) => {}
        Progress::Open => all.push("the study is not finished".to_owned()),
        Progress::Interrupted(why) => all.push(format!("the study was interrupted: {why}")),
    }
    let reference = &record.benchmark.reference;
    if reference.contains("unverified") {
        all.push(format!("results are {reference}"));
    }
    for warning in record.device.warnings.iter().chain(&view.started.warnings) {
        if !all.contains(warning) {
            all.push(warning.clone());
        }
    }
    all.extend(words::unsettled(view));
    all.iter().map(|text| format!("<p class=\"warning\">{}</p>\n", escape(text))).collect()
}

/// The winner's parameters.
pub(super) fn winner(record: &StudyRecord, view: &StudyView) -> String {
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
    let mut error = String::new();
    if let Some(figure) = best.error {
        let (metric, bound) = &record.benchmark.error;
        let bound = record.settings.max_error.unwrap_or(*bound);
        error = format!(
            "<p>Its error ({}) is {}, the bound is {}; checked against {}.</p>\n",
            escape(metric),
            significant(figure, 3),
            significant(bound, 3),
            escape(&record.benchmark.reference)
        );
    }
    format!(
        "<h2>Best configuration at size {}</h2>\n{error}<div class=\"wide\"><table>\n\
         <tr><th>parameter</th><th>best</th><th>default</th></tr>\n{rows}</table></div>\n",
        grouped(point.size)
    )
}

/// The trade-offs between several objectives, with their picture.
pub(super) fn front(record: &StudyRecord, view: &StudyView, figure: &str) -> String {
    let Some(front) = view.answering_front(record) else { return String::new() };
    let heads = front.objectives.iter().map(|objective| {
        let words = trade_offs::axis(record, &objective.metric);
        format!("<th class=\"n\">{}</th>", escape(&words))
    });
    let rows = front.members.iter().map(|member| {
        let values = trade_offs::member(&front, member).into_iter();
        let cells = values.map(|value| format!("<td class=\"n\">{}</td>", escape(&value)));
        let configuration = escape(&member.configuration.to_string());
        format!("<tr>{}<td><code>{configuration}</code></td></tr>\n", cells.collect::<String>())
    });
    format!(
        "<h2>Front at size {}</h2>\n<p>{}.</p>\n{figure}<div class=\"wide\"><table>\n\
         <tr>{}<th>configuration</th></tr>\n{}</table></div>\n",
        grouped(front.size),
        escape(&trade_offs::count(record, &front)),
        heads.collect::<String>(),
        rows.collect::<String>(),
    )
}

/// What every detector says.
pub(super) fn knees(view: &StudyView) -> String {
    if view.knees.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for finding in &view.knees {
        let deciding = view.accepted.as_ref().is_some_and(|k| k.detector == finding.detector);
        rows += &format!(
            "<tr{}><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td>{}</td></tr>\n",
            if deciding { " class=\"knee\"" } else { "" },
            escape(&finding.detector),
            finding.knee.map_or("none".to_owned(), |k| grouped(k.round().max(0.0) as u64)),
            finding
                .interval
                .map_or("–".to_owned(), |i| interval_words(i).replace("95 % interval ", "")),
            finding.share.map_or("–".to_owned(), percent),
            escape(&finding.why),
        );
    }
    let why = view.accepted.as_ref().map_or(String::new(), |knee| {
        format!("<p>Accepted: {}.</p>\n", escape(knee.why.trim_end_matches('.')))
    });
    format!(
        "<h2>Knees</h2>\n{why}<div class=\"wide\"><table>\n<tr><th>detector</th>\
         <th class=\"n\">knee</th><th class=\"n\">95 % interval</th>\
         <th class=\"n\">share of the best</th><th>why</th></tr>\n{rows}</table></div>\n"
    )
}

/// Every size with its figures.
pub(super) fn sizes(record: &StudyRecord, view: &StudyView) -> String {
    let metric = &record.benchmark.secondary;
    let rows: String = view.sizes.iter().map(|point| size_row(view, point)).collect();
    let unit = if metric.unit.is_empty() { String::new() } else { format!(" ({})", metric.unit) };
    format!(
        "<h2>Sizes</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"n\">size</th>\
         <th class=\"n\">run time</th><th class=\"n\">{}{}</th><th class=\"n\">gain</th>\
         <th class=\"n\">trials</th><th class=\"n\">failed</th><th>best configuration</th></tr>\n\
         {rows}</table></div>\n",
        escape(&metric.name),
        escape(&unit)
    )
}

fn size_row(view: &StudyView, point: &SizePoint) -> String {
    let is_knee = view.accepted.as_ref().is_some_and(|knee| knee.size == point.size);
    let best = point.best();
    let metric = best.and_then(|f| f.metric.as_ref()).map(|m| significant(m.value, 4));
    let configuration = match best {
        Some(figure) => format!("<code>{}</code>", escape(&figure.configuration.to_string())),
        None => escape(point.closed.as_ref().map_or("still open", |c| c.why.as_str())),
    };
    format!(
        "<tr{}><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
         <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{configuration}</td></tr>\n",
        if is_knee { " class=\"knee\"" } else { "" },
        grouped(point.size),
        best.map_or("–".to_owned(), words::time),
        metric.unwrap_or_else(|| "–".to_owned()),
        point.gain().map_or("–".to_owned(), |gain| format!("{}×", significant(gain, 3))),
        point.counts.search,
        point.counts.failed(),
    )
}

/// What was run on what, with what.
pub(super) fn conditions(record: &StudyRecord, view: &StudyView) -> String {
    let settings = &record.settings;
    let mut rows = String::new();
    let mut row = |name: &str, value: String| {
        if !value.is_empty() {
            rows += &format!("<tr><th>{}</th><td>{}</td></tr>\n", escape(name), escape(&value));
        }
    };
    row("device", record.device.name.clone());
    row(
        "memory",
        format!(
            "{} ({} free)",
            bytes(record.device.memory as f64),
            bytes(record.device.memory_free as f64)
        ),
    );
    row("compiler", record.device.compiler.clone());
    for (name, value) in &record.device.facts {
        row(name, value.clone());
    }
    let host = &record.host;
    let parts = [&host.name, &host.processor, &host.system, &host.architecture];
    let parts: Vec<&str> =
        parts.into_iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    row("host", parts.join(", "));
    if let Some(largest) = view.started.largest {
        row("largest size", format!("{} ({})", grouped(largest), view.started.why));
    }
    row(
        "caches",
        match settings.caches {
            CacheState::Cold => "cold: flushed before every sample".to_owned(),
            CacheState::Hot => "hot: as the run before left them".to_owned(),
        },
    );
    if let Some(noise) = &view.started.noise {
        let (difference, spread) = (percent(noise.difference), percent(noise.spread));
        row(
            "noise",
            format!(
                "the same configuration against itself: medians {difference} apart, spread {spread}"
            ),
        );
    }
    row("strategy", settings.strategy.clone());
    row("objective", trade_offs::objectives(record));
    row("seed", settings.seed.to_string());
    row("started", record.started.format("%Y-%m-%d %H:%M:%S UTC").to_string());
    if let Progress::Finished(took) = view.progress {
        row("took", seconds(took));
    }
    if view.resumed > 0 {
        row("resumed", format!("{} times", view.resumed));
    }
    row("autobench", record.autobench.clone());
    for (name, hash) in &record.hashes {
        row(&format!("SHA-256 of the {name}"), hash.clone());
    }
    format!(
        "<h2>Conditions</h2>\n<div class=\"wide\"><table>\n{rows}</table></div>\n\
         <p>The command:</p>\n<pre><code>{}</code></pre>\n",
        escape(&record.argv.join(" "))
    )
}
