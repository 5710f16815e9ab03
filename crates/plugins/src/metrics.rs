//! Derives quantities from a measurement: operations, bytes and the document's metrics.

use std::collections::{BTreeMap, BTreeSet};

use autobench_sdk::document::{self, Better, Document};
use records::Metric;
use space::Value;

use super::{
    fault::DocumentFault,
    formula::{Formula, FormulaFault},
};

/// Names that metrics may use in addition to `size`, parameters and earlier metrics.
const DERIVED: [&str; 3] = ["seconds", "flops", "bytes"];

/// Metrics that may be observed while a run is measured. A metric that was not observed has no
/// value in formulas. Digits follow from the error, and formulas cannot use them.
fn observable() -> impl Iterator<Item = (&'static str, Better)> {
    Metric::live().filter(|(name, _)| !DERIVED.contains(name) && *name != "digits")
}

#[derive(Debug, Clone)]
pub(super) struct MetricFormulas {
    flops: Option<Formula>,
    bytes: Option<Formula>,
    /// In the document's order: a metric may name earlier metrics.
    metrics: Vec<(String, Formula)>,
}

impl MetricFormulas {
    pub(super) fn compile(document: &Document, names: &[&str]) -> Result<Self, DocumentFault> {
        let optional = |place: &str, text: &Option<String>| {
            text.as_ref().map(|text| Formula::compile(place, text, names)).transpose()
        };
        let flops = optional("flops", &document.flops)?;
        let bytes = optional("bytes", &document.bytes)?;
        let mut known: Vec<&str> = names.to_vec();
        known.extend(DERIVED);
        known.extend(observable().map(|(name, _)| name));
        let mut metrics = Vec::new();
        for (at, metric) in document.metrics.iter().enumerate() {
            if known.contains(&metric.name.as_str()) {
                return Err(DocumentFault::new(
                    format!("metrics[{at}].name"),
                    format!("`{}` already means something else", metric.name),
                ));
            }
            let place = format!("metrics[{at}].expression");
            let formula = Formula::compile(&place, &metric.expression, &known)?;
            for (name, given) in [("flops", &flops), ("bytes", &bytes)] {
                if given.is_none() && formula.names_used().any(|used| used == name) {
                    let message = format!("it names `{name}`, which the document does not give");
                    return Err(DocumentFault::new(place, message));
                }
            }
            metrics.push((metric.name.clone(), formula));
            known.push(&metric.name);
        }
        for (place, name) in [("primary", &document.primary), ("secondary", &document.secondary)] {
            if direction(document, name).is_none() {
                let known: Vec<&str> = directions(document).map(|(name, _)| name).collect();
                return Err(DocumentFault::new(
                    place,
                    format!("no metric named `{name}` (known: {})", known.join(", ")),
                ));
            }
        }
        Ok(Self { flops, bytes, metrics })
    }

    /// The names of which a metric is made, through earlier metrics; of a name without a formula,
    /// the name itself.
    pub(super) fn sources<'a>(&'a self, metric: &'a str) -> BTreeSet<&'a str> {
        match self.metrics.iter().find(|(name, _)| name == metric) {
            Some((_, formula)) => {
                formula.names_used().flat_map(|used| self.sources(used)).collect()
            }
            None => BTreeSet::from([metric]),
        }
    }

    pub(super) fn flops(&self, slots: &[Value]) -> Result<Option<f64>, FormulaFault> {
        self.flops.as_ref().map(|formula| formula.number(slots)).transpose()
    }

    pub(super) fn bytes(&self, slots: &[Value]) -> Result<Option<f64>, FormulaFault> {
        self.bytes.as_ref().map(|formula| formula.number(slots)).transpose()
    }

    /// Finite metrics of a run of `seconds`. `extra` holds the observers' values.
    pub(super) fn values(
        &self,
        mut slots: Vec<Value>,
        seconds: f64,
        extra: &BTreeMap<String, f64>,
    ) -> BTreeMap<String, f64> {
        let missing = Value::Text("nothing".into());
        let number = |value: Option<f64>| value.map_or_else(|| missing.clone(), Value::Float);
        let amounts = [self.flops(&slots), self.bytes(&slots)];
        slots.push(Value::Float(seconds));
        slots.extend(amounts.map(|amount| number(amount.ok().flatten())));
        slots.extend(observable().map(|(name, _)| number(extra.get(name).copied())));
        let mut found = BTreeMap::new();
        for (name, formula) in &self.metrics {
            let value = formula.number(&slots).ok().filter(|value| value.is_finite());
            found.extend(value.map(|value| (name.clone(), value)));
            slots.push(number(value));
        }
        found
    }
}

/// All metrics by name, the document's first.
pub(super) fn directions(document: &Document) -> impl Iterator<Item = (&str, Better)> {
    let own = document.metrics.iter().map(|metric| (metric.name.as_str(), metric.better));
    own.chain(Metric::live().map(|live: (&str, Better)| live))
}

pub(super) fn direction(document: &Document, name: &str) -> Option<Better> {
    directions(document).find(|(known, _)| *known == name).map(|(_, better)| better)
}

/// Chooses the secondary metric if the document names none: its first metric of which more is
/// better, else operations or bytes per second. Operations come first. Where both grow alike, their
/// curves are alike. Where operations grow faster, bytes per second fall as caches serve more
/// accesses.
pub(super) fn choose_secondary(document: &mut Document) {
    if !document.secondary.is_empty() {
        return;
    }
    let own = document.metrics.iter().find(|metric| metric.better == Better::Higher);
    if let Some(own) = own.map(|metric| metric.name.clone()) {
        document.secondary = own;
        return;
    }
    let (name, unit, amount) = match (&document.flops, &document.bytes) {
        (Some(_), _) => ("performance", "GFLOP/s", "flops"),
        (None, Some(_)) => ("bandwidth", "GB/s", "bytes"),
        (None, None) => ("seconds", "", ""),
    };
    let taken = document.metrics.iter().map(|m| &m.name).any(|n| n == name)
        || document.parameters.iter().any(|p| p.name == name);
    if taken || amount.is_empty() {
        "seconds".clone_into(&mut document.secondary);
        return;
    }
    let expression = format!("{amount} / seconds / 1e9");
    document.metrics.push(document::Metric {
        name: name.to_owned(),
        unit: unit.to_owned(),
        expression,
        better: Better::Higher,
    });
    name.clone_into(&mut document.secondary);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Benchmark,
        sample::{configuration, document},
    };

    #[test]
    fn metrics_see_what_was_observed_and_earlier_metrics() {
        let benchmark = Benchmark::new(document()).unwrap();
        let configuration = configuration(64, 8, "f64");
        let extra = BTreeMap::from([("energy".to_owned(), 2e-9)]);
        let found = benchmark.metrics(1e-6, 1000, &configuration, &extra);
        // 1000 elements of 4 + 16 bytes in 1 µs: 20 GB/s. 2000 operations for 2 nJ.
        assert!((found["bandwidth"] - 20.0).abs() < 1e-9);
        assert!((found["double"] - 40.0).abs() < 1e-9);
        assert!((found["efficiency"] - 1000.0).abs() < 1e-9);
        assert_eq!(benchmark.flops(1000, &configuration), Ok(Some(2000.0)));
        assert_eq!(benchmark.bytes(1000, &configuration), Ok(Some(20_000.0)));
    }

    #[test]
    fn a_metric_is_made_of_what_its_formula_names_through_earlier_metrics() {
        let benchmark = Benchmark::new(document()).unwrap();
        let sources = |metric| benchmark.sources(metric).into_iter().collect::<Vec<_>>();
        assert_eq!(sources("efficiency"), ["energy", "flops"]);
        assert_eq!(sources("double"), ["bytes", "seconds"], "through `bandwidth`");
        assert_eq!(sources("power"), ["power"]);
    }

    #[test]
    fn a_metric_of_something_nobody_observed_is_left_out() {
        let benchmark = Benchmark::new(document()).unwrap();
        let found = benchmark.metrics(1e-6, 1000, &configuration(64, 8, "f64"), &BTreeMap::new());
        assert_eq!(found.keys().collect::<Vec<_>>(), ["bandwidth", "double"]);
        let found = benchmark.metrics(0.0, 1000, &configuration(64, 8, "f64"), &BTreeMap::new());
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn directions_are_known_for_every_metric() {
        let benchmark = Benchmark::new(document()).unwrap();
        assert_eq!(benchmark.direction("bandwidth"), Some(Better::Higher));
        assert_eq!(benchmark.direction("seconds"), Some(Better::Lower));
        assert_eq!(benchmark.direction("energy"), Some(Better::Lower));
        assert_eq!(benchmark.direction("beauty"), None);
    }

    #[test]
    fn a_document_without_a_secondary_metric_gets_a_rate() {
        let chosen = |change: fn(&mut Document)| {
            let mut document = Document { secondary: String::new(), ..document() };
            change(&mut document);
            let benchmark = Benchmark::new(document).unwrap();
            let named = configuration(64, 8, "f64");
            let secondary = benchmark.document().secondary.clone();
            let found = benchmark.metrics(1e-6, 1000, &named, &BTreeMap::new());
            let again = Benchmark::new(benchmark.document().clone()).unwrap();
            assert_eq!(again.document(), benchmark.document());
            (secondary.clone(), found.get(&secondary).copied().map(f64::round))
        };
        assert_eq!(chosen(|_| ()), ("bandwidth".to_owned(), Some(20.0)));
        let bare = |document: &mut Document| document.metrics.clear();
        assert_eq!(chosen(bare), ("performance".to_owned(), Some(2.0)));
        let bytes = |document: &mut Document| {
            document.metrics.clear();
            document.flops = None;
        };
        assert_eq!(chosen(bytes), ("bandwidth".to_owned(), Some(20.0)));
        let nothing = |document: &mut Document| {
            document.metrics.clear();
            (document.flops, document.bytes) = (None, None);
        };
        assert_eq!(chosen(nothing), ("seconds".to_owned(), None));
        let taken = |document: &mut Document| {
            document.metrics.truncate(1);
            document.metrics[0].name = "performance".to_owned();
            document.metrics[0].better = Better::Lower;
        };
        assert_eq!(chosen(taken), ("seconds".to_owned(), None));
    }

    #[test]
    fn metrics_that_need_what_is_not_given_are_refused() {
        let mut document = document();
        document.bytes = None;
        let fault = Benchmark::new(document.clone()).unwrap_err();
        assert_eq!(fault.path, "metrics[0].expression");
        document.metrics.clear();
        let fault = Benchmark::new(document).unwrap_err();
        assert!(fault.to_string().starts_with("secondary: no metric named `bandwidth`"), "{fault}");
    }
}
