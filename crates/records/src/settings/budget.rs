//! What ends the search.

use serde::{Deserialize, Serialize};

use super::{DeviceSpec, Goal, SettingFault, positive};

/// What ends the search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub struct BudgetSettings {
    /// Evaluations per size [default: 24]
    #[arg(long = "budget", value_name = "N")]
    pub evaluations: Option<u64>,
    /// Seconds of compiling, checking and measuring in all [default: 50]
    ///
    /// Without it there is no limit for a recorded space, nor where `tune` is given a --budget.
    #[arg(long = "time", value_name = "SECONDS")]
    pub seconds: Option<f64>,
    /// Further seconds of rounds of `run` at most, while others slow the machine's memory down [default: 60, or 0
    /// where --time is given]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overtime: Option<f64>,
}

/// Default evaluations of a size.
const EVALUATIONS: u64 = 24;
/// Default seconds of a study.
const SECONDS: f64 = 50.0;
/// Default seconds beyond these. On a virtual machine whose memory others used for three quarters of the time, it was
/// left alone for ten seconds once or twice in two minutes.
const OVERTIME: f64 = 60.0;

impl BudgetSettings {
    /// Fills in defaults. Evaluations named for one size are not cut short by seconds, nor is a
    /// recorded space, whose seconds are not spent.
    #[must_use]
    pub fn resolved(self, goal: Goal, device: &DeviceSpec) -> Self {
        let counted = goal == Goal::Tune && self.evaluations.is_some();
        let unlimited = counted || device.recorded().is_some();
        let waits = goal == Goal::Saturate && !unlimited && self.seconds.is_none();
        Self {
            evaluations: self.evaluations.or(Some(EVALUATIONS)),
            seconds: self.seconds.or((!unlimited).then_some(SECONDS)),
            overtime: self.overtime.or(waits.then_some(OVERTIME)),
        }
    }

    /// Seconds of a study at most, overtime included, if there is a limit.
    #[must_use]
    pub fn most_seconds(self) -> Option<f64> {
        Some(self.seconds? + self.overtime.unwrap_or_default())
    }

    pub(super) fn check(self) -> Result<(), SettingFault> {
        if self.evaluations == Some(0) {
            return Err(SettingFault("--budget is a number of evaluations from 1".to_owned()));
        }
        if self.overtime.is_some_and(|seconds| !(seconds >= 0.0 && seconds.is_finite())) {
            return Err(SettingFault("--overtime is a number of seconds from 0".to_owned()));
        }
        self.seconds.map_or(Ok(()), |seconds| positive("time", seconds))
    }
}
