//! Cards with the answer at a glance, and warnings.

use records::{Progress, StudyRecord, StudyView};

use crate::{
    ceilings::winner_share,
    exporters::{
        page::html::{card as card_of, escape},
        words::{
            self,
            knee_answer::KneeAnswer,
            quantities::{percent, significant},
        },
    },
};

pub(super) fn cards(record: &StudyRecord, view: &StudyView) -> String {
    let mut cards = String::new();
    let mut card = |what: &str, figure: &str, more: &str| cards += &card_of(what, figure, more);
    let answer = KneeAnswer::of(record, view);
    let at_knee = answer.as_ref().is_some_and(|answer| answer.knee.is_some());
    if let Some(answer) = &answer {
        let what = if answer.is_weak() { "knee, weak" } else { "knee" };
        card(what, &words::knee::size(answer), &words::knee::more(answer));
    }
    if let Some((point, figure)) = view.winner() {
        if let Some(metric) = &figure.metric {
            let unit = &record.benchmark.secondary.unit;
            let value = format!("{} {unit}", significant(metric.value, 4));
            let (low, high) = metric.interval;
            let more = format!(
                "{}{}, 95 % interval {} to {}",
                record.benchmark.secondary.name,
                words::at_size(record, point.size),
                significant(low, 4),
                significant(high, 4)
            );
            card(if at_knee { "there it reaches" } else { "reached" }, &value, &more);
        }
        if let (Some(share), Some(used)) = (winner_share(view), &view.ceilings) {
            let more = format!(
                "of the {}, measured on {}",
                words::ceilings::roof(&share.roof),
                used.measured.format("%Y-%m-%d")
            );
            card("share of the ceiling", &percent(share.share), &more);
        }
        let gain = point.closed.as_ref().and_then(words::gain::card);
        if let Some((figure, more)) = gain {
            card("gain", &figure, &more);
        }
        if let Some((figure, more)) = view.precise.as_ref().and_then(words::gain::precise_card) {
            card("over full precision", &figure, &more);
        }
    }
    format!("<div class=\"cards\">\n{cards}</div>\n")
}

pub(super) fn warnings(record: &StudyRecord, view: &StudyView) -> String {
    let mut all: Vec<String> = Vec::new();
    match &view.progress {
        Progress::Finished(_) => {}
        Progress::Open => all.push("the study is not finished".to_owned()),
        Progress::Interrupted(why) => all.push(format!("the study was interrupted: {why}")),
    }
    all.extend(words::conditions::replayed(record));
    if let Some(answer) = KneeAnswer::of(record, view) {
        all.extend(words::knee::doubt(&answer).map(|doubt| format!("the knee is {doubt}")));
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
    all.extend(words::conditions::faults(view));
    all.extend(words::unsettled(view));
    all.iter().map(|text| format!("<p class=\"warning\">{}</p>\n", escape(text))).collect()
}
