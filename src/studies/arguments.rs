//! Flags of all commands that measure.

use std::{convert::Infallible, path::PathBuf};

use clap::Args;
use records::settings::{
    BudgetSettings, CacheState, DEFAULT_SEED, DEFAULT_STRATEGY, DeviceSpec, Goal,
    MeasuringSettings, Objective, Order, SizeSettings, StudySettings, Verification, parse_bytes,
    parse_tag,
};
use registry::{Written, parse_knob};

use crate::{memory::LearnArgs, studies::bounds::BoundArgs, terminal::Screen};

// Headings of the flags in `--help`.
const SUBJECT: &str = "What is measured";
const SEARCH: &str = "Search";
const GOAL: &str = "Goal and accuracy";
const MEASURING: &str = "Measuring";
const RESULTS: &str = "Results";

/// What is measured, on what, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct StudyArgs {
    /// The benchmark: a name, a plugin library or a YAML file
    ///
    /// Several make a study each, in turn.
    #[arg(value_name = "BENCHMARK")]
    pub benchmarks: Vec<String>,
    /// Only this stage of the benchmark, by itself: its launches once, its parameters (others stay
    /// at their defaults, or where --param puts them), its outputs checked
    #[arg(long, value_name = "NAME", help_heading = SUBJECT)]
    pub stage: Option<String>,
    /// The device: `cpu`, `cuda`, `hip`, or `replay:FILE`
    ///
    /// `cuda:1` is another one; `cuda:0,1` and `cuda:all` are several that share the work. `replay:FILE` is a recorded
    /// space (`autobench inspect` reads the same).
    #[arg(long, default_value_t, value_name = "DEVICE", help_heading = SUBJECT)]
    pub device: DeviceSpec,
    /// The search strategy inside every size, with knobs or a preset if wanted: `name:knob=value:…`
    /// or `name:preset=paper`; or a script: `./mine.luau`
    #[arg(long, default_value = DEFAULT_STRATEGY, value_name = "NAME", value_parser = Written::parse, help_heading = SEARCH)]
    pub strategy: Written,
    /// A knob of the strategy (repeatable; `autobench list NAME` shows a strategy's); it wins over
    /// one that is given with the name
    #[arg(long = "knob", value_name = "NAME=VALUE", value_parser = parse_knob, help_heading = SEARCH)]
    pub knobs: Vec<(String, String)>,
    /// Tune parameters of precision, formats and policies, with all others or apart from them; the
    /// budget is shared by numbers of parameters
    #[arg(long, value_enum, default_value_t, help_heading = SEARCH)]
    pub order: Order,
    #[command(flatten, next_help_heading = SEARCH)]
    pub budget: BudgetSettings,
    #[command(flatten, next_help_heading = SEARCH)]
    pub learning: LearnArgs,
    /// Seed of all inputs and of everything random
    #[arg(long, default_value_t = DEFAULT_SEED, help_heading = SEARCH)]
    pub seed: u64,
    /// The metric to improve: `seconds`, `energy`, `error` and others
    ///
    /// `autobench list` shows them, and the benchmark has its own (by default, its primary one). Given more than once,
    /// the front of all of them is sought, and the first one decides where one configuration must be named.
    #[arg(long = "objective", value_name = "METRIC", value_parser = objective, help_heading = GOAL)]
    pub objectives: Vec<Objective>,
    #[command(flatten, next_help_heading = GOAL)]
    pub bounds: BoundArgs,
    /// Name the fastest configuration under each of these bounds on the error, levels of the
    /// benchmark's or numbers, besides (`high,medium,low`): measured again in turn with the best that
    /// has full precision everywhere, and checked on fresh inputs
    #[arg(long, value_name = "E", value_delimiter = ',', help_heading = GOAL)]
    pub thresholds: Vec<String>,
    /// Narrow a parameter: `block_size_x=64,128` (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUES", help_heading = SEARCH)]
    pub parameters: Vec<String>,
    /// A further restriction: `block_size_x * block_size_y <= 256` (repeatable)
    #[arg(long = "restrict", value_name = "EXPR", help_heading = SEARCH)]
    pub restrictions: Vec<String>,
    /// Change the device: its clock in MHz (`sm_clock=1200,1980`) or its limit of power in W
    /// (`power_limit=400,700`) become parameters of the study (repeatable). It takes the right to do
    /// so; everything is as it was when the program ends, also by a signal
    #[arg(long = "control", value_name = "NAME=VALUES", help_heading = SEARCH)]
    pub controls: Vec<String>,
    /// Take all samples of the study with hot caches, as the run before left them, instead of cold
    /// ones: from a ring of copies far larger than the last cache, or flushed where there is no
    /// memory for copies
    #[arg(long, help_heading = MEASURING)]
    pub hot: bool,
    /// How much of every output is checked
    #[arg(long, value_enum, default_value_t, help_heading = MEASURING)]
    pub verify: Verification,
    #[command(flatten, next_help_heading = MEASURING)]
    pub measuring: MeasuringSettings,
    /// Bytes that the worker may take (`4G`, `512Mi`)
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = MEASURING)]
    pub memory_limit: Option<u64>,
    /// Where results go
    #[arg(long, default_value = "out", value_name = "DIR", help_heading = RESULTS)]
    pub out: PathBuf,
    /// A word by which `autobench history` finds the study again (repeatable)
    #[arg(long = "tag", value_name = "WORD", value_parser = parse_tag, help_heading = RESULTS)]
    pub tags: Vec<String>,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR", help_heading = SUBJECT)]
    pub plugin_path: Vec<PathBuf>,
    /// Say what would be done, and stop
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
    /// The benchmark of one study.
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
            verification: self.verify,
            memory_limit: self.memory_limit,
            measuring: self.measuring,
            learn_from: self.learning.learn_from.clone(),
            tags: self.tags.clone(),
            ..StudySettings::default()
        };
        self.bounds.apply(&mut settings);
        settings
    }
}
