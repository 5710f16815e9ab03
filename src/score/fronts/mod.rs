//! Compares strategies that search for the Pareto fronts of recorded spaces.

mod answer;
mod figures;
mod picture;

use scoring::{
    Attained, Candidate, Choice, FrontComparison, FrontFigures, FrontRun, FrontSpace, Reached,
    ScoredStrategy, Watch, choose,
};

use crate::{
    score::{arguments::ScoreArgs, text::faults},
    terminal::Failure,
};

/// The strategy with which the others are compared.
const YARDSTICK: &str = "random";

/// The results of a comparison.
pub(super) struct ComparedFronts<'a> {
    arguments: &'a ScoreArgs,
    spaces: Vec<FrontSpace>,
    strategies: Vec<ScoredStrategy>,
    evaluations: Vec<usize>,
    /// Indexed by strategy, space and run.
    runs: Vec<Vec<Vec<FrontRun>>>,
    /// Index of the strategy `random`.
    yardstick: usize,
    /// Indices of strategies, best first, by their gain at the largest number of evaluations.
    ranking: Vec<usize>,
    choice: Option<Choice>,
}

type ReachedFigure = fn(&Reached) -> f64;

const FIGURES: [(&str, ReachedFigure); 5] = [
    ("igd_plus", |reached| reached.igd_plus),
    ("igd", |reached| reached.igd),
    ("gd_plus", |reached| reached.gd_plus),
    ("gd", |reached| reached.gd),
    ("hypervolume", |reached| reached.hypervolume),
];

impl<'a> ComparedFronts<'a> {
    /// Runs all strategies on all spaces. Random search always takes part.
    pub(super) fn hold(
        arguments: &'a ScoreArgs,
        spaces: Vec<FrontSpace>,
        mut strategies: Vec<ScoredStrategy>,
        watch: Watch<'_>,
    ) -> Result<Self, Failure> {
        let random = |strategy: &ScoredStrategy| strategy.label == YARDSTICK;
        if !strategies.iter().any(random) {
            strategies.push(ScoredStrategy::parse(YARDSTICK).map_err(Failure::bug)?);
        }
        let yardstick = strategies.iter().position(random).unwrap_or(0);
        let evaluations = arguments.evaluations();
        let front_comparison = FrontComparison {
            spaces: &spaces,
            strategies: &strategies,
            repeats: arguments.repeats as usize,
            seed: arguments.seed,
            cuts: &evaluations,
        };
        let runs = front_comparison.hold(watch);
        if (watch.stopped)() {
            return Err(Failure::interrupted("the comparison was interrupted"));
        }
        let mut compared = Self {
            arguments,
            spaces,
            strategies,
            evaluations,
            runs,
            yardstick,
            ranking: Vec::new(),
            choice: None,
        };
        compared.ranking = compared.ranked();
        compared.choice = compared.chosen();
        Ok(compared)
    }

    fn figures(&self) -> FrontFigures<'_> {
        FrontFigures { runs: &self.runs, seed: self.arguments.seed }
    }

    /// A value of a strategy on a space after a number of evaluations, over its runs.
    fn typical(
        &self,
        (strategy, space, cut): (usize, usize, usize),
        figure: ReachedFigure,
    ) -> Attained {
        let runs = self.runs[strategy][space].iter();
        let values: Vec<f64> = runs.map(|run| figure(&run.reached[cut])).collect();
        Attained::over(&values, self.arguments.seed)
    }

    /// The position of the largest number of evaluations, and that number.
    fn last_cut(&self) -> (usize, usize) {
        let last = self.evaluations.len().saturating_sub(1);
        (last, self.evaluations.get(last).copied().unwrap_or(0))
    }

    fn ranked(&self) -> Vec<usize> {
        let (_, n) = self.last_cut();
        let gain = |at| self.figures().gain(at, self.yardstick, n).mean;
        let gains: Vec<f64> = (0..self.strategies.len()).map(gain).collect();
        let mut ranking: Vec<usize> = (0..gains.len()).collect();
        ranking.sort_by(|a, b| gains[*b].total_cmp(&gains[*a]));
        ranking
    }

    /// The middle of the Pareto front of median IGD+ and its interquartile range, without random
    /// search.
    fn chosen(&self) -> Option<Choice> {
        if !self.arguments.choose {
            return None;
        }
        let (last, _) = self.last_cut();
        let candidate = |strategy, space| {
            if strategy == self.yardstick {
                return Candidate { median: f64::INFINITY, range: f64::INFINITY };
            }
            let typical = self.typical((strategy, space, last), |reached| reached.igd_plus);
            let range = typical.quartiles.1 - typical.quartiles.0;
            Candidate { median: typical.median, range }
        };
        let kernel = |space: &FrontSpace| space.origin.kernel_or(&space.name);
        let kernels: Vec<String> = self.spaces.iter().map(kernel).collect();
        choose(self.strategies.len(), &kernels, candidate, self.arguments.seed)
    }

    /// Faults of strategies that are scripts.
    pub(in crate::score) fn faults(&self) -> Vec<String> {
        let of = |(at, runs): (usize, &Vec<Vec<FrontRun>>)| {
            let all = || runs.iter().flatten();
            faults(self.label(at), all().count(), all().filter_map(|run| run.fault.as_deref()))
        };
        self.runs.iter().enumerate().flat_map(of).collect()
    }

    fn label(&self, strategy: usize) -> &str {
        &self.strategies[strategy].label
    }
}
