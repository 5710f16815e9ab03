//! Error metrics of an output against its reference, in f64.
//! `x` is the kernel's output, `r` the reference, and `ε` = 10⁻⁸ keeps quotients and logarithms
//! finite. A NaN or an infinity anywhere makes the error not finite, which never passes a bound.

use std::{fmt, str::FromStr};

use super::labels;

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
    /// √ mean (x − r)² / |mean r|.
    NrmseByMean,
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
    /// mean |x − r| / |r|, where an exact zero has no error.
    MrePlain,
    /// mean |log₁₀(|x| + ε) − log₁₀(|r| + ε)|.
    Male,
    /// max |x − r|.
    Max,
    /// max |x − r| / (|r| + ε).
    MaxRelative,
    /// 1 − the normalised mutual information of two labellings; label names do not matter.
    NmiLoss,
}

impl ErrorMetric {
    /// All metrics with their names in documents and flags.
    pub const ALL: [(&'static str, Self); 14] = [
        ("mse", Self::Mse),
        ("rmse", Self::Rmse),
        ("nrmse", Self::Nrmse),
        ("nrmse_by_mean", Self::NrmseByMean),
        ("rmsre", Self::Rmsre),
        ("rmsle", Self::Rmsle),
        ("mae", Self::Mae),
        ("nmae", Self::Nmae),
        ("mre", Self::Mre),
        ("mre_plain", Self::MrePlain),
        ("male", Self::Male),
        ("max", Self::Max),
        ("max_relative", Self::MaxRelative),
        ("nmi_loss", Self::NmiLoss),
    ];

    /// Name in documents and flags.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, metric)| *metric == self).map_or("", |(name, _)| name)
    }

    /// All names, for lists.
    #[must_use]
    pub fn names() -> String {
        Self::ALL.map(|(name, _)| name).join(", ")
    }

    /// Whether the metric takes logarithms of every element, which costs more than all other
    /// metrics together.
    #[must_use]
    const fn is_logarithmic(self) -> bool {
        matches!(self, Self::Rmsle | Self::Male)
    }

    /// Name of `1 − error`, for metrics that users know by that quantity.
    #[must_use]
    pub const fn complement(self) -> Option<&'static str> {
        match self {
            Self::NmiLoss => Some("NMI"),
            _ => None,
        }
    }

    /// Error of `found`: 0 for empty slices, NaN if the lengths differ. O(n).
    #[must_use]
    pub fn of(self, found: &[f64], reference: &[f64]) -> f64 {
        Compared::of(found, reference, &[self]).error(self)
    }
}

/// Sums over the elements of an output and its reference, from which every metric follows.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    count: f64,
    absolute: f64,
    squared: f64,
    relative: f64,
    relative_squared: f64,
    plain: f64,
    logarithmic: f64,
    logarithmic_squared: f64,
    most: f64,
    most_relative: f64,
    reference: f64,
    reference_absolute: f64,
    reference_squared: f64,
    labelling: f64,
}

impl Compared {
    /// Sums for `metrics`, and for all cheap metrics, in one pass. Metrics of logarithms and of
    /// labels cost more and are NaN unless `metrics` names them. O(n).
    #[must_use]
    pub fn of(found: &[f64], reference: &[f64], metrics: &[ErrorMetric]) -> Self {
        let mut sums = Self::default();
        if found.len() != reference.len() {
            sums.count = f64::NAN;
            return sums;
        }
        sums.count = found.len() as f64;
        for (x, r) in found.iter().zip(reference) {
            let size = r.abs();
            let absolute = (x - r).abs();
            let relative = absolute / (size + EPSILON);
            sums.absolute += absolute;
            sums.squared += absolute * absolute;
            sums.relative += relative;
            sums.relative_squared += relative * relative;
            sums.plain += if absolute == 0.0 { 0.0 } else { absolute / size };
            sums.most = larger(sums.most, absolute);
            sums.most_relative = larger(sums.most_relative, relative);
            sums.reference += r;
            sums.reference_absolute += size;
            sums.reference_squared += r * r;
        }
        let labels = metrics.contains(&ErrorMetric::NmiLoss);
        sums.labelling = if labels { labels::nmi_loss(found, reference) } else { f64::NAN };
        if metrics.iter().any(|metric| metric.is_logarithmic()) {
            for (x, r) in found.iter().zip(reference) {
                let apart = ((x.abs() + EPSILON).log10() - (r.abs() + EPSILON).log10()).abs();
                sums.logarithmic += apart;
                sums.logarithmic_squared += apart * apart;
            }
        } else if !found.is_empty() {
            (sums.logarithmic, sums.logarithmic_squared) = (f64::NAN, f64::NAN);
        }
        sums
    }

    /// The error by one metric.
    #[must_use]
    pub fn error(&self, metric: ErrorMetric) -> f64 {
        if self.count == 0.0 {
            return 0.0;
        }
        if self.count.is_nan() {
            return f64::NAN;
        }
        let mean = |sum: f64| sum / self.count;
        match metric {
            ErrorMetric::Mse => mean(self.squared),
            ErrorMetric::Rmse => mean(self.squared).sqrt(),
            ErrorMetric::Nrmse => share(self.squared, self.reference_squared).sqrt(),
            ErrorMetric::NrmseByMean => {
                share(mean(self.squared).sqrt(), mean(self.reference).abs())
            }
            ErrorMetric::Rmsre => mean(self.relative_squared).sqrt(),
            ErrorMetric::Rmsle => mean(self.logarithmic_squared).sqrt(),
            ErrorMetric::Mae => mean(self.absolute),
            ErrorMetric::Nmae => share(self.absolute, self.reference_absolute),
            ErrorMetric::Mre => mean(self.relative),
            ErrorMetric::MrePlain => mean(self.plain),
            ErrorMetric::Male => mean(self.logarithmic),
            ErrorMetric::Max => self.most,
            ErrorMetric::MaxRelative => self.most_relative,
            ErrorMetric::NmiLoss => self.labelling,
        }
    }
}

/// `error / scale`, where 0 / 0 is 0: a correct result of all zeros has no error.
fn share(error: f64, scale: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error / scale }
}

/// The larger value; NaN if `value` is NaN.
fn larger(most: f64, value: f64) -> f64 {
    if value > most || value.is_nan() { value } else { most }
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
#[error("no error metric named `{0}` (known: {known})", known = ErrorMetric::names())]
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
        close(ErrorMetric::MrePlain.of(&found, &reference), (0.25 + 0.25) / 4.0);
        let rmse = (1.25f64 / 4.0).sqrt();
        close(ErrorMetric::NrmseByMean.of(&found, &reference), rmse / (15.0 / 4.0));
        close(ErrorMetric::NrmseByMean.of(&[-1.0, -3.0], &[-1.0, -2.0]), 0.5f64.sqrt() / 1.5);
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
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let error = metric.of(&[1.0, bad, 1.0], &[1.0, 1.0, 1.0]);
                assert!(!error.is_finite(), "{name} of {bad} is {error}");
            }
            assert!(metric.of(&[1.0], &[]).is_nan(), "{name}");
        }
    }

    #[test]
    fn a_wrong_result_where_zeros_belong_is_not_excused() {
        assert!(ErrorMetric::Nrmse.of(&[1.0], &[0.0]) == f64::INFINITY);
        assert!(ErrorMetric::MrePlain.of(&[1.0, 0.0], &[0.0, 0.0]) == f64::INFINITY);
        close(ErrorMetric::NrmseByMean.of(&[1.0, -1.0], &[1.0, -2.0]), 0.5f64.sqrt() / 0.5);
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
