//! A study's trials, in columns.

use std::collections::BTreeSet;

use records::{Status, StudyRecord, StudyView, Trial};
use serde::Serialize;
use serde_json::json;

use super::{
    columns::{Coded, Numbers},
    metrics::PageMetric,
};

/// Most different failure reasons on a page. The table of trials has all of them.
const MOST_REASONS: usize = 500;

/// Longest reason on a page, in characters.
const LONGEST_REASON: usize = 200;

#[derive(Debug, Clone, PartialEq, Serialize)]
struct NamedColumn<C> {
    name: String,
    #[serde(flatten)]
    column: C,
}

/// Trials in the order in which they ran.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Trials {
    count: usize,
    size: Coded,
    phase: Coded,
    outcome: Coded,
    reason: Coded,
    low: Numbers,
    high: Numbers,
    parameters: Vec<NamedColumn<Coded>>,
    /// Metrics of which at least one trial has a value.
    metrics: Vec<NamedColumn<Numbers>>,
}

impl Trials {
    /// Returns all trials of a study; `None` if there are none.
    pub(super) fn of(
        record: &StudyRecord,
        view: &StudyView,
        metrics: &[PageMetric],
    ) -> Option<Self> {
        let rows = || view.trials.iter().map(|row| &row.event.trial);
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in rows().flat_map(|trial| &trial.configuration.0) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let bounds = record.bounds();
        let outcome = |trial: &Trial| match &trial.outcome.measurement {
            Some(m) if !bounds.hold(|metric| m.value(metric)) => "outside the bounds",
            _ => trial.outcome.status.word(),
        };
        let interval = |trial: &Trial| Some(trial.outcome.measurement.as_ref()?.seconds.interval);
        let parameter = |name: &str| NamedColumn {
            name: name.to_owned(),
            column: Coded::of(rows().map(|trial| trial.configuration.get(name).map(|v| json!(v)))),
        };
        let value = |trial: &Trial, metric: &PageMetric| {
            trial.outcome.measurement.as_ref()?.value(&metric.name)
        };
        let metric = |metric: &PageMetric| NamedColumn {
            name: metric.name.clone(),
            column: Numbers::of(rows().map(|trial| value(trial, metric))),
        };
        let measured = metrics.iter().filter(|m| rows().any(|trial| value(trial, m).is_some()));
        (!view.trials.is_empty()).then(|| Self {
            count: view.trials.len(),
            size: Coded::of(rows().map(|trial| Some(json!(trial.size)))),
            phase: Coded::of(rows().map(|trial| Some(json!(trial.phase)))),
            outcome: Coded::of(rows().map(|trial| Some(json!(outcome(trial))))),
            reason: reasons(rows()),
            low: Numbers::of(rows().map(|trial| Some(interval(trial)?.0))),
            high: Numbers::of(rows().map(|trial| Some(interval(trial)?.1))),
            parameters: names.into_iter().map(parameter).collect(),
            metrics: measured.map(metric).collect(),
        })
    }
}

fn reasons<'a>(trials: impl Iterator<Item = &'a Trial>) -> Coded {
    let mut told = BTreeSet::new();
    Coded::of(trials.map(|trial| {
        let failed = trial.outcome.status != Status::Measured && !trial.outcome.reason.is_empty();
        let reason: String =
            failed.then(|| trial.outcome.reason.chars().take(LONGEST_REASON).collect())?;
        let known = told.contains(&reason);
        if !known && told.len() >= MOST_REASONS {
            return None;
        }
        told.insert(reason.clone());
        Some(json!(reason))
    }))
}
