//! A user's choices for a study: one tree, read from flags by clap and from records by serde, with
//! all defaults. It suffices to repeat a study, and holds nothing observed while one ran.
//! Strategies, detectors, metrics and benchmarks are names here: the rooms that own them look them
//! up when the study's plan is made.

mod bound;
mod budget;
mod device;
mod fixed_or_auto;
mod knee;
mod measuring;
mod objective;
mod order;
mod size_text;
mod sizes;
mod tag;

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use space::accuracy::Penalty;

pub use bound::{Bound, BoundError, Bounds, Side};
pub use budget::BudgetSettings;
pub use device::{DeviceChoiceError, DeviceSpec, Ordinals};
pub use fixed_or_auto::FixedOrAuto;
pub use knee::{KneeFlags, KneeSettings};
pub use measuring::{CacheState, MeasuringSettings, Verification};
pub use objective::{Objective, Sense};
pub use order::Order;
pub use size_text::{parse_bytes, parse_size, parse_sizes};
pub use sizes::{LADDER_FACTOR, MIN_RUN_SECONDS, SizeSettings};
pub use tag::parse_tag;

/// What is asked of a benchmark on a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Grow the size until a knee is found, tuning at every size.
    #[default]
    Saturate,
    /// Tune one size.
    Tune,
}

/// Strategy that searches a size.
pub const DEFAULT_STRATEGY: &str = "default";
/// Detector that decides on the knee.
pub const DEFAULT_DETECTOR: &str = "kneedle";
/// Seed of a study.
pub const DEFAULT_SEED: u64 = 42;

/// A setting that makes no sense: which, and what would.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingFault(String);

/// What a study of sizes can do without.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub struct Without {
    /// Do not measure further sizes around the knee
    #[arg(long = "no-refine")]
    #[serde(rename = "no_refine", skip_serializing_if = "is_wanted")]
    pub refinement: bool,
    /// Do not start a size's search from the best of the sizes before, nor learn from what they tried
    #[arg(long = "no-warm-start")]
    #[serde(rename = "no_warm_start", skip_serializing_if = "is_wanted")]
    pub warm_start: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_wanted(left_out: &bool) -> bool {
    !left_out
}

/// Everything needed to repeat a study. Missing fields take their defaults, so that records of
/// older versions can be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudySettings {
    /// Find a knee, or tune one size.
    pub goal: Goal,
    /// Path of the benchmark's library or document.
    pub benchmark: String,
    /// The stage of the benchmark that is tuned by itself; all of it if empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stage: String,
    /// SHA-256 of the benchmark's document, in hex.
    pub document_hash: String,
    /// What is measured on.
    pub device: DeviceSpec,
    /// Names of the detectors; the first one decides. Empty when one size is tuned.
    pub detectors: Vec<String>,
    /// How the knee is found.
    #[serde(rename = "detector_options")]
    pub knee: KneeSettings,
    /// Name of the strategy.
    pub strategy: String,
    /// Text of the script that the strategy is; empty if it is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub script: String,
    /// Knobs of the strategy, by name.
    pub knobs: BTreeMap<String, String>,
    /// What it tunes first.
    #[serde(skip_serializing_if = "Order::is_unified")]
    pub order: Order,
    /// Seed of all randomness and all inputs.
    pub seed: u64,
    /// What ends the search.
    pub budget: BudgetSettings,
    /// The first objective.
    pub objective: Objective,
    /// Further objectives; with any, a front is sought.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_objectives: Vec<Objective>,
    /// Bound on the error in place of the benchmark's own.
    pub max_error: Option<f64>,
    /// Name of that bound, if it is one of the benchmark's levels.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub max_error_level: String,
    /// Further bounds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Bound>,
    /// Bounds on the error whose best configurations are named besides: levels of the benchmark's,
    /// or numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<String>,
    /// How values beyond their bounds steer the search.
    pub penalty: Penalty,
    /// Which sizes are visited.
    pub sizes: SizeSettings,
    /// State of the caches before every sample.
    pub caches: CacheState,
    /// Narrowed parameters, `NAME=a,b` as given.
    pub parameters: Vec<String>,
    /// Restrictions added to the benchmark's own.
    pub restrictions: Vec<String>,
    /// Controls, `NAME=a,b` as given: clocks and limits of power that are parameters of the study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<String>,
    /// How much of an output is checked.
    pub verification: Verification,
    /// Most bytes that the whole study may take.
    pub memory_limit: Option<u64>,
    /// How configurations are sampled.
    #[serde(deserialize_with = "null_is_default")]
    pub measuring: MeasuringSettings,
    /// Recorded spaces and studies that the search learns from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learn_from: Vec<PathBuf>,
    /// What is left out.
    #[serde(rename = "more")]
    pub without: Without,
    /// Words by which the study is found again; they change nothing else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// The first versions wrote null where nothing was chosen.
fn null_is_default<'de, D: serde::Deserializer<'de>, T: Default + Deserialize<'de>>(
    reader: D,
) -> Result<T, D::Error> {
    Option::deserialize(reader).map(Option::unwrap_or_default)
}

impl StudySettings {
    /// What `autobench run BENCHMARK` asks without flags: the knee on this processor.
    #[must_use]
    pub fn saturate(benchmark: &str) -> Self {
        let detectors = vec![DEFAULT_DETECTOR.to_owned()];
        Self { detectors, ..Self::plain(Goal::Saturate, benchmark) }
    }

    /// What `autobench tune BENCHMARK --size N` asks without flags: the best of one size on this processor.
    #[must_use]
    pub fn tune(benchmark: &str, size: u64) -> Self {
        Self { sizes: SizeSettings::only(Some(size)), ..Self::plain(Goal::Tune, benchmark) }
    }

    fn plain(goal: Goal, benchmark: &str) -> Self {
        let device = DeviceSpec::default();
        Self {
            goal,
            benchmark: benchmark.to_owned(),
            strategy: DEFAULT_STRATEGY.to_owned(),
            seed: DEFAULT_SEED,
            budget: BudgetSettings::default().resolved(goal, &device),
            objective: Objective::asked(""),
            device,
            ..Self::default()
        }
    }

    /// All objectives, the first one first.
    pub fn objectives(&self) -> impl Iterator<Item = &Objective> {
        std::iter::once(&self.objective).chain(&self.further_objectives)
    }

    /// Whether there are several objectives.
    #[must_use]
    pub fn seeks_front(&self) -> bool {
        !self.further_objectives.is_empty()
    }

    /// What reported configurations must keep to, if this is the subject's own bound on the error.
    /// It does not count where the error is one of several objectives, since the front shows what
    /// accuracy costs, unless the user named a bound.
    #[must_use]
    pub fn all_bounds(&self, own: Option<f64>) -> Bounds {
        let is_error = |metric: &str| matches!(metric, "error" | "log10_error" | "digits");
        let weighs_error = || self.objectives().any(|objective| is_error(&objective.metric));
        let given = |bound: &Bound| bound.metric == "error" && bound.side == Side::AtMost;
        let own = own.filter(|_| !(self.seeks_front() && weighs_error()));
        let own = own.filter(|_| !self.bounds.iter().any(given));
        let of_error = self.max_error.or(own).map(Bound::on_error);
        Bounds(of_error.into_iter().chain(self.bounds.iter().cloned()).collect())
    }

    /// Refuses settings that make no sense, from flags and records alike.
    pub fn check(&self) -> Result<(), SettingFault> {
        self.budget.check()?;
        self.measuring.check()?;
        positive("alpha", self.penalty.alpha)?;
        positive("beta", self.penalty.beta)?;
        self.sizes.check()
    }
}

/// Most seconds, or largest share.
const MOST: f64 = 1e9;

fn positive(flag: &str, value: f64) -> Result<(), SettingFault> {
    match value {
        _ if !(value > 0.0 && value.is_finite()) => {
            Err(SettingFault(format!("--{flag} is a number above 0, not {value}")))
        }
        _ if value > MOST => {
            Err(SettingFault(format!("--{flag} is at most {MOST:e}, not {value:e}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;

    fn without_flags<T: Args + FromArgMatches>() -> T {
        let command = T::augment_args(clap::Command::new("x"));
        T::from_arg_matches(&command.get_matches_from(["x"])).expect("no flag is needed")
    }

    #[test]
    fn no_flags_mean_the_defaults() {
        assert_eq!(without_flags::<BudgetSettings>(), BudgetSettings::default());
        assert_eq!(without_flags::<MeasuringSettings>(), MeasuringSettings::default());
        assert_eq!(without_flags::<Penalty>(), Penalty::default());
        assert_eq!(without_flags::<SizeSettings>(), SizeSettings::default());
        assert_eq!(without_flags::<Without>(), Without::default());
    }

    #[test]
    fn what_was_written_is_read_back_and_what_is_missing_is_the_default() {
        let written = serde_json::to_value(StudySettings::default()).expect("it is written");
        for text in [written.to_string(), "{}".to_owned(), r#"{"measuring":null}"#.to_owned()] {
            let read: StudySettings = serde_json::from_str(&text).expect("it is read");
            assert_eq!(read, StudySettings::default(), "{text}");
        }
        let old = r#"{"more":{"no_refine":true},"penalty":{"kind":"hard","beta":2.0}}"#;
        let read: StudySettings = serde_json::from_str(old).expect("it is read");
        assert!(read.without.refinement && !read.without.warm_start);
        assert_eq!(
            serde_json::json!(read.penalty),
            serde_json::json!({"kind": "hard", "alpha": 1.0, "beta": 2.0})
        );
        for wrong in [r#"{"verification":"smapled"}"#, r#"{"penalty":{"kind":"soft"}}"#] {
            assert!(serde_json::from_str::<StudySettings>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_whoever_wrote_it() {
        for wrong in [
            r#"{"budget":{"evaluations":0}}"#,
            r#"{"budget":{"seconds":-1}}"#,
            r#"{"measuring":{"samples":0}}"#,
            r#"{"measuring":{"trial_timeout":1e20}}"#,
            r#"{"penalty":{"beta":0}}"#,
            r#"{"sizes":{"factor":1}}"#,
            r#"{"sizes":{"min_run_seconds":-1}}"#,
            r#"{"sizes":{"memory_share":2}}"#,
            r#"{"sizes":{"start":5,"largest":4}}"#,
        ] {
            let read: StudySettings = serde_json::from_str(wrong).expect("it is read");
            assert!(read.check().is_err(), "{wrong}");
        }
        assert_eq!(StudySettings::default().check(), Ok(()));
    }
}
