//! Settings of the search for the knee.

use std::collections::BTreeMap;

use registry::parse_knob;
use serde::{Deserialize, Serialize};

use super::SettingFault;

/// Settings of the detectors, and of how they see the curve.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct KneeSettings {
    /// Knobs of the detectors, and of when a knee is accepted, by name.
    pub knobs: BTreeMap<String, String>,
    /// Whether detectors get the raw points of the curve.
    pub raw_curve: bool,
    /// Names of the detectors that must confirm the first one's knee.
    pub confirm_by: Vec<String>,
}

impl KneeSettings {
    /// Refuses a detector that should confirm its own knee, and a detector that is named twice.
    ///
    /// # Errors
    /// The name, and what to do.
    pub fn check(&self, first: Option<&String>) -> Result<(), SettingFault> {
        for (at, name) in self.confirm_by.iter().enumerate() {
            if Some(name) == first {
                return Err(SettingFault(format!(
                    "`{name}` cannot confirm its own knee; name another detector in --confirm-by"
                )));
            }
            if self.confirm_by[..at].contains(name) {
                return Err(SettingFault(format!(
                    "`{name}` stands twice in --confirm-by; name every detector once"
                )));
            }
        }
        Ok(())
    }
}

/// Key of `raw_curve` in records.
const RAW_CURVE: &str = "raw-curve";
/// Key of `confirm_by` in records.
const CONFIRM_BY: &str = "confirm-by";

impl From<BTreeMap<String, String>> for KneeSettings {
    fn from(mut written: BTreeMap<String, String>) -> Self {
        let raw_curve = written.remove(RAW_CURVE).is_some();
        let names = written.remove(CONFIRM_BY).unwrap_or_default();
        let confirm_by =
            names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Self { knobs: written, raw_curve, confirm_by }
    }
}

impl From<KneeSettings> for BTreeMap<String, String> {
    fn from(settings: KneeSettings) -> Self {
        let mut written = settings.knobs;
        if settings.raw_curve {
            written.insert(RAW_CURVE.to_owned(), "true".to_owned());
        }
        if !settings.confirm_by.is_empty() {
            written.insert(CONFIRM_BY.to_owned(), settings.confirm_by.join(","));
        }
        written
    }
}

/// The flags that `run` and `knee` share.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub struct KneeFlags {
    /// Detectors that must confirm the first one's knee, within a step or within the intervals
    /// (repeatable, or a comma list); until they do, sizes go on growing, and the answer stays weak
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    confirm_by: Vec<String>,
    /// A knob of a detector, or of the rule that confirms a knee (repeatable; `autobench list NAME`
    /// shows a detector's knobs, `autobench list knees` all; detectors without the knob ignore it)
    #[arg(long = "detector-knob", value_name = "NAME=VALUE", value_parser = parse_knob)]
    detector_knobs: Vec<(String, String)>,
    /// Short for `--detector-knob sensitivity=S`: how far the curve must fall after a knee of
    /// `kneedle`, in mean steps of x
    #[arg(long, value_name = "S")]
    sensitivity: Option<f64>,
    /// Give detectors the raw points of the curve
    #[arg(long)]
    raw_curve: bool,
}

impl KneeFlags {
    /// The settings of these flags.
    #[must_use]
    pub fn settings(&self) -> KneeSettings {
        let short = self.sensitivity.map(|s| ("sensitivity".to_owned(), s.to_string()));
        let knobs = short.into_iter().chain(self.detector_knobs.iter().cloned()).collect();
        let confirm_by = self.confirm_by.iter().map(|name| name.trim().to_owned()).collect();
        KneeSettings { knobs, raw_curve: self.raw_curve, confirm_by }
    }
}
