//! What the script needs to know of a metric: its title, its unit, and whether more is better.

use std::collections::BTreeSet;

use records::{Metric, StudyRecord, StudyView, settings::Sense};
use serde::Serialize;

use crate::exporters::words::trade_offs;

/// A metric of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PageMetric {
    /// Name in records.
    pub(super) name: String,
    /// Title of the metric's axis.
    title: String,
    /// Unit; `s` is shown as ns, µs, ms or s.
    unit: String,
    /// Whether more is better, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_is_better: Option<bool>,
}

impl PageMetric {
    fn of(record: &StudyRecord, name: &str) -> Self {
        let benchmark = &record.benchmark;
        Self {
            title: trade_offs::axis(record, name),
            unit: if name == "error" { String::new() } else { benchmark.unit(name) },
            more_is_better: more_is_better(record, name),
            name: name.to_owned(),
        }
    }
}

/// Returns the metrics that a study has values of: the secondary metric, run time, error, and then
/// the others by name.
pub(super) fn metrics(record: &StudyRecord, view: &StudyView) -> Vec<PageMetric> {
    let secondary = &record.benchmark.secondary.name;
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut checked = false;
    let measured =
        view.trials.iter().filter_map(|row| row.event.trial.outcome.measurement.as_ref());
    for measurement in measured {
        checked |= measurement.error.is_some();
        names.extend(measurement.metrics.keys().map(String::as_str));
    }
    for (_, figure) in view.measured() {
        checked |= figure.error.is_some();
        names.extend(figure.metrics.keys().map(String::as_str));
    }
    let first = [secondary.as_str(), "seconds"].into_iter().filter(|name| !name.is_empty());
    let first: Vec<&str> = first.chain(checked.then_some("error")).collect();
    let others = names.into_iter().filter(|name| !first.contains(name));
    first.iter().copied().chain(others).map(|name| PageMetric::of(record, name)).collect()
}

fn more_is_better(record: &StudyRecord, name: &str) -> Option<bool> {
    use autobench_sdk::document::Better;
    let settings = &record.settings;
    let mut objectives = std::iter::once(&settings.objective).chain(&settings.further_objectives);
    let secondary = &record.benchmark.secondary;
    if name == secondary.name {
        return Some(secondary.sense == Sense::Maximise);
    }
    if let Some(objective) = objectives.find(|objective| objective.metric == name) {
        return Some(objective.sense == Sense::Maximise);
    }
    let mut stated = record.benchmark.document["metrics"].as_array().into_iter().flatten();
    let own = stated.find(|own| own["name"] == *name);
    let own = own.and_then(|own| own["better"].as_str()).map(|better| better == "higher");
    own.or_else(|| Some(Metric::named(name)?.better? == Better::Higher))
}
