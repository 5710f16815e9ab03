//! `json`: the whole study as one document, for programs.

use records::{
    CeilingsUsed, Front, KneeFinding, PreciseBest, Progress, SizePoint, Stages, Started,
    StudyRecord, StudyView, ThresholdBests, TrialEvent, TrialRow,
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{
    Delivery, ExportError, Exporter, NamedFile, Options,
    words::{knee_answer::KneeAnswer, levels},
};
use crate::ceilings::{Share, shares};

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

/// The document. Trials are written one after the other: of many, a tree would take twenty times the
/// memory of the journal.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    study: &'a StudyRecord,
    progress: &'static str,
    seconds: Option<f64>,
    started: &'a Started,
    sizes: Vec<Value>,
    fronts: Vec<Front>,
    knees: &'a [KneeFinding],
    levels: Value,
    accepted: Option<Value>,
    precise: &'a Option<PreciseBest>,
    thresholds: &'a Option<ThresholdBests>,
    ceilings: &'a Option<CeilingsUsed>,
    shares: Vec<Share>,
    growth_ended: &'a Option<String>,
    refined: &'a [u64],
    refined_around: Option<u64>,
    resumed: usize,
    winner: Option<Value>,
    stages: Value,
    #[serde(serialize_with = "trials")]
    trials: &'a [TrialRow],
}

fn trials<S: Serializer>(rows: &[TrialRow], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Row<'a> {
        trial: u64,
        result: &'a TrialEvent,
    }
    serializer.collect_seq(rows.iter().map(|row| Row { trial: row.number, result: &row.event }))
}

fn document<'a>(record: &'a StudyRecord, view: &'a StudyView) -> Document<'a> {
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
    Document {
        format: "autobench-export",
        version: VERSION,
        study: record,
        progress,
        seconds,
        started: &view.started,
        sizes: view.sizes.iter().map(size).collect(),
        fronts: view.fronts(record),
        knees: &view.knees,
        levels: json!(levels::of_study(view)),
        accepted,
        precise: &view.precise,
        thresholds: &view.thresholds,
        ceilings: &view.ceilings,
        shares: shares(view),
        growth_ended: &view.growth_ended,
        refined: &view.refined,
        refined_around: view.refined_around,
        resumed: view.resumed,
        winner,
        stages: Stages::of(record, view).document(),
        trials: &view.trials,
    }
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
