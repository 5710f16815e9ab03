//! Arguments of `score`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, builder::RangedU64ValueParser};
use records::settings::parse_seconds;
use registry::{combined, listed, rejoined};
use scoring::{ScoredStrategy, Standard};
use search_api::{Budget, STRATEGIES};

use super::spaces::Aim;
use crate::{memory::LearnArgs, studies::BoundArgs, terminal::Failure};

/// Numbers of evaluations that are shown by default.
const EVALUATIONS: [usize; 3] = [50, 100, 220];

/// Flags that say which strategies are scored, on which spaces, and how often.
#[derive(Debug, Clone, Args)]
pub(crate) struct ScoreArgs {
    /// Recorded spaces: files, folders of studies, or folders of these
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1..)]
    pub(crate) spaces: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) learning: LearnArgs,
    /// Strategies, each optionally with knobs or a preset: `name:knob=value:…` or
    /// `name:preset=paper`; or scripts: `./mine.luau`. Values in braces make a strategy of every
    /// combination: `nsga2:population={20,40}:mutation={0.1,0.2}` [default: all]
    #[arg(long, value_name = "NAME,NAME")]
    pub(super) strategies: Vec<String>,
    /// Runs of each strategy on each space
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) repeats: u32,
    /// Run i uses the seed S + i
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// The metric to optimise instead of the run time: any metric of the spaces (`error`, `energy`,
    /// `GFLOP/s`, `min:NAME`). With several objectives, strategies are scored by how near they come
    /// to the Pareto front. Comma lists are sets of objectives: every space counts once with each
    #[arg(long = "objective", value_name = "NAME")]
    pub(super) objectives: Vec<String>,
    #[command(flatten)]
    pub(super) bounds: BoundArgs,
    /// Different configurations in each run. By default a run lasts as long as random search takes
    /// to get near the optimum
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) budget: Option<u64>,
    /// Simulated seconds of each run, with a --budget
    #[arg(long, value_name = "SECONDS", requires = "budget", value_parser = positive)]
    pub(super) time: Option<f64>,
    /// Evaluations after which the share of the optimum, or the distance from the front, is shown
    /// [default: 50,100,220, or the --budget]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    evaluations: Vec<usize>,
    /// Report speed-ups over the best configuration with these values:
    /// `precision=f64,policy=accurate`, or `precise` for the most precise formats and policies
    #[arg(long, value_name = "P=V,P=V")]
    pub(super) speed_up_over: Option<Standard>,
    /// The kernel that a strategy was written for. On its spaces, these strategies are compared with
    /// those that were written for other kernels
    #[arg(long = "target", value_name = "STRATEGY=KERNEL", value_parser = target, conflicts_with = "budget")]
    pub(super) targets: Vec<Target>,
    /// The value by which strategies are sorted, and which a suite reports [default: `gain` for
    /// several objectives; with a --budget `speed-up` if --speed-up-over is given, or else `share`;
    /// otherwise `score`]
    #[arg(long, value_enum)]
    pub(super) by: Option<RankedBy>,
    /// Choose one of the strategies: the middle of the Pareto front of the typical distance from
    /// the optimum and its spread over the runs
    #[arg(long)]
    pub(super) choose: bool,
    /// Count a strategy's own computing time too; runs are then not exactly repeatable
    #[arg(long)]
    pub(super) charge_strategy_time: bool,
    /// Folder in which to create the folder with the CSV files and the plots
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// A strategy that was written for one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Label of the strategy.
    pub(super) strategy: String,
    /// A part of the kernel's name, or of the names of its spaces.
    pub(super) kernel: String,
}

fn target(text: &str) -> Result<Target, String> {
    let (strategy, kernel) = text.rsplit_once('=').ok_or("STRATEGY=KERNEL")?;
    let strategy = ScoredStrategy::parse(strategy).map_err(|error| error.to_string())?.label;
    Ok(Target { strategy, kernel: kernel.trim().to_owned() })
}

/// A value by which strategies can be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RankedBy {
    /// Mean performance over time: 0 is random search, 1 the optimum
    Score,
    /// Share of the optimum after the last number of evaluations
    Share,
    /// Speed-up after the last number of evaluations
    SpeedUp,
    /// Mean deviation factor
    DeviationFactor,
    /// How much nearer to the front than random search, after the last number of evaluations
    Gain,
}

fn positive(text: &str) -> Result<f64, String> {
    let seconds = parse_seconds(text).ok().filter(|seconds| *seconds > 0.0);
    seconds.ok_or_else(|| "a number of seconds above 0".to_owned())
}

impl ScoreArgs {
    pub(super) fn aim<'a>(&'a self, objectives: &'a [String]) -> Aim<'a> {
        Aim { objectives, bounds: &self.bounds, timed: self.budget.is_none() }
    }

    /// The sets of objectives: every comma list, or all single names.
    pub(super) fn sets(&self) -> Vec<Vec<String>> {
        let names = |text: &String| text.split(',').map(|name| name.trim().to_owned()).collect();
        match self.objectives.iter().any(|text| text.contains(',')) {
            true => self.objectives.iter().map(names).collect(),
            false => vec![self.objectives.clone()],
        }
    }

    /// Whether strategies search for fronts.
    pub(super) fn seeks_fronts(&self) -> bool {
        self.sets().iter().any(|set| set.len() > 1)
    }

    /// The sets of objectives, for titles.
    pub(super) fn objectives_in_words(&self) -> String {
        let sets: Vec<String> = self.sets().iter().map(|set| set.join(", ")).collect();
        sets.join(" and ")
    }

    /// The budget of every run, if --budget is given.
    pub(super) fn limits(&self) -> Option<Budget> {
        let evaluations = Some(self.budget?);
        Some(Budget { evaluations, cost_seconds: self.time, ..Budget::default() })
    }

    /// The numbers of evaluations that are shown, ascending.
    pub(super) fn evaluations(&self) -> Vec<usize> {
        let mut evaluations = match (self.evaluations.as_slice(), self.budget) {
            ([], Some(budget)) => vec![usize::try_from(budget).unwrap_or(usize::MAX)],
            ([], None) => EVALUATIONS.to_vec(),
            (asked, _) => asked.to_vec(),
        };
        evaluations.sort_unstable();
        evaluations.dedup();
        evaluations
    }

    /// The value by which strategies are sorted.
    pub(super) fn ranked_by(&self) -> RankedBy {
        self.by.unwrap_or(match (self.seeks_fronts(), self.budget, &self.speed_up_over) {
            (true, ..) => RankedBy::Gain,
            (_, None, _) => RankedBy::Score,
            (_, Some(_), None) => RankedBy::Share,
            (_, Some(_), Some(_)) => RankedBy::SpeedUp,
        })
    }

    /// Checks everything that can be checked without a space. Returns the strategies.
    pub(super) fn checked(&self) -> Result<Vec<ScoredStrategy>, Failure> {
        for set in self.sets() {
            if let Some(at) = (1..set.len()).find(|at| set[..*at].contains(&set[*at])) {
                let name = &set[at];
                return Err(Failure::settings(format!("--objective {name} is given twice"))
                    .hint("name each objective once"));
            }
        }
        let several = self.seeks_fronts();
        if several && (self.budget.is_some() || self.speed_up_over.is_some()) {
            let flag = if self.budget.is_some() { "--budget" } else { "--speed-up-over" };
            return Err(Failure::settings(format!("{flag} is for one objective"))
                .hint("the last of --evaluations is the budget of a search for a front"));
        }
        if let Some(standard) = &self.speed_up_over {
            standard.check().map_err(Failure::settings)?;
        }
        if let (Some(most), Some(budget)) = (self.evaluations.iter().max(), self.budget)
            && *most as u64 > budget
        {
            return Err(Failure::settings(format!(
                "--evaluations {most} is beyond the --budget of {budget}"
            )));
        }
        let can = match self.ranked_by() {
            RankedBy::Gain => several,
            RankedBy::Score => !several && self.budget.is_none(),
            RankedBy::SpeedUp => self.speed_up_over.is_some(),
            RankedBy::Share | RankedBy::DeviationFactor => !several,
        };
        if !can {
            return Err(Failure::settings("--by names a figure that is not taken here").hint(
                "`score` is of one objective without a --budget, `speed-up` needs --speed-up-over, \
                 `gain` is of several objectives",
            ));
        }
        let strategies = self.parsed()?;
        for one in &self.targets {
            if several || strategies.iter().all(|known| known.label != one.strategy) {
                let message = format!("--target names `{}`, which is not scored", one.strategy);
                return Err(
                    Failure::settings(message).hint("name it in --strategies, with one objective")
                );
            }
        }
        Ok(strategies)
    }

    /// Labels of the strategies. With several objectives random search always takes part.
    pub(crate) fn labels(&self) -> Result<Vec<String>, Failure> {
        let labels = self.checked()?.into_iter().map(|strategy| strategy.label);
        let random = self.seeks_fronts().then(|| "random".to_owned());
        Ok(labels.chain(random).collect())
    }

    /// The named strategies without duplicates, or all strategies.
    fn parsed(&self) -> Result<Vec<ScoredStrategy>, Failure> {
        let all = || STRATEGIES.names().map(str::to_owned).collect();
        let parts: Vec<&str> = self.strategies.iter().flat_map(|text| listed(text)).collect();
        let names: Vec<String> = if parts.is_empty() { all() } else { rejoined(&parts) };
        let mut strategies: Vec<ScoredStrategy> = Vec::with_capacity(names.len());
        for name in &names {
            for name in combined(name).map_err(Failure::settings)? {
                let scored_strategy = ScoredStrategy::parse(&name).map_err(Failure::settings)?;
                if strategies.iter().all(|known| known.label != scored_strategy.label) {
                    strategies.push(scored_strategy);
                }
            }
        }
        Ok(strategies)
    }
}
