//! Bounds on metrics that a reported configuration must keep.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use space::accuracy::ErrorMetric;

/// Which side of its limit a metric must stay on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// At most the limit.
    #[serde(rename = "<=")]
    AtMost,
    /// At least the limit.
    #[serde(rename = ">=")]
    AtLeast,
}

/// A limit on a metric: `energy<=0.7`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The metric's name.
    pub metric: String,
    /// Which side of the limit is allowed.
    pub side: Side,
    /// The limit.
    pub limit: f64,
}

/// A text that is not a bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no bound: write a metric, `<=` or `>=`, and a number, like `energy<=0.7`")]
pub struct BoundError(String);

impl Bound {
    /// A bound on the largest error of a result.
    #[must_use]
    pub fn on_error(limit: f64) -> Self {
        Self { metric: "error".to_owned(), side: Side::AtMost, limit }
    }

    /// A bound on a metric that every value satisfies.
    #[must_use]
    pub fn on(metric: &str) -> Self {
        Self { metric: metric.to_owned(), side: Side::AtMost, limit: f64::INFINITY }
    }

    /// Whether the bound is on an error: `error`, a named error metric, one of `own`, or a
    /// logarithm of these.
    #[must_use]
    pub fn is_on_error(&self, own: &[String]) -> bool {
        let name = self.metric.strip_prefix("log10_").unwrap_or(&self.metric);
        let metric = name.split_once("_of_").map_or(name, |(metric, _)| metric);
        matches!(name, "error" | "digits")
            || metric.parse::<ErrorMetric>().is_ok()
            || own.iter().any(|own| own == name)
    }

    /// Whether a value satisfies the bound.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        match self.side {
            Side::AtMost => value <= self.limit,
            Side::AtLeast => value >= self.limit,
        }
    }

    /// How far a value is beyond the bound, in orders of magnitude; 0 if it satisfies the bound.
    /// Values without a logarithm, and metrics that are logarithms, count by their distance from
    /// the limit.
    #[must_use]
    pub fn excess(&self, value: f64) -> f64 {
        if self.holds(value) {
            return 0.0;
        }
        let is_logarithm = self.metric.starts_with("log10_") || self.metric == "digits";
        let apart = if !is_logarithm && value > 0.0 && self.limit >= 0.0 {
            // A limit of zero has no logarithm, so the smallest positive number replaces it.
            value.log10() - self.limit.max(f64::MIN_POSITIVE).log10()
        } else {
            value - self.limit
        };
        if apart == 0.0 { f64::MIN_POSITIVE } else { apart.abs() }
    }
}

impl FromStr for Bound {
    type Err = BoundError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = [("<=", Side::AtMost), (">=", Side::AtLeast)];
        let parts = parts.into_iter().find_map(|(sign, side)| Some((text.split_once(sign)?, side)));
        let fault = || BoundError(text.to_owned());
        let ((metric, limit), side) = parts.ok_or_else(fault)?;
        let limit = limit.trim().parse::<f64>().ok().filter(|limit| limit.is_finite());
        let metric = metric.trim();
        match limit {
            Some(limit) if !metric.is_empty() => {
                Ok(Self { metric: metric.to_owned(), side, limit })
            }
            _ => Err(fault()),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.side {
            Side::AtMost => "<=",
            Side::AtLeast => ">=",
        };
        write!(f, "{} {sign} {:?}", self.metric, self.limit)
    }
}

/// All bounds of a study.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bounds(pub Vec<Bound>);

impl Bounds {
    /// How far values are beyond the bounds: the sum over all bounds in orders of magnitude, 0 if
    /// all hold. `None` if a bounded metric has no value. A missing error counts as 0: there is no
    /// reference then.
    #[must_use]
    pub fn excess(&self, value: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let beyond = self.0.iter().map(|bound| match value(&bound.metric) {
            Some(value) => Some(bound.excess(value)),
            None if bound.metric == "error" => Some(0.0),
            None => None,
        });
        beyond.sum()
    }

    /// The bounds that are on errors.
    #[must_use]
    pub fn on_errors(&self, own: &[String]) -> Self {
        Self(self.0.iter().filter(|bound| bound.is_on_error(own)).cloned().collect())
    }

    /// Whether all bounds hold.
    #[must_use]
    pub fn hold(&self, value: impl Fn(&str) -> Option<f64>) -> bool {
        self.excess(value) == Some(0.0)
    }

    /// The limit of the error, if it is bounded.
    #[must_use]
    pub fn of_error(&self) -> Option<f64> {
        self.0.iter().find(|bound| bound.metric == "error").map(|bound| bound.limit)
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(Bound::to_string).collect();
        f.write_str(&texts.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_as_they_are_written() {
        for (text, shown) in [
            ("energy<=0.7", "energy <= 0.7"),
            (" GFLOP/s >= 100 ", "GFLOP/s >= 100.0"),
            ("log10_mre<=-4", "log10_mre <= -4.0"),
            ("error<=1e-8", "error <= 1e-8"),
        ] {
            let bound = text.parse::<Bound>().expect(text);
            assert_eq!(bound.to_string(), shown);
            assert_eq!(shown.parse::<Bound>(), Ok(bound));
        }
        for text in
            ["", "energy", "energy<0.7", "energy=1", "<=1", "energy<=", "energy<=nan", "e<=inf"]
        {
            let fault = text.parse::<Bound>().expect_err(text).to_string();
            assert!(fault.contains("energy<=0.7"), "{fault}");
        }
    }

    #[test]
    fn the_excess_is_in_orders_of_magnitude() {
        let excess = |text: &str, value| text.parse::<Bound>().expect(text).excess(value);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        near(excess("error<=1e-4", 1e-4), 0.0);
        near(excess("error<=1e-4", 1e-2), 2.0);
        near(excess("bandwidth>=100", 1.0), 2.0);
        near(excess("digits>=4", 3.0), 1.0);
        near(excess("log10_mre<=-4", -3.5), 0.5);
        assert!(excess("error<=0", 1e-300) > 0.0 && excess("error<=1", f64::NAN).is_nan());
    }

    #[test]
    fn all_bounds_count_and_missing_values_do_not_pass() {
        let bounds = Bounds(vec![Bound::on_error(1e-4), "energy<=1".parse().expect("a bound")]);
        let read =
            |error, energy| move |metric: &str| if metric == "error" { error } else { energy };
        assert!(bounds.hold(read(Some(1e-5), Some(0.5))));
        assert!(bounds.hold(read(None, Some(0.5))), "there is no reference");
        assert!(!bounds.hold(read(Some(1e-5), None)));
        assert!(
            bounds.excess(read(Some(1e-3), Some(100.0))).is_some_and(|x| (x - 3.0).abs() < 1e-12)
        );
        assert_eq!(bounds.of_error(), Some(1e-4));
        assert_eq!(bounds.to_string(), "error <= 0.0001 and energy <= 1.0");
    }
}
