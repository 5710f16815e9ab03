//! The list of studies with its filters.

use super::{
    addresses::{TRENDS, of_result},
    request::Request,
    response::Response,
};
use crate::{
    exporters::{
        Cell, escape,
        quantities::{grouped, seconds, significant},
        row as page_row,
    },
    history::{Entry, Filter, History, State},
};

/// Most studies on the page.
const MOST: usize = 500;

/// Filters, by their names in the address and on the page.
const FILTERS: [&str; 4] = ["benchmark", "device", "driver", "tag"];

const STATES: [State; 3] = [State::Finished, State::Unfinished, State::Damaged];

/// The page for what is asked.
pub(super) fn page(history: &History, request: &Request) -> Response {
    let state = request.value("state");
    let filter = Filter {
        benchmark: request.value("benchmark"),
        device: request.value("device"),
        driver: request.value("driver"),
        tags: request.value("tag").into_iter().collect(),
        state: STATES.into_iter().find(|known| state.as_deref() == Some(known.word())),
        ..Filter::default()
    };
    let chosen = filter.chosen(&history.entries);
    let mut body = format!("<h1>{}</h1>\n", escape(&history.root().display().to_string()));
    body += &format!("<p><a href=\"/{TRENDS}\">trends</a></p>\n");
    body += &form(request);
    body += &format!("<p>{} of {} studies", chosen.len(), history.entries.len());
    body += &match chosen.len() > MOST {
        true => format!(", the newest {MOST} of them below</p>\n"),
        false => "</p>\n".to_owned(),
    };
    body += "<div class=\"wide\"><table>\n<tr><th>started</th><th>benchmark</th><th>device</th><th>driver</th>\
             <th>state</th><th class=\"n\">size</th><th class=\"n\">run time</th>\
             <th class=\"n\">metric</th><th>tags</th></tr>\n";
    body.extend(chosen.iter().take(MOST).map(|entry| row(entry)));
    body += "</table></div>\n";
    Response::page("autobench: studies", &body)
}

fn form(request: &Request) -> String {
    let mut form = "<form method=\"get\" action=\"/\"><p>\n".to_owned();
    for name in FILTERS {
        let value = escape(&request.value(name).unwrap_or_default());
        form += &format!("<label>{name} <input name=\"{name}\" value=\"{value}\"></label>\n");
    }
    let asked = request.value("state").unwrap_or_default();
    form += "<label>state <select name=\"state\"><option></option>";
    for state in STATES {
        let (word, chosen) = (state.word(), if state.word() == asked { " selected" } else { "" });
        form += &format!("<option{chosen}>{word}</option>");
    }
    form + "</select></label>\n<button>filter</button>\n</p></form>\n"
}

fn row(entry: &Entry) -> String {
    let study = entry.study.as_ref();
    let answer = study.and_then(|study| study.answer.as_ref());
    let name = study.map_or(entry.folder.as_str(), |study| study.subject.as_str());
    let name = match of_result(&entry.folder) {
        None => Cell::text(name),
        Some(link) => Cell::html(format!("<a href=\"{link}\">{}</a>", escape(name))),
    };
    let size = answer.map(|answer| {
        let knee = if answer.knee { ", knee" } else { "" };
        Cell::quantity(&format!("{}{knee}", grouped(answer.size)), Some(answer.size as f64))
    });
    let time = answer.map(|answer| Cell::quantity(&seconds(answer.seconds), Some(answer.seconds)));
    let metric = answer.and_then(|answer| {
        let value = answer.metric?;
        let text = format!("{} {}", significant(value, 4), answer.unit);
        Some(Cell::quantity(text.trim(), Some(value)))
    });
    let none = || Cell::text("");
    page_row([
        study.map_or_else(none, |study| Cell::date(study.started)),
        name,
        Cell::text(study.map_or("", |study| &study.device)),
        Cell::text(study.map_or("", |study| &study.driver)),
        Cell::text(format!("{} {}", entry.state.word(), entry.reason).trim()),
        size.unwrap_or_else(none),
        time.unwrap_or_else(none),
        metric.unwrap_or_else(none),
        Cell::text(&entry.tags.join(" ")),
    ])
}
