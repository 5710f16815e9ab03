//! A study's curve over the sizes, in columns.

use std::collections::BTreeMap;

use records::{Figure, SizePoint, StudyRecord, StudyView};
use serde::Serialize;

use super::metrics::PageMetric;
use crate::{
    ceilings::ceiling_curve,
    exporters::words::{self, knee_answer::KneeAnswer},
};

/// Values of a metric at each size, with 95 % intervals where they are known.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
struct Values {
    value: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    low: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    high: Vec<Option<f64>>,
}

/// The best configurations over the sizes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Curve {
    size: Vec<u64>,
    best: Vec<String>,
    gain: Vec<Option<f64>>,
    unsettled: Vec<bool>,
    metrics: BTreeMap<String, Values>,
    /// Metrics of the default configurations.
    default: BTreeMap<String, Values>,
    /// The secondary metric at the device's ceiling, where a ceiling is known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    ceiling: BTreeMap<String, Values>,
}

/// The accepted knee.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PageKnee {
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<(f64, f64)>,
    detector: String,
    /// How far the knee can be trusted: `settled`, `weak`.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
    /// The level of the curve, in the unit of the secondary metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<f64>,
}

impl Curve {
    pub(super) fn of(record: &StudyRecord, view: &StudyView, metrics: &[PageMetric]) -> Self {
        let points: Vec<(&SizePoint, &Figure)> = view.measured().collect();
        let secondary = record.benchmark.secondary.name.as_str();
        let best = points.iter().map(|(_, figure)| Some(*figure)).collect::<Vec<_>>();
        let default: Vec<Option<&Figure>> =
            points.iter().map(|(point, _)| point.default()).collect();
        let columns = |figures: &[Option<&Figure>]| -> BTreeMap<String, Values> {
            let of = |metric: &PageMetric| values(figures, &metric.name, metric.name == secondary);
            let all = metrics.iter().map(|metric| (metric.name.clone(), of(metric)));
            all.filter(|(_, values)| values.value.iter().any(Option::is_some)).collect()
        };
        Self {
            size: points.iter().map(|(point, _)| point.size).collect(),
            best: points.iter().map(|(_, figure)| figure.configuration.to_string()).collect(),
            gain: points.iter().map(|(point, _)| point.gain()).collect(),
            unsettled: points.iter().map(|(_, figure)| figure.unsettled).collect(),
            metrics: columns(&best),
            default: columns(&default),
            ceiling: ceiling(record, view, &points),
        }
    }
}

/// Returns the secondary metric at the device's ceiling.
fn ceiling(
    record: &StudyRecord,
    view: &StudyView,
    points: &[(&SizePoint, &Figure)],
) -> BTreeMap<String, Values> {
    let known: BTreeMap<u64, f64> = ceiling_curve(record, view).into_iter().collect();
    if known.is_empty() {
        return BTreeMap::new();
    }
    let value = points.iter().map(|(point, _)| known.get(&point.size).copied()).collect();
    let name = record.benchmark.secondary.name.clone();
    BTreeMap::from([(name, Values { value, ..Values::default() })])
}

fn values(figures: &[Option<&Figure>], metric: &str, is_secondary: bool) -> Values {
    let interval = |figure: &Figure| match (metric, &figure.metric) {
        ("seconds", _) => Some(figure.seconds.interval),
        (_, Some(of)) if is_secondary => Some(of.interval),
        _ => None,
    };
    let value = |figure: &Figure| match &figure.metric {
        Some(of) if is_secondary => Some(of.value),
        _ => figure.value(metric),
    };
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let each = |of: &dyn Fn(&Figure) -> Option<f64>| -> Vec<Option<f64>> {
        figures.iter().map(|figure| of((*figure)?).and_then(finite)).collect()
    };
    let low = each(&|figure| Some(interval(figure)?.0));
    let known = low.iter().any(Option::is_some);
    let high = each(&|figure| Some(interval(figure)?.1));
    Values {
        value: each(&value),
        low: if known { low } else { Vec::new() },
        high: if known { high } else { Vec::new() },
    }
}

impl PageKnee {
    pub(super) fn of(record: &StudyRecord, view: &StudyView) -> Option<Self> {
        let accepted = view.accepted.as_ref()?;
        let answer = KneeAnswer::of(record, view)?;
        Some(Self {
            size: accepted.size,
            interval: view.deciding().and_then(|finding| finding.interval),
            detector: accepted.detector.clone(),
            confidence: answer.word(),
            level: words::knee::level(&answer, view),
        })
    }
}
