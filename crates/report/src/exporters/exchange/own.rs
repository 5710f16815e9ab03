//! What the formats of other programs share: a study as a recorded space, and our own members.

use exchange::{OwnRow, RecordedSpace};
use records::{RecordedTrial, Status, StudyRecord, StudyView};
use serde_json::{Map, Value as Json};

use crate::exporters::{ExportError, Options};

/// Returns the trials of a study at the chosen size, or else at its largest.
pub(in crate::exporters) fn space(
    format: &'static str,
    record: &StudyRecord,
    view: &StudyView,
    options: &Options,
) -> Result<RecordedSpace, ExportError> {
    let trials = view.trials.iter().map(|row| &row.event.trial);
    RecordedSpace::of_study(Some(record), trials, options.size)
        .map_err(|error| ExportError::Format { format, why: error.to_string() })
}

/// Returns members as an object. A value that is not JSON becomes a text.
pub(in crate::exporters) fn object<'a>(
    members: impl IntoIterator<Item = &'a (String, String)>,
) -> Map<String, Json> {
    let value = |json: &String| serde_json::from_str(json).unwrap_or_else(|_| json.as_str().into());
    members.into_iter().map(|(name, json)| (name.clone(), value(json))).collect()
}

/// Returns our own member of a row, if the format cannot express the row. `told_apart` are the
/// failures that the format distinguishes, `fields` the members that it has no place for.
pub(in crate::exporters) fn row(
    trial: &RecordedTrial,
    told_apart: &[Status],
    fields: Map<String, Json>,
) -> Option<String> {
    let said = match trial.status {
        Status::Measured => trial.time_ms.is_some() || !trial.times_ms.is_empty(),
        failed => told_apart.contains(&failed) && trial.reason == failed.recorded(),
    };
    if said && fields.is_empty() {
        return None;
    }
    let (status, reason) = match said {
        true => (None, String::new()),
        false => (Some(trial.status), trial.reason.clone()),
    };
    serde_json::to_string(&OwnRow { status, reason, fields }).ok()
}
