//! The output at the end of a study.

use records::{Stages, StudyFolder, StudyRecord, StudyView};
use report::exporters::{
    knee_answer::KneeAnswer,
    words::{answer, levels},
};
use study::{Conclusion, StudyResult};

use super::curve;
use crate::terminal::{Failure, Screen, output};

pub(crate) fn print(result: &StudyResult, screen: Screen) -> Result<(), Failure> {
    let StudyResult { record, view, conclusion, folder } = result;
    if screen.json {
        return output::json(&format!("{:#}", json(record, view, conclusion, folder)));
    }
    if screen.quiet {
        return Ok(());
    }
    let curve = output::columns().map(|width| curve::lines(record, view, width));
    let lines = lines(record, view, folder).into_iter().chain(curve.unwrap_or_default());
    lines.into_iter().try_for_each(|line| output::line(&line))
}

/// The answer in at most eight lines.
pub(crate) fn lines(record: &StudyRecord, view: &StudyView, folder: &StudyFolder) -> Vec<String> {
    answer::lines(record, view, folder.path())
}

fn json(
    record: &StudyRecord,
    view: &StudyView,
    conclusion: &Conclusion,
    folder: &StudyFolder,
) -> serde_json::Value {
    let answer = KneeAnswer::of(record, view);
    let closed = view.sizes.iter().filter_map(|point| point.closed.as_ref());
    let faults = closed.filter_map(|closed| {
        let fault = closed.fault.as_deref()?;
        Some(serde_json::json!({ "size": closed.size, "fault": fault }))
    });
    let faults: Vec<serde_json::Value> = faults.collect();
    serde_json::json!({
        "benchmark": record.benchmark.name,
        "device": record.device.name,
        "folder": folder.path(),
        "sizes": conclusion.sizes,
        "knee": conclusion.knee,
        "confirmed": conclusion.confirmed,
        "findings": conclusion.findings,
        "levels": levels::of_study(view),
        "confidence": answer.as_ref().and_then(KneeAnswer::word),
        "against": answer.as_ref().map(|answer| &answer.against),
        "confirmed_by": answer.as_ref().map(KneeAnswer::confirmed_by),
        "precise": view.precise,
        "thresholds": view.thresholds,
        "stages": Stages::of(record, view).document(),
        "workload": conclusion.chosen,
        "front": view.answering_front(record),
        "growth_ended": conclusion.why_ended,
        "faults": faults,
        "ceiling": report::ceilings::winner_share(view),
    })
}
