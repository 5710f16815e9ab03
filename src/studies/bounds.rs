//! Flags that bound the reported configurations, for all commands that search.

use std::convert::Infallible;

use clap::Args;
use records::settings::{Bound, StudySettings};
use space::accuracy::Penalty;

/// Bounds, and the penalty of configurations beyond them in a search.
#[derive(Debug, Clone, Default, Args)]
pub struct BoundArgs {
    /// The largest error allowed: a number, `high`, `medium` or `low`
    ///
    /// The words are levels of the benchmark. No configuration with a larger error is reported.
    #[arg(long, value_name = "E")]
    max_error: Option<MaxError>,
    /// The largest error allowed, as correct decimal digits: `--digits 4` is `--max-error 1e-4`
    #[arg(long, value_name = "N", conflicts_with = "max_error", value_parser = digits)]
    digits: Option<f64>,
    /// A further bound on reported configurations: `energy<=0.7`, `bandwidth>=100`, `mre<=1e-3`,
    /// `log10_max_of_c<=-4` (repeatable)
    #[arg(long = "bound", value_name = "METRIC<=X")]
    bounds: Vec<Bound>,
    #[command(flatten)]
    penalty: Penalty,
}

/// A bound on the error.
#[derive(Debug, Clone, PartialEq)]
enum MaxError {
    Value(f64),
    /// A level that the benchmark names.
    Level(String),
}

impl std::str::FromStr for MaxError {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::Level(text.to_owned()), Self::Value))
    }
}

fn digits(text: &str) -> Result<f64, String> {
    let digits = text.parse::<f64>().ok().filter(|digits| (0.0..=20.0).contains(digits));
    digits.ok_or_else(|| "a number of digits from 0 to 20".to_owned())
}

impl BoundArgs {
    /// Whether any bound is given.
    pub fn any(&self) -> bool {
        self.max_error.is_some() || self.digits.is_some() || !self.bounds.is_empty()
    }

    /// Copies the bounds into settings.
    pub fn apply(&self, settings: &mut StudySettings) {
        match &self.max_error {
            Some(MaxError::Value(bound)) => settings.max_error = Some(*bound),
            Some(MaxError::Level(name)) => settings.max_error_level.clone_from(name),
            None => settings.max_error = self.digits.map(|digits| 10f64.powf(-digits)),
        }
        settings.bounds.clone_from(&self.bounds);
        settings.penalty = self.penalty;
    }
}
