//! `json`: the whole study as one document, for programs.

use records::{Progress, SizePoint, Stages, StudyRecord, StudyView};
use serde_json::{Value, json};

use super::{
    Delivery, ExportError, Exporter, NamedFile, Options,
    words::{knee_answer::KneeAnswer, levels},
};
use crate::ceilings::shares;

inventory::submit!(Exporter {
    name: "json",
    about: "the whole study as one document, for programs",
    file_names: &["export.json"],
    delivery: Delivery::Stream,
    export,
    recorded: None,
});

const VERSION: u32 = 1;

fn export(
    record: &StudyRecord,
    view: &StudyView,
    _options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    let mut bytes = serde_json::to_vec_pretty(&document(record, view))
        .map_err(|e| ExportError::Format { format: "json", why: e.to_string() })?;
    bytes.push(b'\n');
    Ok(vec![("export.json".to_owned(), bytes)])
}

fn document(record: &StudyRecord, view: &StudyView) -> Value {
    let (progress, seconds) = match &view.progress {
        Progress::Open => ("open", None),
        Progress::Interrupted(_) => ("interrupted", None),
        Progress::Finished(seconds) => ("finished", Some(*seconds)),
    };
    let answer = KneeAnswer::of(record, view);
    let accepted = view.accepted.as_ref().map(|knee| {
        json!({
            "detector": knee.detector,
            "size": knee.size,
            "why": knee.why,
            "confirmed": knee.confirmed,
            "confidence": answer.as_ref().and_then(KneeAnswer::word),
            "against": answer.as_ref().map(|answer| &answer.against),
            "confirmed_by": answer.as_ref().map(KneeAnswer::confirmed_by),
        })
    });
    let winner = view
        .winner()
        .map(|(point, figure)| json!({"size": point.size, "gain": point.gain(), "best": figure}));
    let trials: Vec<Value> =
        view.trials.iter().map(|row| json!({"trial": row.number, "result": row.event})).collect();
    json!({
        "format": "autobench-export",
        "version": VERSION,
        "study": record,
        "progress": progress,
        "seconds": seconds,
        "started": view.started,
        "sizes": view.sizes.iter().map(size).collect::<Vec<_>>(),
        "fronts": view.fronts(record),
        "knees": view.knees,
        "levels": levels::of_study(view),
        "accepted": accepted,
        "precise": view.precise,
        "thresholds": view.thresholds,
        "ceilings": view.ceilings,
        "shares": shares(view),
        "growth_ended": view.growth_ended,
        "refined": view.refined,
        "refined_around": view.refined_around,
        "resumed": view.resumed,
        "winner": winner,
        "stages": Stages::of(record, view).document(),
        "trials": trials,
    })
}

fn size(point: &SizePoint) -> Value {
    let counts = &point.counts;
    json!({
        "size": point.size,
        "opened": point.opened,
        "trials": {
            "search": counts.search,
            "finals": counts.finals,
            "measured": counts.measured,
            "invalid": counts.invalid,
            "compile-failed": counts.compile_failed,
            "run-failed": counts.run_failed,
            "wrong-result": counts.wrong_result,
            "timed-out": counts.timed_out,
            "crashed": counts.crashed,
        },
        "closed": point.closed,
    })
}
