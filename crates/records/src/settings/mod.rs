//! A user's choices for a study: one tree with all defaults, read from flags by clap and from
//! records by serde. The settings are enough to repeat a study, and hold nothing that a study
//! observed. Strategies, detectors, metrics and benchmarks are only names here; they are looked up
//! when the study's plan is made.

mod bound;
mod budget;
mod device;
mod fixed_or_auto;
mod knee;
mod measuring;
mod objective;
mod order;
mod policy;
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
pub use policy::{MeasuringPolicy, PolicyField, parse_policy};
pub use size_text::{parse_bytes, parse_seconds, parse_size, parse_sizes};
pub use sizes::{LADDER_FACTOR, MIN_RUN_SECONDS, SizeSettings};
pub use tag::parse_tag;

/// What a study of a benchmark on a device looks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Grow the size until a knee is found, tuning at every size.
    #[default]
    Saturate,
    /// Tune one size.
    Tune,
}

/// Default strategy for searching a size.
pub const DEFAULT_STRATEGY: &str = "default";
/// Default detector of the knee.
pub const DEFAULT_DETECTOR: &str = "kneedle";
/// Default seed of a study.
pub const DEFAULT_SEED: u64 = 42;

/// A setting that makes no sense; the text says what would.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingFault(String);

/// Optional parts of a study that can be switched off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub struct Without {
    /// Do not measure further sizes around the knee
    #[arg(long = "no-refine")]
    #[serde(rename = "no_refine", skip_serializing_if = "is_wanted")]
    pub refinement: bool,
    /// Do not start a size's search from the best configurations of earlier sizes, and do not learn
    /// from their trials
    #[arg(long = "no-warm-start")]
    #[serde(rename = "no_warm_start", skip_serializing_if = "is_wanted")]
    pub warm_start: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_wanted(left_out: &bool) -> bool {
    !left_out
}

/// Everything that is needed to repeat a study. Missing fields take their defaults, so that records
/// of older versions can be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudySettings {
    /// Find a knee, or tune one size.
    pub goal: Goal,
    /// Path of the benchmark's library or document.
    pub benchmark: String,
    /// The stage of the benchmark that is tuned alone; empty to tune the whole benchmark.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stage: String,
    /// SHA-256 of the benchmark's document, in hex.
    pub document_hash: String,
    /// The device, or a recorded space.
    pub device: DeviceSpec,
    /// Names of the detectors; the first one decides. Empty for `tune`.
    pub detectors: Vec<String>,
    /// Settings of the search for the knee.
    #[serde(rename = "detector_options")]
    pub knee: KneeSettings,
    /// Name of the strategy.
    pub strategy: String,
    /// Text of the strategy's script; empty if the strategy is built in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub script: String,
    /// Knobs of the strategy, by name.
    pub knobs: BTreeMap<String, String>,
    /// The order in which kinds of parameters are tuned.
    #[serde(skip_serializing_if = "Order::is_unified")]
    pub order: Order,
    /// Seed of all randomness, and of all inputs.
    pub seed: u64,
    /// Limits of the search.
    pub budget: BudgetSettings,
    /// The first objective.
    pub objective: Objective,
    /// Further objectives. If there are any, the search looks for a front.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_objectives: Vec<Objective>,
    /// Bound on the error that replaces the benchmark's own.
    pub max_error: Option<f64>,
    /// Name of `max_error`, if it is one of the benchmark's levels.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub max_error_level: String,
    /// Further bounds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Bound>,
    /// Further bounds on the error, each with its best configuration in the answer: the benchmark's
    /// levels, or numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<String>,
    /// Metrics that every configuration shall have, if the device observes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub observe: Vec<String>,
    /// Outputs of the best configuration that are kept in the study's folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep_outputs: Vec<String>,
    /// How values beyond their bounds affect the search.
    pub penalty: Penalty,
    /// Which sizes are visited.
    pub sizes: SizeSettings,
    /// State of the caches before every sample.
    pub caches: CacheState,
    /// Parameters with fewer values, as given: `NAME=a,b`.
    pub parameters: Vec<String>,
    /// Restrictions added to the benchmark's own.
    pub restrictions: Vec<String>,
    /// Clocks and power limits that are parameters of the study, as given: `NAME=a,b`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<String>,
    /// How much of an output is checked.
    pub verification: Verification,
    /// Largest number of bytes that the whole study may use.
    pub memory_limit: Option<u64>,
    /// How configurations are sampled.
    #[serde(deserialize_with = "null_is_default")]
    pub measuring: MeasuringSettings,
    /// How the study divides its time, and when it has seen enough.
    pub policy: MeasuringPolicy,
    /// Recorded spaces and studies that the search learns from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learn_from: Vec<PathBuf>,
    /// Optional parts that are switched off.
    #[serde(rename = "more")]
    pub without: Without,
    /// Words by which a user finds the study again; they have no other effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// The first versions wrote null for a default.
fn null_is_default<'de, D: serde::Deserializer<'de>, T: Default + Deserialize<'de>>(
    reader: D,
) -> Result<T, D::Error> {
    Option::deserialize(reader).map(Option::unwrap_or_default)
}

impl StudySettings {
    /// Settings of `autobench run BENCHMARK` without flags: find the knee on this processor.
    #[must_use]
    pub fn saturate(benchmark: &str) -> Self {
        let detectors = vec![DEFAULT_DETECTOR.to_owned()];
        Self { detectors, ..Self::plain(Goal::Saturate, benchmark) }
    }

    /// Settings of `autobench tune BENCHMARK --size N` without flags: find the best configuration
    /// of one size on this processor.
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

    /// All objectives, starting with the first.
    pub fn objectives(&self) -> impl Iterator<Item = &Objective> {
        std::iter::once(&self.objective).chain(&self.further_objectives)
    }

    /// Whether there are several objectives.
    #[must_use]
    pub fn seeks_front(&self) -> bool {
        !self.further_objectives.is_empty()
    }

    /// Bounds that reported configurations must keep; `own` is the bound on the error of the
    /// benchmark. If the error is one of several objectives, `own` does not apply: the front shows
    /// the price of accuracy. Bounds of the user always apply.
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

    /// Refuses settings that make no sense, from flags and from records.
    pub fn check(&self) -> Result<(), SettingFault> {
        self.budget.check()?;
        self.measuring.check()?;
        self.policy.check()?;
        if self.policy.mean > 0.0 && self.policy.rounds > 0.0 {
            let why = "rounds give medians: with mean=1, set rounds=0 too";
            return Err(SettingFault(why.to_owned()));
        }
        positive("alpha", self.penalty.alpha)?;
        positive("beta", self.penalty.beta)?;
        self.sizes.check()
    }
}

/// Largest number of seconds, and largest share.
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
