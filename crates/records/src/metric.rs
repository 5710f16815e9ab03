//! Metrics that any benchmark can have: names, units, better directions, and where they can be
//! objectives. A benchmark defines its own metrics in its document.

use autobench_sdk::document::Better;
use math::{mean, standard_deviation};
use registry::{Registered, Registry};

use super::{BenchmarkRecord, derived::derived};
use crate::{
    RecordedTrial,
    settings::{Objective, Sense},
};

/// A metric. The code that computes its values registers it with `inventory::submit!`.
pub struct Metric {
    /// Name in records, formulas and `--objective`.
    pub name: &'static str,
    /// Unit; empty for plain numbers.
    pub unit: &'static str,
    /// One phrase for lists; for a metric in seconds also the title of its axis.
    pub about: &'static str,
    /// Better direction; a metric without one cannot be an objective.
    pub better: Option<Better>,
    /// Where the metric can be an objective.
    pub objective_on: ObjectiveOn,
}

/// Where a metric with a better direction can be an objective.
#[derive(Debug, Clone, Copy)]
pub enum ObjectiveOn {
    /// On devices, while a configuration is measured. A benchmark's formulas may use it.
    Devices,
    /// On rows of recorded spaces.
    Recorded(ReadTrial),
    /// On devices, and on rows of recorded spaces.
    Both(ReadTrial),
}

/// Reads a metric from a row of a recorded space.
pub type ReadTrial = fn(&RecordedTrial) -> Option<f64>;

inventory::collect!(Metric);

/// All metrics.
pub static METRICS: Registry<Metric> = Registry::new("metric");

impl Registered for Metric {
    fn name(&self) -> &'static str {
        self.name
    }
}

inventory::submit!(Metric {
    name: "seconds",
    unit: "s",
    about: "run time",
    better: Some(Better::Lower),
    objective_on: ObjectiveOn::Both(|trial| trial.reported_ms().map(|ms| ms / 1e3)),
});

inventory::submit!(Metric {
    name: "error",
    unit: "",
    about: "error of the result in the benchmark's own error metric",
    better: Some(Better::Lower),
    objective_on: ObjectiveOn::Both(|trial| trial.metrics.get("error").copied()),
});

inventory::submit!(Metric {
    name: "digits",
    unit: "",
    about: "right decimal digits: minus the logarithm of the error",
    better: Some(Better::Higher),
    objective_on: ObjectiveOn::Both(|trial| trial.value("digits")),
});

inventory::submit!(Metric {
    name: "noise",
    unit: "",
    about: "standard deviation of single runs over their mean",
    better: Some(Better::Lower),
    objective_on: ObjectiveOn::Recorded(|trial| {
        let spread = standard_deviation(&trial.times_ms) / mean(&trial.times_ms);
        Some(spread).filter(|spread| spread.is_finite())
    }),
});

impl Metric {
    /// The metric of exactly this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|metric| metric.name == name).copied()
    }

    /// Description for lists: `energy of a run (J, lower is better)`.
    #[must_use]
    pub fn described(&self) -> String {
        let better = match self.better {
            Some(Better::Lower) => "lower is better",
            Some(Better::Higher) => "higher is better",
            None => "no objective",
        };
        let place = match self.objective_on {
            ObjectiveOn::Devices => "",
            ObjectiveOn::Recorded(_) => "objective on recorded spaces alone",
            ObjectiveOn::Both(_) => "also on recorded spaces",
        };
        let more = [self.unit, better, place].into_iter().filter(|part| !part.is_empty());
        format!("{} ({})", self.about, more.collect::<Vec<_>>().join(", "))
    }

    /// Metrics that can be objectives on a device. A benchmark's formulas may use them.
    pub fn live() -> impl Iterator<Item = (&'static str, Better)> {
        let live = METRICS.iter().filter(|m| !matches!(m.objective_on, ObjectiveOn::Recorded(_)));
        live.filter_map(|metric| Some((metric.name, metric.better?)))
    }

    /// Metrics that can be objectives on recorded spaces.
    pub fn recorded() -> impl Iterator<Item = (&'static str, Better, ReadTrial)> {
        METRICS.iter().filter_map(|metric| match metric.objective_on {
            ObjectiveOn::Devices => None,
            ObjectiveOn::Recorded(read) | ObjectiveOn::Both(read) => {
                Some((metric.name, metric.better?, read))
            }
        })
    }
}

impl RecordedTrial {
    /// Value of a metric: recorded in the row, read from it, or derived.
    #[must_use]
    pub fn value(&self, metric: &str) -> Option<f64> {
        if let Some(value) = self.metrics.get(metric) {
            return Some(*value);
        }
        let declared = Metric::recorded().find(|(name, ..)| *name == metric && *name != "digits");
        match declared {
            Some((.., read)) => read(self),
            None => derived(metric, |name| self.value(name)),
        }
    }
}

impl Objective {
    /// Whether its costs are times in seconds.
    #[must_use]
    pub fn is_in_seconds(&self) -> bool {
        let known = Metric::named(&self.metric);
        self.sense == Sense::Minimise && known.is_some_and(|metric| metric.unit == "s")
    }
}

impl BenchmarkRecord {
    /// Unit of a metric; empty if it has none or is unknown.
    #[must_use]
    pub fn unit(&self, metric: &str) -> String {
        if metric == self.secondary.name && !self.secondary.unit.is_empty() {
            return self.secondary.unit.clone();
        }
        let stated = self.document.get("metrics").and_then(serde_json::Value::as_array);
        let own = stated.into_iter().flatten().find(|own| own["name"].as_str() == Some(metric));
        let known = || Metric::named(metric).map(|known| known.unit);
        own.and_then(|own| own["unit"].as_str()).or_else(known).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_the_document_s_or_the_metric_s() {
        let mut benchmark = BenchmarkRecord {
            document: serde_json::json!({"metrics": [
                {"name": "efficiency", "unit": "GFLOP/J"}, {"name": "compile_seconds", "unit": "ms"}
            ]}),
            ..BenchmarkRecord::default()
        };
        "rate".clone_into(&mut benchmark.secondary.name);
        "1/s".clone_into(&mut benchmark.secondary.unit);
        for (metric, unit) in [
            ("efficiency", "GFLOP/J"),
            ("compile_seconds", "ms"),
            ("rate", "1/s"),
            ("seconds", "s"),
            ("beauty", ""),
        ] {
            assert_eq!(benchmark.unit(metric), unit);
        }
    }
}
