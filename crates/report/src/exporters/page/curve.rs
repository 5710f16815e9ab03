//! A study's curve over the sizes, in columns.

use std::collections::BTreeMap;

use records::{Figure, SizePoint, StudyRecord, StudyView};
use serde::Serialize;

use super::metrics::PageMetric;
use crate::ceilings::shares;

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
            ceiling: ceiling(view, &points, metrics.iter().find(|m| m.name == secondary)),
        }
    }
}

/// Returns the rate that the device's ceiling allows at each size: the reached rate over its share.
fn ceiling(
    view: &StudyView,
    points: &[(&SizePoint, &Figure)],
    secondary: Option<&PageMetric>,
) -> BTreeMap<String, Values> {
    let Some(rate) = secondary.filter(|metric| metric.is_rate()) else { return BTreeMap::new() };
    let shares: BTreeMap<u64, f64> =
        shares(view).into_iter().map(|share| (share.size, share.share)).collect();
    let of = |(point, figure): &(&SizePoint, &Figure)| {
        let share = shares.get(&point.size).filter(|share| **share > 0.0)?;
        Some(figure.metric.as_ref()?.value / share).filter(|value| value.is_finite())
    };
    let value: Vec<Option<f64>> = points.iter().map(of).collect();
    if value.iter().all(Option::is_none) {
        return BTreeMap::new();
    }
    BTreeMap::from([(rate.name.clone(), Values { value, ..Values::default() })])
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
    pub(super) fn of(view: &StudyView) -> Option<Self> {
        let accepted = view.accepted.as_ref()?;
        let interval = view.deciding().and_then(|finding| finding.interval);
        Some(Self { size: accepted.size, interval, detector: accepted.detector.clone() })
    }
}
