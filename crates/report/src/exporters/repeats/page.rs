//! Page of repeats: their agreement, their curves, and a link to the page of each study.

use records::{Repeat, RepeatsView, StudyState, command_line};

use super::words;
use crate::exporters::{
    page::{
        Cell,
        html::{breakable, card as card_of, configuration, escape, whole},
        row as page_row,
    },
    words::quantities::{grouped, percent, significant},
};

pub(super) fn page(view: &RepeatsView, figure: Option<&str>) -> String {
    let plan = &view.record.plan;
    let title = escape(&format!("{} on {}, repeated", plan.benchmark.name, plan.device.name));
    let mut body = format!("<h1>{title}</h1>\n");
    body += &format!("<p class=\"about\">{}</p>\n", escape(&plan.benchmark.about));
    body += &cards(view);
    body += &warnings(view);
    if let Some(svg) = figure {
        body += &format!("<h2>Curves</h2>\n<figure>\n{svg}</figure>\n");
    }
    body += &agreement(view);
    body += &studies(view);
    body += &winners(view);
    body += &format!(
        "<h2>Conditions</h2>\n<p>Every study is independent: its own seed, its own process, its own \
         samples. What else they share is in each one's page.</p>\n<p>The command:</p>\n\
         <pre><code>{}</code></pre>\n",
        escape(&command_line(&plan.argv))
    );
    let footer = format!("Made by autobench {} from the journals of the studies.", plan.autobench);
    whole(&title, &body, &escape(&footer))
}

fn cards(view: &RepeatsView) -> String {
    let agreement = &view.agreement;
    if agreement.finished < 2 {
        return String::new();
    }
    let of = |part: usize| format!("{part} of {}", agreement.finished);
    let mut cards = String::new();
    let mut card = |what: &str, figure: &str, more: &str| cards += &card_of(what, figure, more);
    if let Some(knees) = agreement.knees.first() {
        let more = match knees.median {
            Some(median) => format!(
                "within one step of the median, {} by {}",
                grouped(median.round().max(0.0) as u64),
                knees.detector
            ),
            None => format!("studies have a knee by {}", knees.detector),
        };
        card("knees", &of(knees.within_one_step), &more);
    }
    if let Some(usual) = agreement.usual_winner() {
        card("the same winner", &of(usual.studies.len()), &usual.configuration.to_string());
    }
    if let Some(figure) = &agreement.figure {
        let (low, high) = (significant(figure.range.0, 4), significant(figure.range.1, 4));
        let more = format!("{} of the winners: {low} to {high} {}", figure.metric, figure.unit);
        card("spread", &percent(figure.relative), &more);
    }
    format!("<div class=\"cards\">\n{cards}</div>\n")
}

fn warnings(view: &RepeatsView) -> String {
    let silent = view.repeats.iter().filter(|repeat| repeat.state != StudyState::Finished);
    let sentence = |repeat: &Repeat| {
        let (word, why) = (repeat.state.word(), repeat.state.reason());
        let text = escape(&format!("study {} is {word}: {why}", repeat.study));
        let text = text.replacen("is failed", "failed", 1);
        format!("<p class=\"warning\">{text}</p>\n")
    };
    silent.map(sentence).collect()
}

fn agreement(view: &RepeatsView) -> String {
    let phrases = words::together(view);
    let rows: String = phrases
        .iter()
        .map(|(word, text)| format!("<tr><th>{word}</th><td>{}</td></tr>\n", breakable(text)))
        .collect();
    format!(
        "<h2>Agreement</h2>\n<p>{}. A step is from one size to the next in the schedule of a \
         study.</p>\n<div class=\"wide\"><table>\n{rows}</table></div>\n",
        escape(&words::count(view))
    )
}

fn studies(view: &RepeatsView) -> String {
    let plan = &view.record.plan;
    let detector = plan.settings.detectors.first().map_or("", String::as_str);
    let rows: String = view.repeats.iter().map(|repeat| row(view, repeat)).collect();
    format!(
        "<h2>Studies</h2>\n<div class=\"wide\"><table>\n<tr><th>study</th><th class=\"n\">seed</th>\
         <th class=\"n\">knee by {}</th><th class=\"n\">95 % interval</th><th>confidence</th>\
         <th class=\"n\">{} ({})</th><th class=\"n\">at size</th>\
         <th class=\"n\">seconds</th><th>winner</th></tr>\n{rows}\
         </table></div>\n",
        escape(detector),
        escape(&plan.benchmark.secondary.name),
        escape(&plan.benchmark.secondary.unit),
    )
}

fn row(view: &RepeatsView, repeat: &Repeat) -> String {
    let [number, knee, interval, confidence, figure, at, taken, last] =
        words::cells(&view.record, repeat);
    let winner = repeat.winner.as_ref();
    let link = match repeat.state {
        StudyState::Finished => format!("<a href=\"{number}/report.html\">{number}</a>"),
        StudyState::Failed(_) | StudyState::Unfinished(_) => number,
    };
    page_row([
        Cell::html(link),
        Cell::figure(&repeat.seed.to_string()),
        Cell::quantity(&knee, words::knee(&view.record, repeat)),
        Cell::figure(&interval),
        Cell::text(&confidence),
        Cell::quantity(&figure, winner.and_then(|winner| winner.metric)),
        Cell::quantity(&at, winner.map(|winner| winner.size as f64)),
        Cell::quantity(&taken, repeat.seconds),
        winner.map_or_else(|| Cell::text(&last), |_| Cell::html(configuration(&last))),
    ])
}

fn winners(view: &RepeatsView) -> String {
    let winners = &view.agreement.winners;
    if winners.len() < 2 {
        return String::new();
    }
    let rows = winners.iter().map(|wins| {
        let studies: Vec<String> = wins.studies.iter().map(u32::to_string).collect();
        page_row([
            Cell::html(configuration(&wins.configuration.to_string())),
            Cell::count(wins.studies.len() as u64),
            Cell::text(&studies.join(", ")),
        ])
    });
    format!(
        "<h2>Winners</h2>\n<div class=\"wide\"><table>\n<tr><th>configuration</th>\
         <th class=\"n\">wins</th><th>studies</th></tr>\n{}</table></div>\n",
        rows.collect::<String>()
    )
}
