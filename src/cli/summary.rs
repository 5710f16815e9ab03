//! What is printed when a study ends, and what a dry run says.

mod dry_run;

pub(super) use dry_run::dry_run;

use super::{Failure, launch::Screen, output};
use crate::{
    exporters::{quantities::grouped, trade_offs, words},
    records::{Goal, StudyFolder, StudyRecord, StudyView},
    study::Conclusion,
};

/// Prints the answer.
pub(super) fn print(
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
    output::line(&format!("results   {}", folder.path().display()))
}

fn lines(record: &StudyRecord, view: &StudyView, conclusion: &Conclusion) -> Vec<String> {
    let mut lines = vec![format!(
        "{} on {}: {} size{}, {} trials",
        record.benchmark.name,
        record.device.name,
        conclusion.sizes,
        if conclusion.sizes == 1 { "" } else { "s" },
        view.trials.len()
    )];
    for (at, finding) in conclusion.findings.iter().enumerate() {
        lines.push(match finding.knee {
            Some(knee) if !conclusion.knee && at == 0 => format!(
                "knee      not confirmed: {} saw one at {}, and too few larger sizes followed",
                finding.detector,
                grouped(knee.round().max(0.0) as u64)
            ),
            Some(_) if !conclusion.confirmed && at == 0 => {
                format!("knee      {}; not confirmed by larger sizes", words::knee(finding))
            }
            _ => format!("knee      {}", words::knee(finding)),
        });
    }
    if let Some(why) = &conclusion.why_ended {
        lines.push(format!("growth    ended: {why}"));
    }
    let workload = &conclusion.workload;
    if let Some(best) = &workload.best {
        lines.push(format!("best      {} {}", best.configuration, at(record, conclusion)));
        lines.push(format!("          {}", words::figure(record, best)));
    }
    lines.push(format!("gain      {}", words::gain(workload)));
    if let Some(front) = view.answering_front(record) {
        lines.push(format!("front     {}", trade_offs::count(record, &front)));
        let table = trade_offs::table(record, &front);
        lines.extend(table.into_iter().map(|line| format!("          {line}")));
    }
    for warning in view.started.warnings.iter().cloned().chain(words::unsettled(view)) {
        lines.push(format!("warning   {warning}"));
    }
    lines
}

/// Where the answer holds: `at the knee, size 4096 (elements)`.
fn at(record: &StudyRecord, conclusion: &Conclusion) -> String {
    let place = match (conclusion.knee, record.settings.goal) {
        (true, _) => "at the knee, size ",
        (false, Goal::Saturate) => "at the largest size, ",
        (false, Goal::Tune) => "at size ",
    };
    let meaning = match record.benchmark.size_meaning.as_str() {
        "" => String::new(),
        meaning => format!(" ({meaning})"),
    };
    format!("{place}{}{meaning}", grouped(conclusion.workload.size))
}

fn json(
    record: &StudyRecord,
    view: &StudyView,
    conclusion: &Conclusion,
    folder: &StudyFolder,
) -> serde_json::Value {
    serde_json::json!({
        "benchmark": record.benchmark.name,
        "device": record.device.name,
        "folder": folder.path(),
        "sizes": conclusion.sizes,
        "knee": conclusion.knee,
        "confirmed": conclusion.confirmed,
        "findings": conclusion.findings,
        "workload": conclusion.workload,
        "front": view.answering_front(record),
        "growth_ended": conclusion.why_ended,
    })
}
