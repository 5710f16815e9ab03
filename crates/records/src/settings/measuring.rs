//! How configurations are sampled and checked.

use std::time::Duration;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::{SettingFault, positive};

/// The state of the caches before every sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheState {
    /// Cold: data is in memory, by rotation over copies or by flushing.
    #[default]
    Cold,
    /// Hot: caches are as the previous run left them.
    Hot,
}

/// How much of an output is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// Only that everything was written and is a number
    Off,
    /// Small outputs whole, large ones at their edges and a random sample
    #[default]
    Sampled,
    /// As much as the reference can give
    Thorough,
}

/// How configurations are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub struct MeasuringSettings {
    /// Half the width of the interval, relative to the median, at which sampling stops; for `tune`
    /// also that at which its rounds stop
    #[arg(long, default_value_t = Self::default().precision, value_name = "SHARE")]
    pub precision: f64,
    /// Kill a trial after this long, compiling apart
    #[arg(long, default_value_t = Self::default().trial_timeout, value_name = "SECONDS")]
    pub trial_timeout: f64,
    /// Most samples of a configuration; with 1, configurations are checked and hardly timed
    #[arg(long, default_value_t = Self::default().samples, value_name = "N")]
    pub samples: u32,
    /// Seconds of kernel time that a configuration is sampled for at least, if its share of --time
    /// and its --samples allow
    #[arg(long, default_value_t = Self::default().min_time, value_name = "SECONDS")]
    pub min_time: f64,
}

impl Default for MeasuringSettings {
    fn default() -> Self {
        Self { precision: 0.01, trial_timeout: 30.0, samples: 256, min_time: 0.005 }
    }
}

/// Longest time limit of a trial, whatever a record holds.
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
