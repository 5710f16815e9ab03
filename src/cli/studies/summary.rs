//! Output at the end of a study.

use super::before;
use crate::{
    cli::{
        memory::in_words,
        terminal::{Failure, Screen, output},
    },
    exporters::{
        ceilings,
        knee_answer::KneeAnswer,
        quantities::{counted, grouped},
        trade_offs, words,
    },
    records::{Stages, StudyFolder, StudyRecord, StudyView},
    settings::Goal,
    study::Conclusion,
};

pub(in crate::cli) fn print(
    record: &StudyRecord,
    view: &StudyView,
    conclusion: &Conclusion,
    folder: &StudyFolder,
    screen: Screen,
) -> Result<(), Failure> {
    if screen.json {
        return output::line(&format!("{:#}", json(record, view, conclusion, folder)));
    }
    if screen.quiet {
        return Ok(());
    }
    for line in lines(record, view, conclusion) {
        output::line(&line)?;
    }
    if let Some(text) = before::line(folder, record, view) {
        output::line(&format!("before    {text}"))?;
    }
    output::line(&format!("results   {}", folder.path().display()))
}

/// What failed in the script that is the strategy, by size.
fn faults(view: &StudyView) -> impl Iterator<Item = (u64, &str)> {
    let closed = view.sizes.iter().filter_map(|point| point.closed.as_ref());
    closed.filter_map(|closed| Some((closed.size, closed.fault.as_deref()?)))
}

fn lines(record: &StudyRecord, view: &StudyView, conclusion: &Conclusion) -> Vec<String> {
    let mut lines = vec![format!(
        "{} on {}: {}, {}",
        record.benchmark.name,
        record.device.name,
        counted(conclusion.sizes, "size"),
        counted(view.trials.len(), "trial")
    )];
    let mut add = |word: &str, text: &str| lines.push(format!("{word:<10}{text}"));
    let mut word = "knee";
    for line in words::knee::lines(record, view) {
        add(std::mem::take(&mut word), &line);
    }
    let mut word = "levels";
    for line in words::levels::lines(record, view) {
        add(std::mem::take(&mut word), &line);
    }
    if let Some(why) = &conclusion.why_ended {
        add("growth", &format!("ended: {why}"));
    }
    for (size, fault) in faults(view) {
        add("strategy", &format!("failed at size {}: {fault}", grouped(size)));
    }
    let chosen = &conclusion.chosen;
    if let Some(best) = &chosen.best {
        add("best", &format!("{} {}", best.configuration, at(record, view, conclusion)));
        add("", &words::figure(record, best));
    }
    let point = view.sizes.iter().find(|point| point.size == chosen.size);
    if let Some(tried) = point.and_then(|point| words::tried::sentence(view, point)) {
        add("tried", &tried);
    }
    add("gain", &words::gain::sentence(chosen));
    if let Some(precise) = &view.precise {
        add("", &words::gain::over_precise(precise));
    }
    let mut word = "ceiling";
    for line in ceilings::of_study(record, view) {
        add(std::mem::take(&mut word), &line);
    }
    let mut word = "within";
    for line in view.thresholds.iter().flat_map(words::thresholds::lines) {
        add(std::mem::take(&mut word), &line);
    }
    if let Some(front) = view.answering_front(record) {
        add("front", &trade_offs::count(record, &front));
        trade_offs::table(record, &front).iter().for_each(|line| add("", line));
    }
    for source in &record.learnt_from {
        add("learnt", &format!("from {}", in_words(source)));
    }
    add("time", &words::stages::time(&Stages::of(record, view)));
    if let Some(simulated) = words::conditions::replayed(record) {
        add("replayed", &simulated);
    }
    for warning in view
        .started
        .warnings
        .iter()
        .cloned()
        .chain(words::tempos(view))
        .chain(words::unsettled(view))
    {
        add("warning", &warning);
    }
    lines
}

/// Place of the answer: `at the knee, size 4096 (elements)`.
fn at(record: &StudyRecord, view: &StudyView, conclusion: &Conclusion) -> String {
    let is_known = || KneeAnswer::of(record, view).is_some_and(|answer| answer.known().is_some());
    let place = match (conclusion.knee, record.settings.goal) {
        (true, _) if is_known() => "at the knee of this time, size ",
        (true, _) => "at the knee, size ",
        (false, Goal::Saturate) if conclusion.is_largest => "at the largest size, ",
        (false, Goal::Saturate) => "at the largest size whose figure held in rounds, ",
        (false, Goal::Tune) => "at size ",
    };
    let meaning = match record.benchmark.size_meaning.as_str() {
        "" => String::new(),
        meaning => format!(" ({meaning})"),
    };
    format!("{place}{}{meaning}", grouped(conclusion.chosen.size))
}

fn json(
    record: &StudyRecord,
    view: &StudyView,
    conclusion: &Conclusion,
    folder: &StudyFolder,
) -> serde_json::Value {
    let answer = KneeAnswer::of(record, view);
    serde_json::json!({
        "benchmark": record.benchmark.name,
        "device": record.device.name,
        "folder": folder.path(),
        "sizes": conclusion.sizes,
        "knee": conclusion.knee,
        "confirmed": conclusion.confirmed,
        "findings": conclusion.findings,
        "levels": words::levels::of_study(view),
        "confidence": answer.as_ref().and_then(KneeAnswer::word),
        "against": answer.as_ref().map(|answer| &answer.against),
        "confirmed_by": answer.as_ref().map(KneeAnswer::confirmed_by),
        "settled_before": answer.as_ref().and_then(|answer| answer.settled_before.as_ref()),
        "precise": view.precise,
        "thresholds": view.thresholds,
        "stages": Stages::of(record, view).document(),
        "workload": conclusion.chosen,
        "front": view.answering_front(record),
        "growth_ended": conclusion.why_ended,
        "faults": faults(view)
            .map(|(size, fault)| serde_json::json!({ "size": size, "fault": fault }))
            .collect::<Vec<_>>(),
        "ceiling": crate::ceilings::winner_share(view),
    })
}
