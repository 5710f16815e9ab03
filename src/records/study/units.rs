//! Units of metrics, as printed.

use crate::records::BenchmarkRecord;

const COMMON: [(&str, &str); 6] = [
    ("seconds", "s"),
    ("compile_seconds", "s"),
    ("energy", "J"),
    ("power", "W"),
    ("temperature", "°C"),
    ("footprint", "B"),
];

impl BenchmarkRecord {
    /// Unit of a metric; empty if it has none, or it is unknown.
    #[must_use]
    pub fn unit(&self, metric: &str) -> String {
        if metric == self.secondary.name && !self.secondary.unit.is_empty() {
            return self.secondary.unit.clone();
        }
        if let Some((_, unit)) = COMMON.iter().find(|(name, _)| *name == metric) {
            return (*unit).to_owned();
        }
        let stated = self.document.get("metrics").and_then(serde_json::Value::as_array);
        let own = stated.into_iter().flatten().find(|own| own["name"].as_str() == Some(metric));
        own.and_then(|own| own["unit"].as_str()).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_the_document_s_or_everybody_s() {
        let mut benchmark = BenchmarkRecord {
            document: serde_json::json!({"metrics": [{"name": "efficiency", "unit": "GFLOP/J"}]}),
            ..BenchmarkRecord::default()
        };
        "rate".clone_into(&mut benchmark.secondary.name);
        "1/s".clone_into(&mut benchmark.secondary.unit);
        for (metric, unit) in
            [("efficiency", "GFLOP/J"), ("rate", "1/s"), ("seconds", "s"), ("beauty", "")]
        {
            assert_eq!(benchmark.unit(metric), unit);
        }
    }
}
