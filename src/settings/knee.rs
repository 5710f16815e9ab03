//! How the knee is found.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::registry::parse_knob;

/// Settings of the detectors and of their view of the curve.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct KneeSettings {
    /// Knobs of the detectors and of the acceptance of a knee, by name.
    pub knobs: BTreeMap<String, String>,
    /// Whether detectors see the points without preparation.
    pub raw_curve: bool,
}

/// Key of `raw_curve` in records.
const RAW_CURVE: &str = "raw-curve";

impl From<BTreeMap<String, String>> for KneeSettings {
    fn from(mut written: BTreeMap<String, String>) -> Self {
        let raw_curve = written.remove(RAW_CURVE).is_some();
        Self { knobs: written, raw_curve }
    }
}

impl From<KneeSettings> for BTreeMap<String, String> {
    fn from(settings: KneeSettings) -> Self {
        let mut written = settings.knobs;
        if settings.raw_curve {
            written.insert(RAW_CURVE.to_owned(), "true".to_owned());
        }
        written
    }
}

/// The flags that `run` and `knee` share.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub struct KneeFlags {
    /// A knob of the detectors, or of when a knee is confirmed (repeatable; `autobench list NAME` shows a
    /// detector's, `autobench list knees` all; a detector without the knob ignores it)
    #[arg(long = "detector-knob", value_name = "NAME=VALUE", value_parser = parse_knob)]
    detector_knobs: Vec<(String, String)>,
    /// Short for `--detector-knob sensitivity=S`: how clear a fall must follow a knee of `kneedle`, in
    /// mean steps of x
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    sensitivity: Option<f64>,
    /// Show detectors the points as they are, without preparation
    #[arg(long)]
    raw_curve: bool,
}

impl KneeFlags {
    /// The settings of these flags.
    #[must_use]
    pub fn settings(&self) -> KneeSettings {
        let short = self.sensitivity.map(|s| ("sensitivity".to_owned(), s.to_string()));
        let knobs = short.into_iter().chain(self.detector_knobs.iter().cloned()).collect();
        KneeSettings { knobs, raw_curve: self.raw_curve }
    }
}
