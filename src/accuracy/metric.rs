//! Error metrics of a whole output against its reference, in f64.
//! `x` is the kernel's output, `r` the reference, and `ε` = 10⁻⁸ keeps quotients and logarithms
//! finite. A NaN or an infinity anywhere makes the error not finite, which never passes a bound.

use std::{fmt, str::FromStr};

const EPSILON: f64 = 1e-8;

/// An error metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorMetric {
    /// mean (x − r)².
    Mse,
    /// √ mean (x − r)².
    Rmse,
    /// √ (mean (x − r)² / mean r²).
    Nrmse,
    /// √ mean ((x − r) / (|r| + ε))².
    Rmsre,
    /// √ mean (log₁₀(|x| + ε) − log₁₀(|r| + ε))².
    Rmsle,
    /// mean |x − r|.
    Mae,
    /// mean |x − r| / mean |r|.
    Nmae,
    /// mean |x − r| / (|r| + ε).
    Mre,
    /// mean |log₁₀(|x| + ε) − log₁₀(|r| + ε)|.
    Male,
    /// max |x − r|.
    Max,
    /// max |x − r| / (|r| + ε).
    MaxRelative,
}

impl ErrorMetric {
    /// All metrics with their names in documents and flags.
    pub const ALL: [(&'static str, Self); 11] = [
        ("mse", Self::Mse),
        ("rmse", Self::Rmse),
        ("nrmse", Self::Nrmse),
        ("rmsre", Self::Rmsre),
        ("rmsle", Self::Rmsle),
        ("mae", Self::Mae),
        ("nmae", Self::Nmae),
        ("mre", Self::Mre),
        ("male", Self::Male),
        ("max", Self::Max),
        ("max_relative", Self::MaxRelative),
    ];

    /// Name in documents and flags.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, metric)| *metric == self).map_or("", |(name, _)| name)
    }

    /// Error of `found`: 0 for empty slices, NaN if the lengths differ. O(n).
    #[must_use]
    pub fn of(self, found: &[f64], reference: &[f64]) -> f64 {
        if found.len() != reference.len() {
            return f64::NAN;
        }
        if found.is_empty() {
            return 0.0;
        }
        let pairs = || found.iter().zip(reference).map(|(x, r)| (*x, *r));
        let absolute = |(x, r): (f64, f64)| (x - r).abs();
        let relative = |(x, r): (f64, f64)| (x - r).abs() / (r.abs() + EPSILON);
        let digits =
            |(x, r): (f64, f64)| ((x.abs() + EPSILON).log10() - (r.abs() + EPSILON).log10()).abs();
        let mean =
            |term: &dyn Fn((f64, f64)) -> f64| pairs().map(term).sum::<f64>() / found.len() as f64;
        match self {
            Self::Mse => mean(&|p| absolute(p).powi(2)),
            Self::Rmse => mean(&|p| absolute(p).powi(2)).sqrt(),
            Self::Nrmse => share(mean(&|p| absolute(p).powi(2)), mean(&|(_, r)| r * r)).sqrt(),
            Self::Rmsre => mean(&|p| relative(p).powi(2)).sqrt(),
            Self::Rmsle => mean(&|p| digits(p).powi(2)).sqrt(),
            Self::Mae => mean(&absolute),
            Self::Nmae => share(mean(&absolute), mean(&|(_, r)| r.abs())),
            Self::Mre => mean(&relative),
            Self::Male => mean(&digits),
            Self::Max => largest(pairs().map(absolute)),
            Self::MaxRelative => largest(pairs().map(relative)),
        }
    }
}

/// `error / scale`, where 0 / 0 is 0: a correct result of zeros has no error.
fn share(error: f64, scale: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error / scale }
}

/// The largest value; NaN if any is.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, value| if value.is_nan() || value > most { value } else { most })
}

/// The element that is furthest from its reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// Position in the compared slices.
    pub at: usize,
    /// What the kernel wrote.
    pub found: f64,
    /// The reference's value.
    pub expected: f64,
}

/// The element furthest from its reference; a NaN is furthest. `None` when all are equal. O(n).
#[must_use]
pub fn worst_element(found: &[f64], reference: &[f64]) -> Option<Worst> {
    let mut worst: Option<(f64, Worst)> = None;
    for (at, (&x, &r)) in found.iter().zip(reference).enumerate() {
        let distance = if x.is_nan() { f64::INFINITY } else { (x - r).abs() };
        if distance > worst.map_or(0.0, |(most, _)| most) {
            worst = Some((distance, Worst { at, found: x, expected: r }));
        }
    }
    worst.map(|(_, element)| element)
}

impl fmt::Display for ErrorMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No error metric has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no error metric named `{0}` (known: mse, rmse, nrmse, rmsre, rmsle, mae, nmae, mre, male, max, max_relative)"
)]
pub struct UnknownMetric(String);

impl FromStr for ErrorMetric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, metric)| *metric)
            .ok_or_else(|| UnknownMetric(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-9), "{a} is not {b}");
    }

    #[test]
    fn metrics_follow_their_definitions() {
        let found = [1.0, 2.5, 3.0, 8.0];
        let reference = [1.0, 2.0, 4.0, 8.0];
        close(ErrorMetric::Mse.of(&found, &reference), 1.25 / 4.0);
        close(ErrorMetric::Rmse.of(&found, &reference), (1.25f64 / 4.0).sqrt());
        close(ErrorMetric::Nrmse.of(&found, &reference), (1.25f64 / 85.0).sqrt());
        close(ErrorMetric::Mae.of(&found, &reference), 1.5 / 4.0);
        close(ErrorMetric::Nmae.of(&found, &reference), 1.5 / 15.0);
        close(ErrorMetric::Max.of(&found, &reference), 1.0);
        let mre = (0.5 / (2.0 + EPSILON) + 1.0 / (4.0 + EPSILON)) / 4.0;
        close(ErrorMetric::Mre.of(&found, &reference), mre);
        close(ErrorMetric::MaxRelative.of(&found, &reference), 0.25 / (1.0 + EPSILON / 4.0));
        let logs = [1.25f64.log10(), 0.75f64.log10().abs()];
        assert!(
            (ErrorMetric::Male.of(&found, &reference) - logs.iter().sum::<f64>() / 4.0).abs()
                < 1e-8
        );
    }

    #[test]
    fn equal_results_have_no_error_even_when_all_are_zero() {
        for (name, metric) in ErrorMetric::ALL {
            assert!(metric.of(&[0.0, 0.0], &[0.0, 0.0]) == 0.0, "{name}");
            assert!(metric.of(&[3.0], &[3.0]) == 0.0, "{name}");
            assert!(metric.of(&[], &[]) == 0.0, "{name}");
        }
    }

    #[test]
    fn a_nan_or_an_infinity_passes_no_bound() {
        for (name, metric) in ErrorMetric::ALL {
            for bad in [f64::NAN, f64::INFINITY] {
                let error = metric.of(&[1.0, bad, 1.0], &[1.0, 1.0, 1.0]);
                assert!(!error.is_finite(), "{name} of {bad} is {error}");
            }
            assert!(metric.of(&[1.0], &[]).is_nan(), "{name}");
        }
    }

    #[test]
    fn a_wrong_result_where_zeros_belong_is_not_excused() {
        assert!(ErrorMetric::Nrmse.of(&[1.0], &[0.0]) == f64::INFINITY);
    }

    #[test]
    fn the_worst_element_is_named() {
        let worst = worst_element(&[1.0, 2.0, 9.0], &[1.0, 2.5, 3.0]).expect("one differs");
        assert_eq!((worst.at, worst.found, worst.expected), (2, 9.0, 3.0));
        assert_eq!(worst_element(&[f64::NAN, 9.0], &[1.0, 3.0]).map(|w| w.at), Some(0));
        assert_eq!(worst_element(&[1.0], &[1.0]), None);
    }

    #[test]
    fn names_are_read_back_and_unknown_ones_are_answered() {
        for (name, metric) in ErrorMetric::ALL {
            assert_eq!(name.parse::<ErrorMetric>(), Ok(metric));
            assert_eq!(metric.to_string(), name);
        }
        let text = "rms".parse::<ErrorMetric>().expect_err("unknown").to_string();
        assert!(text.contains("`rms`") && text.contains("nrmse"), "{text}");
    }
}
