//! The flags that every command which measures takes, spelled the same everywhere.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Failure;
use crate::{
    records::{
        BudgetSettings, CacheState, Goal, ObjectiveSettings, PenaltySettings, SizeSettings,
        StudySettings,
    },
    scaling::{Schedule, check_factor, size},
};

/// How errors beyond the bound steer the search.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum PenaltyKind {
    /// As if it had failed
    Hard,
    /// In proportion to the orders of magnitude beyond the bound
    Linear,
    /// Exponentially in them
    Decay,
}

/// How much of an output is checked.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Verify {
    /// Only that everything was written and is a number
    Off,
    /// Small outputs whole, large ones at their edges and a random sample
    Sampled,
    /// As much as the reference can give
    Thorough,
}

/// What is measured, on what, and how.
#[derive(Debug, Clone, Args)]
pub(super) struct StudyArgs {
    /// The benchmark: a name, a plugin library or a YAML file
    pub benchmark: Option<String>,
    /// The device: `cpu`, `cuda`, `cuda:1`, several that share the work (`cuda:0,1`, `cuda:all`), or
    /// `replay:FILE` for a recorded space (`autobench inspect` reads the same)
    #[arg(long, default_value = "cpu", value_name = "DEVICE")]
    pub device: String,
    /// The search strategy inside every size
    #[arg(long, default_value = "default", value_name = "NAME")]
    pub strategy: String,
    /// A knob of the strategy (repeatable)
    #[arg(long = "knob", value_name = "NAME=VALUE")]
    pub knobs: Vec<String>,
    /// Evaluations per size [default: 24]
    #[arg(long, value_name = "N")]
    pub budget: Option<u64>,
    /// Seconds of compiling, checking and measuring in all [default: 50; no limit for a recorded
    /// space, or when `tune` is given a --budget]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// What all inputs and all chance are a function of
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// The metric to improve: `seconds`, `energy`, `error`, or one of the benchmark's (by default,
    /// its primary one). Given more than once, the front of all of them is sought, and the first
    /// one decides where one configuration must be named
    #[arg(long = "objective", value_name = "METRIC")]
    pub objectives: Vec<String>,
    /// The largest error a reported configuration may have
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub max_error: Option<f64>,
    /// How errors beyond the bound steer the search
    #[arg(long, value_enum, default_value = "decay")]
    pub penalty: PenaltyKind,
    /// The strength of a linear or decaying penalty
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    pub beta: f64,
    /// Narrow a parameter: `block_size_x=64,128` (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUES")]
    pub parameters: Vec<String>,
    /// A further restriction: `block_size_x * block_size_y <= 256` (repeatable)
    #[arg(long = "restrict", value_name = "EXPR")]
    pub restrictions: Vec<String>,
    /// Change the device: its clock in MHz (`sm_clock=1200,1980`) or its limit of power in W
    /// (`power_limit=400,700`) become parameters of the study (repeatable). It takes the right to do
    /// so; everything is as it was when the program ends, also by a signal
    #[arg(long = "control", value_name = "NAME=VALUES")]
    pub controls: Vec<String>,
    /// Take all samples of the study with hot caches, as the run before left them, instead of cold
    /// ones: from a ring of copies far larger than the last cache, or flushed where there is no
    /// memory for copies
    #[arg(long)]
    pub hot: bool,
    /// How much of every output is checked
    #[arg(long, value_enum, default_value = "sampled")]
    pub verify: Verify,
    /// Half the width of the interval, relative to the median, at which sampling stops; for `tune`
    /// also that at which its rounds stop
    #[arg(long, default_value_t = 0.01, value_name = "SHARE", allow_negative_numbers = true)]
    pub precision: f64,
    /// Most samples of a configuration; with 1, configurations are checked and hardly timed
    #[arg(long, default_value_t = 256, value_name = "N")]
    pub samples: u32,
    /// Seconds of kernel time that a configuration is sampled for at least, if its share of --time
    /// and its --samples allow
    #[arg(long, default_value_t = 0.005, value_name = "SECONDS", allow_negative_numbers = true)]
    pub min_time: f64,
    /// Kill a trial after this long, compiling apart
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS", allow_negative_numbers = true)]
    pub trial_timeout: f64,
    /// Bytes that the worker may take (`4G`, `512Mi`)
    #[arg(long, value_name = "BYTES")]
    pub memory_limit: Option<String>,
    /// Where results go
    #[arg(long, default_value = "out", value_name = "DIR")]
    pub out: PathBuf,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    pub plugin_path: Vec<PathBuf>,
    /// Say what would be done, and stop
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors and, with --json, the result
    #[arg(long, short)]
    pub quiet: bool,
}

/// The budget where none is given: evaluations of a size, seconds of a study.
const EVALUATIONS: u64 = 24;
const SECONDS: f64 = 50.0;
/// No number of seconds or share is larger.
const MOST: f64 = 1e9;

/// Which sizes are visited.
#[derive(Debug, Clone, Args)]
pub(super) struct SizeArgs {
    /// The first size; the benchmark's own if missing
    #[arg(long, value_name = "N")]
    pub start: Option<String>,
    /// Each size is about this many times the one before
    #[arg(long, default_value_t = 1.5, allow_negative_numbers = true)]
    pub factor: f64,
    /// Exactly these sizes: `1000,2000,4000`, `1k..1M*2` or `100..1000+100`
    #[arg(long, value_name = "LIST", conflicts_with_all = ["start", "factor"])]
    pub sizes: Option<String>,
    /// No size is larger than this; what fits the device if missing
    #[arg(long, value_name = "N")]
    pub largest: Option<String>,
    /// The share of the device's free memory that may be used
    #[arg(long, default_value_t = 0.8, value_name = "SHARE", allow_negative_numbers = true)]
    pub memory_share: f64,
    /// No knee is accepted before a run takes this long
    #[arg(long, default_value_t = 1.0, value_name = "MS", allow_negative_numbers = true)]
    pub min_run_ms: f64,
}

/// A size as people write it.
pub(super) fn parse_size(text: &str) -> Result<u64, Failure> {
    match size(text) {
        Some(0) => Err(Failure::settings("size 0 has nothing to measure; sizes start at 1")),
        Some(size) => Ok(size),
        None => Err(Failure::settings(format!("`{text}` is no size; write `4096`, `1M` or `2Gi`"))),
    }
}

/// A metric as it was asked for; its direction is looked up later.
fn objective(metric: &str) -> ObjectiveSettings {
    ObjectiveSettings { metric: metric.to_owned(), ..ObjectiveSettings::default() }
}

/// Bytes as people write them.
fn parse_bytes(text: &str) -> Result<u64, Failure> {
    size(text).filter(|bytes| *bytes > 0).ok_or_else(|| {
        Failure::settings(format!("`{text}` is no amount of memory; write `4G` or `512Mi`"))
    })
}

impl SizeArgs {
    /// The settings they mean.
    pub(super) fn settings(&self) -> Result<SizeSettings, Failure> {
        check_factor(self.factor).map_err(Failure::settings)?;
        let list = match self.sizes.as_deref().map(Schedule::parse).transpose() {
            Ok(Some(Schedule::List(sizes))) => Some(sizes),
            Ok(_) => None,
            Err(fault) => return Err(Failure::settings(fault)),
        };
        if !(self.memory_share > 0.0 && self.memory_share <= 1.0) {
            return Err(Failure::settings("--memory-share is above 0 and at most 1"));
        }
        if !(self.min_run_ms >= 0.0 && self.min_run_ms.is_finite()) {
            return Err(Failure::settings("--min-run-ms is a time in milliseconds from 0"));
        }
        let largest = self.largest.as_deref().map(parse_size).transpose()?;
        let start = self.start.as_deref().map(parse_size).transpose()?;
        let first = list.as_ref().and_then(|list| list.iter().min().copied()).or(start);
        if let Some((first, largest)) = first.zip(largest)
            && largest < first
        {
            return Err(Failure::settings(format!(
                "--largest {largest} is below the first size, {first}"
            )));
        }
        Ok(SizeSettings {
            factor: self.factor,
            list,
            start,
            largest,
            memory_share: self.memory_share,
            min_run_seconds: self.min_run_ms / 1e3,
        })
    }
}

impl StudyArgs {
    /// What ends a study. Who names evaluations for one size means them; a recorded space is
    /// charged seconds that nobody waits for.
    fn budget(&self, goal: Goal) -> BudgetSettings {
        let counted = goal == Goal::Tune && self.budget.is_some();
        let unlimited = counted || self.device.starts_with("replay:");
        BudgetSettings {
            evaluations: Some(self.budget.unwrap_or(EVALUATIONS)),
            seconds: self.time.or((!unlimited).then_some(SECONDS)),
        }
    }

    /// The settings they mean, sizes and detectors apart.
    pub(super) fn settings(&self, goal: Goal) -> Result<StudySettings, Failure> {
        let positive = |name: &str, value: f64| match value {
            _ if !(value > 0.0 && value.is_finite()) => {
                Err(Failure::settings(format!("--{name} is a number above 0, not {value}")))
            }
            _ if value > MOST => {
                Err(Failure::settings(format!("--{name} is at most {MOST:e}, not {value:e}")))
            }
            _ => Ok(()),
        };
        self.time.map_or(Ok(()), |time| positive("time", time))?;
        positive("precision", self.precision)?;
        positive("trial-timeout", self.trial_timeout)?;
        positive("min-time", self.min_time)?;
        positive("beta", self.beta)?;
        if self.samples == 0 {
            return Err(Failure::settings("--samples is a number of samples from 1"));
        }
        if self.budget == Some(0) {
            return Err(Failure::settings("--budget is a number of evaluations from 1"));
        }
        let mut knobs = std::collections::BTreeMap::new();
        for knob in &self.knobs {
            let (name, value) = knob.split_once('=').ok_or_else(|| {
                Failure::settings(format!("a knob is written NAME=VALUE, not `{knob}`"))
            })?;
            knobs.insert(name.trim().to_owned(), value.trim().to_owned());
        }
        let kind = match self.penalty {
            PenaltyKind::Hard => "hard",
            PenaltyKind::Linear => "linear",
            PenaltyKind::Decay => "decay",
        };
        let verification = match self.verify {
            Verify::Off => "off",
            Verify::Sampled => "sampled",
            Verify::Thorough => "thorough",
        };
        Ok(StudySettings {
            goal,
            device: self.device.clone(),
            strategy: self.strategy.clone(),
            knobs,
            seed: self.seed,
            budget: self.budget(goal),
            objective: objective(self.objectives.first().map_or("", String::as_str)),
            further_objectives: self.objectives.iter().skip(1).map(|o| objective(o)).collect(),
            max_error: self.max_error,
            penalty: PenaltySettings { kind: kind.to_owned(), beta: self.beta },
            caches: if self.hot { CacheState::Hot } else { CacheState::Cold },
            parameters: self.parameters.clone(),
            restrictions: self.restrictions.clone(),
            controls: self.controls.clone(),
            verification: verification.to_owned(),
            memory_limit: self.memory_limit.as_deref().map(parse_bytes).transpose()?,
            measuring: serde_json::json!({
                "precision": self.precision,
                "trial_timeout": self.trial_timeout,
                "samples": self.samples,
                "min_time": self.min_time,
            }),
            ..StudySettings::default()
        })
    }
}
