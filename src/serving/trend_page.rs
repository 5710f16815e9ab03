//! How fast every benchmark was over time: the list of trends, and a page for each.

use super::{
    addresses::{TRENDS, of_result, of_trend},
    request::Request,
    response::Response,
};
use crate::{
    exporters::{
        Cell, escape,
        quantities::{grouped, seconds},
        row as page_row,
    },
    history::{Change, Entry, History, MARGIN, Series, Trend, changes, half_interval, trends},
};

/// The list of trends.
pub(super) fn list(history: &History) -> Response {
    let entries: Vec<&Entry> = history.entries.iter().collect();
    let trends = trends(&entries);
    let changes = changes(&trends, MARGIN);
    let mut body = format!("<p><a href=\"/\">all studies</a></p>\n<h1>Trends of {}</h1>\n", {
        escape(&history.root().display().to_string())
    });
    if trends.is_empty() {
        body += "<p>There are no finished studies: <code>autobench run</code> makes one.</p>\n";
        return Response::page("autobench: trends", &body);
    }
    body += "<p class=\"about\">How fast each benchmark was on each device, study by study, as \
             <code>autobench history trend</code> and <code>regressions</code> tell it.</p>\n\
             <div class=\"wide\"><table>\n<tr><th>benchmark</th><th>device</th>\
             <th class=\"n\">studies</th><th>newest</th><th class=\"n\">run time</th>\
             <th>last change</th></tr>\n";
    body.extend(trends.iter().map(|trend| row(trend, &changes)));
    body += "</table></div>\n";
    Response::page("autobench: trends", &body)
}

fn row(trend: &Trend<'_>, changes: &[Change]) -> String {
    let newest = trend.studies.last().map(|(_, study)| study.started);
    let level = trend.whole.points.last().map(|(_, level)| level.value.exp());
    let last = trend.changes_of(&trend.whole, changes).first().map(|change| {
        format!("{} since {}", change.speed(), change.since.format("%Y-%m-%d %H:%M"))
    });
    let link = of_trend(&trend.subject, &trend.device, None);
    page_row([
        Cell::html(format!("<a href=\"{link}\">{}</a>", escape(&trend.subject))),
        Cell::text(&trend.device),
        Cell::count(trend.studies.len() as u64),
        newest.map_or_else(|| Cell::text(""), Cell::date),
        Cell::quantity(&level.map(seconds).unwrap_or_default(), level),
        Cell::text(&last.unwrap_or_else(|| "none".to_owned())),
    ])
}

/// The page of the trend that is asked for by `subject` and `device`, at `size` or over all.
pub(super) fn page(history: &History, request: &Request) -> Response {
    let entries: Vec<&Entry> = history.entries.iter().collect();
    let trends = trends(&entries);
    let asked = |name| request.value(name).unwrap_or_default();
    let (subject, device) = (asked("subject"), asked("device"));
    let missing = || Response::sentence(404, "there is no such trend; /trends lists all");
    let named = |trend: &&Trend<'_>| trend.subject == subject && trend.device == device;
    let Some(trend) = trends.iter().find(named) else { return missing() };
    let series = match request.value("size").map(|size| size.parse::<u64>()) {
        None => Some(&trend.whole),
        Some(size) => size.ok().and_then(|size| at(trend, size)),
    };
    let Some(series) = series else { return missing() };
    // Chance is held against all that is looked at, whichever of it is shown.
    let changes = changes(&trends, MARGIN);
    let mut body = format!(
        "<p><a href=\"/\">all studies</a> · <a href=\"/{TRENDS}\">all trends</a></p>\n\
         <h1>{}</h1>\n<p class=\"about\">on {}, {}</p>\n",
        escape(&trend.subject),
        escape(&trend.device),
        escape(&trend.over(series))
    );
    body += &sizes(trend, series);
    match trend.figure(series, &changes) {
        Ok(svg) => body += &format!("<figure>\n{svg}</figure>\n"),
        Err(why) => body += &format!("<p>{}.</p>\n", escape(&why.to_string())),
    }
    body += &changed(&trend.changes_of(series, &changes));
    body += &studies(trend, series);
    Response::page(&format!("{} on {}", trend.subject, trend.device), &body)
}

fn at<'a>(trend: &'a Trend<'_>, size: u64) -> Option<&'a Series> {
    trend.sizes.iter().find(|series| series.size == Some(size))
}

/// Links to the whole curve and to each size.
fn sizes(trend: &Trend<'_>, shown: &Series) -> String {
    let link = |size: Option<u64>| {
        let words = size.map_or("all sizes".to_owned(), grouped);
        match size == shown.size {
            true => format!("<b>{words}</b>"),
            false => {
                format!("<a href=\"{}\">{words}</a>", of_trend(&trend.subject, &trend.device, size))
            }
        }
    };
    if trend.sizes.len() < 2 {
        return String::new();
    }
    let all = trend.sizes.iter().map(|series| link(series.size));
    let all: Vec<String> = std::iter::once(link(None)).chain(all).collect();
    format!("<p>{}</p>\n", all.join(" · "))
}

/// Where it changed, and what else was different there.
fn changed(changes: &[&Change]) -> String {
    if changes.is_empty() {
        return "<h2>Changes</h2>\n<p>None that is more than chance.</p>\n".to_owned();
    }
    let item = |change: &&Change| {
        let (before, after) = change.studies;
        let mut item = format!(
            "<li>{}: {} ({before} studies before, {after} after), from {} to {}",
            change.since.format("%Y-%m-%d %H:%M"),
            escape(&change.speed()),
            link(&change.before),
            link(&change.after)
        );
        let differences = change.differences.iter().map(|difference| {
            let words = format!("{}: {} → {}", difference.what, difference.first, difference.other);
            format!("<li>{}</li>\n", escape(&words))
        });
        let differences: String = differences.collect();
        if !differences.is_empty() {
            item += &format!("\n<ul>\n{differences}</ul>\n");
        }
        item + "</li>\n"
    };
    format!("<h2>Changes</h2>\n<ul>\n{}</ul>\n", changes.iter().map(item).collect::<String>())
}

fn studies(trend: &Trend<'_>, series: &Series) -> String {
    let rows = series.points.iter().rev().map(|(at, level)| {
        let (entry, study) = trend.studies[*at];
        let half = half_interval(level);
        page_row([
            Cell::date(study.started),
            Cell::quantity(&seconds(level.value.exp()), Some(level.value.exp())),
            Cell::quantity(&format!("{half:.1} %"), Some(half)),
            Cell::html(link(&entry.folder)),
            Cell::text(&entry.tags.join(" ")),
        ])
    });
    let rows: String = rows.collect();
    let left_out = trend.studies.len() - series.points.len();
    let left_out = match left_out {
        0 => String::new(),
        some => format!("<p>{some} of {} studies lack a size of it.</p>\n", trend.studies.len()),
    };
    format!(
        "<h2>Studies</h2>\n<div class=\"wide\"><table>\n<tr><th>started</th>\
         <th class=\"n\">run time</th><th class=\"n\">±</th><th>result</th><th>tags</th></tr>\n\
         {rows}</table></div>\n{left_out}"
    )
}

/// A link to a result's folder; the folder of results itself has none.
fn link(folder: &str) -> String {
    match of_result(folder) {
        Some(link) => format!("<a href=\"{link}\">{}</a>", escape(folder)),
        None => escape(folder),
    }
}
