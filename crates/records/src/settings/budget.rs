//! Limits of a search.

use serde::{Deserialize, Serialize};

use super::{DeviceSpec, Goal, SettingFault, parse_seconds, positive};

/// Limits of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub struct BudgetSettings {
    /// Evaluations per size [default: 24]
    #[arg(long = "budget", value_name = "N")]
    pub evaluations: Option<u64>,
    /// Seconds of compiling, checking and measuring in all [default: 50]
    ///
    /// The default does not limit recorded spaces, nor `tune` with --budget.
    #[arg(long = "time", value_name = "SECONDS", value_parser = parse_seconds)]
    pub seconds: Option<f64>,
}

/// Default evaluations of a size.
const EVALUATIONS: u64 = 24;
/// Default seconds of a study.
const SECONDS: f64 = 50.0;
impl BudgetSettings {
    /// Fills in defaults. There is no default time limit for recorded spaces, nor for `tune` with a
    /// number of evaluations.
    #[must_use]
    pub fn resolved(self, goal: Goal, device: &DeviceSpec) -> Self {
        let counted = goal == Goal::Tune && self.evaluations.is_some();
        let unlimited = counted || device.recorded().is_some();
        Self {
            evaluations: self.evaluations.or(Some(EVALUATIONS)),
            seconds: self.seconds.or((!unlimited).then_some(SECONDS)),
        }
    }

    pub(super) fn check(self) -> Result<(), SettingFault> {
        if self.evaluations == Some(0) {
            return Err(SettingFault("--budget is a number of evaluations from 1".to_owned()));
        }
        self.seconds.map_or(Ok(()), |seconds| positive("time", seconds))
    }
}
