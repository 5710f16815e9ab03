//! Metrics that are computed from another metric, by their name.

use std::collections::BTreeMap;

/// Prefix of a metric's name that stands for its decimal logarithm.
pub const LOGARITHM: &str = "log10_";

/// Suffix of a metric's name that stands for the metric's standard error.
const UNCERTAINTY: &str = "_uncertainty";

/// Standard error of a metric, if its observer states one.
#[must_use]
pub fn uncertainty(metrics: &BTreeMap<String, f64>, metric: &str) -> Option<f64> {
    metrics.get(&format!("{metric}{UNCERTAINTY}")).copied()
}

/// Lower limit of values before the logarithm: an exact result then has 20 correct digits.
const LEAST: f64 = 1e-20;

/// Value of a derived metric: `log10_error` or `digits`.
#[must_use]
pub(super) fn derived(name: &str, value: impl FnOnce(&str) -> Option<f64>) -> Option<f64> {
    if name == "digits" {
        return Some(-value("error")?.max(LEAST).log10());
    }
    Some(value(name.strip_prefix(LOGARITHM)?)?.max(LEAST).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_digits_follow_from_others() {
        let value = |name: &str| (name == "error").then_some(1e-4);
        let near = |found: Option<f64>, expected: f64| {
            assert!(found.is_some_and(|found| (found - expected).abs() < 1e-12), "{found:?}");
        };
        near(derived("digits", value), 4.0);
        near(derived("log10_error", value), -4.0);
        near(derived("digits", |_| Some(0.0)), 20.0);
        assert_eq!(derived("log10_energy", value), None);
        assert_eq!(derived("error", value), None);
    }
}
