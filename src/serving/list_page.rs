//! The list of studies with its filters.

use super::{
    request::{Request, encoded},
    response::Response,
};
use crate::{
    exporters::{
        escape,
        quantities::{grouped, seconds, significant},
    },
    history::{Entry, Filter, History, State},
};

/// First part of the paths of results.
pub(super) const RESULTS: &str = "results";

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
    body += &form(request);
    body += &format!("<p>{} of {} studies", chosen.len(), history.entries.len());
    body += &match chosen.len() > MOST {
        true => format!(", the newest {MOST} of them below</p>\n"),
        false => "</p>\n".to_owned(),
    };
    body += "<table>\n<tr><th>started</th><th>benchmark</th><th>device</th><th>driver</th>\
             <th>state</th><th>size</th><th>answer</th><th>tags</th></tr>\n";
    body.extend(chosen.iter().take(MOST).map(|entry| row(entry)));
    body += "</table>\n";
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
    let parts: Vec<String> = entry.folder.split('/').map(encoded).collect();
    let link = match entry.folder.is_empty() {
        true => String::new(),
        false => format!("/{RESULTS}/{}/", parts.join("/")),
    };
    let name = study.map_or(entry.folder.as_str(), |study| study.subject.as_str());
    let figure = answer.map(|answer| {
        let metric = answer.metric.map(|m| format!(", {} {}", significant(m, 4), answer.unit));
        let knee = if answer.knee { ", knee" } else { "" };
        format!("{}{}{knee}", seconds(answer.seconds), metric.unwrap_or_default())
    });
    let cells = [
        study.map(|study| study.started.format("%Y-%m-%d %H:%M").to_string()),
        None,
        study.map(|study| study.device.clone()),
        study.map(|study| study.driver.clone()),
        Some(format!("{} {}", entry.state.word(), entry.reason)),
        answer.map(|answer| grouped(answer.size)),
        figure,
        Some(entry.tags.join(" ")),
    ];
    let cells = cells.into_iter().enumerate().map(|(at, cell)| match at {
        1 if link.is_empty() => format!("<td>{}</td>", escape(name)),
        1 => format!("<td><a href=\"{link}\">{}</a></td>", escape(name)),
        _ => format!("<td>{}</td>", escape(cell.unwrap_or_default().trim())),
    });
    format!("<tr>{}</tr>\n", cells.collect::<String>())
}
