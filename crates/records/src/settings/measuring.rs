//! How configurations are sampled and checked.

use std::time::Duration;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::{SettingFault, parse_seconds, positive};

/// State of the caches before every sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheState {
    /// Cold: data is in memory, by rotating over copies or by flushing the caches.
    #[default]
    Cold,
    /// Hot: the caches are as the previous run left them.
    Hot,
}

/// How much of an output is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// Check only that every element was written and is a number
    Off,
    /// Check small outputs whole; of large ones the edges and a random sample
    #[default]
    Sampled,
    /// Check everything that the reference can compute
    Thorough,
}

/// How configurations are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub struct MeasuringSettings {
    /// Stop sampling when half the interval is below this share of the median; `tune` ends its
    /// rounds by the same rule
    #[arg(long, default_value_t = Self::default().precision, value_name = "SHARE")]
    pub precision: f64,
    /// Kill a trial after this many seconds; compiling does not count
    #[arg(long, default_value_t = Self::default().trial_timeout, value_name = "SECONDS", value_parser = parse_seconds)]
    pub trial_timeout: f64,
    /// Most samples per configuration; with 1, configurations are checked but barely timed
    #[arg(long, default_value_t = Self::default().samples, value_name = "N")]
    pub samples: u32,
    /// Sample each configuration for at least this many seconds of kernel time, as far as --time
    /// and --samples allow
    #[arg(long, default_value_t = Self::default().min_time, value_name = "SECONDS", value_parser = parse_seconds)]
    pub min_time: f64,
}

impl Default for MeasuringSettings {
    fn default() -> Self {
        Self { precision: 0.01, trial_timeout: 30.0, samples: 256, min_time: 0.005 }
    }
}

/// Upper limit of a trial's time limit, for records with extreme values.
const LONGEST_TRIAL: Duration = Duration::from_secs(1_000_000_000);

impl MeasuringSettings {
    /// Time limit of a trial.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::try_from_secs_f64(self.trial_timeout)
            .map_or(LONGEST_TRIAL, |timeout| timeout.min(LONGEST_TRIAL))
    }

    pub(super) fn check(&self) -> Result<(), SettingFault> {
        positive("precision", self.precision)?;
        positive("trial-timeout", self.trial_timeout)?;
        positive("min-time", self.min_time)?;
        match self.samples {
            0 => Err(SettingFault("--samples is a number of samples from 1".to_owned())),
            _ => Ok(()),
        }
    }
}
