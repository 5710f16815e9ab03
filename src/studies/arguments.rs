//! Flags of all commands that measure.

use std::{convert::Infallible, path::PathBuf};

use clap::Args;
use records::settings::{
    BudgetSettings, CacheState, DEFAULT_SEED, DEFAULT_STRATEGY, DeviceSpec, Goal,
    MeasuringSettings, Objective, Order, SizeSettings, StudySettings, Verification, parse_bytes,
    parse_policy, parse_tag,
};
use registry::{Written, parse_knob};

use crate::{memory::LearnArgs, studies::bounds::BoundArgs, terminal::Screen};

// Headings of the flags in `--help`.
const SUBJECT: &str = "What is measured";
const SEARCH: &str = "Search";
const GOAL: &str = "Goal and accuracy";
const MEASURING: &str = "Measuring";
const RESULTS: &str = "Results";

/// Flags that say what is measured, on which device, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct StudyArgs {
    /// The benchmark: a name, a plugin library or a YAML file
    ///
    /// Several benchmarks are studied one after the other.
    #[arg(value_name = "BENCHMARK")]
    pub benchmarks: Vec<String>,
    /// Measure only this stage of the benchmark: run its launches once, tune its parameters and
    /// check its outputs. Other parameters keep their defaults, or the values of --param
    #[arg(long, value_name = "NAME", help_heading = SUBJECT)]
    pub stage: Option<String>,
    /// The device: `cpu`, `cuda`, `hip`, or `replay:FILE`
    ///
    /// `cuda:1` is the second GPU; `cuda:0,1` and `cuda:all` share the work among several.
    /// `replay:FILE` replays a recorded space, in any format that `autobench inspect` reads.
    #[arg(long, default_value_t, value_name = "DEVICE", help_heading = SUBJECT)]
    pub device: DeviceSpec,
    /// The search strategy within each size, optionally with knobs or a preset: `name:knob=value:…`
    /// or `name:preset=paper`; or a script: `./mine.luau`
    #[arg(long, default_value = DEFAULT_STRATEGY, value_name = "NAME", value_parser = Written::parse, help_heading = SEARCH)]
    pub strategy: Written,
    /// A knob of the strategy (repeatable; `autobench list NAME` shows a strategy's knobs); it
    /// replaces a value given with the strategy's name
    #[arg(long = "knob", value_name = "NAME=VALUE", value_parser = parse_knob, help_heading = SEARCH)]
    pub knobs: Vec<(String, String)>,
    /// Tune the parameters of precision (formats and policies) together with all others, before or
    /// after them; each step gets a share of the budget by its number of parameters
    #[arg(long, value_enum, default_value_t, help_heading = SEARCH)]
    pub order: Order,
    #[command(flatten, next_help_heading = SEARCH)]
    pub budget: BudgetSettings,
    #[command(flatten, next_help_heading = SEARCH)]
    pub learning: LearnArgs,
    /// Seed of all inputs and of all random choices
    #[arg(long, default_value_t = DEFAULT_SEED, help_heading = SEARCH)]
    pub seed: u64,
    /// The metric to improve: `seconds`, `energy`, `error` and others
    ///
    /// `autobench list` shows the metrics that all benchmarks have, and a benchmark has its own (by
    /// default, its primary one). With several objectives the study finds their Pareto front, and
    /// the first one decides which single configuration is reported.
    #[arg(long = "objective", value_name = "METRIC", value_parser = objective, help_heading = GOAL)]
    pub objectives: Vec<Objective>,
    #[command(flatten, next_help_heading = GOAL)]
    pub bounds: BoundArgs,
    /// Also report the fastest configuration under each of these bounds on the error, which are
    /// levels of the benchmark or numbers (`high,medium,low`). Each is measured again, alternating
    /// with the best configuration in full precision, and checked on new inputs
    #[arg(long, value_name = "E", value_delimiter = ',', help_heading = GOAL)]
    pub thresholds: Vec<String>,
    /// Also observe this metric of every configuration, where the device has it: `energy`, `power`
    /// and others of sensors (repeatable). Objectives and bounds are always observed
    ///
    /// Energy is read over 0.3 s (of a processor over 0.02 s), so each configuration takes up to that much longer.
    #[arg(long = "observe", value_name = "METRIC", help_heading = MEASURING)]
    pub observe: Vec<String>,
    /// Narrow a parameter: `block_size_x=64,128` (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUES", help_heading = SEARCH)]
    pub parameters: Vec<String>,
    /// A further restriction: `block_size_x * block_size_y <= 256` (repeatable)
    #[arg(long = "restrict", value_name = "EXPR", help_heading = SEARCH)]
    pub restrictions: Vec<String>,
    /// Control the device: its clock in MHz (`sm_clock=1200,1980`) or its power limit in W
    /// (`power_limit=400,700`) become parameters of the study (repeatable). This needs
    /// administrator rights; the settings are restored when the program ends, also after a signal
    #[arg(long = "control", value_name = "NAME=VALUES", help_heading = SEARCH)]
    pub controls: Vec<String>,
    /// Take all samples with hot caches, as the previous run left them. By default caches are cold:
    /// inputs come from a ring of copies far larger than the last-level cache, or caches are
    /// flushed if there is no memory for copies
    #[arg(long, help_heading = MEASURING)]
    pub hot: bool,
    /// How much of every output is checked
    #[arg(long, value_enum, default_value_t, help_heading = MEASURING)]
    pub verify: Verification,
    #[command(flatten, next_help_heading = MEASURING)]
    pub measuring: MeasuringSettings,
    /// Change a number of the policy by which a study divides its time and ends, such as
    /// `calm_seconds=10` (repeatable); `autobench list policy` shows them
    #[arg(long = "measure", value_name = "NAME=VALUE", value_parser = parse_policy, help_heading = MEASURING)]
    pub policy: Vec<String>,
    /// Most bytes of memory that the worker may use (`4G`, `512Mi`)
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = MEASURING)]
    pub memory_limit: Option<u64>,
    /// Where results go
    #[arg(long, default_value = "out", value_name = "DIR", help_heading = RESULTS)]
    pub out: PathBuf,
    /// Keep this output of the best configuration, as `output-NAME.csv` (repeatable)
    #[arg(long = "keep-output", value_name = "NAME", help_heading = RESULTS)]
    pub keep_outputs: Vec<String>,
    /// A word by which `autobench history` finds the study again (repeatable)
    #[arg(long = "tag", value_name = "WORD", value_parser = parse_tag, help_heading = RESULTS)]
    pub tags: Vec<String>,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR", help_heading = SUBJECT)]
    pub plugin_path: Vec<PathBuf>,
    /// Show what would be done, and stop
    #[arg(long, help_heading = RESULTS)]
    pub dry_run: bool,
    #[command(flatten, next_help_heading = RESULTS)]
    pub screen: Screen,
}

#[expect(clippy::unnecessary_wraps, reason = "clap's signature")]
fn objective(metric: &str) -> Result<Objective, Infallible> {
    Ok(Objective::asked(metric))
}

impl StudyArgs {
    /// The first benchmark, which is the only one of a single study.
    pub(crate) fn benchmark(&self) -> Option<&str> {
        self.benchmarks.first().map(String::as_str)
    }

    pub(crate) fn settings(&self, goal: Goal, sizes: SizeSettings) -> StudySettings {
        let objectives = self.objectives.split_first();
        let mut settings = StudySettings {
            goal,
            stage: self.stage.clone().unwrap_or_default(),
            device: self.device.clone(),
            strategy: self.strategy.name.clone(),
            knobs: self.strategy.knobs.iter().chain(&self.knobs).cloned().collect(),
            order: self.order,
            seed: self.seed,
            budget: self.budget.resolved(goal, &self.device),
            objective: objectives.map_or(Objective::asked(""), |(first, _)| first.clone()),
            further_objectives: objectives.map_or(Vec::new(), |(_, further)| further.to_vec()),
            sizes,
            caches: if self.hot { CacheState::Hot } else { CacheState::Cold },
            parameters: self.parameters.clone(),
            restrictions: self.restrictions.clone(),
            controls: self.controls.clone(),
            thresholds: self.thresholds.clone(),
            observe: self.observe.clone(),
            keep_outputs: self.keep_outputs.clone(),
            verification: self.verify,
            memory_limit: self.memory_limit,
            measuring: self.measuring,
            learn_from: self.learning.learn_from.clone(),
            tags: self.tags.clone(),
            ..StudySettings::default()
        };
        for change in &self.policy {
            // The command line has checked it.
            let _ = settings.policy.set(change);
        }
        self.bounds.apply(&mut settings);
        settings
    }
}
