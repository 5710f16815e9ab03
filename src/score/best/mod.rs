//! Compares strategies that search for the best configuration of recorded spaces.

mod answer;
mod figures;
mod files;
mod pictures;
mod targets;

use std::cmp::Ordering;

use scoring::{
    Attained, AttainedOverSpaces, Candidate, Choice, DeviationFactor, Landscape, Runs,
    ScoredStrategy, Standing, StrategyComparison, Thinking, Watch, beats, choose,
    deviation_factors, standings, total,
};

use crate::{
    score::{
        arguments::{RankedBy, ScoreArgs},
        text::faults,
    },
    terminal::Failure,
};

/// The results of a comparison.
pub(super) struct Scored<'a> {
    arguments: &'a ScoreArgs,
    landscapes: Vec<Landscape>,
    strategies: Vec<ScoredStrategy>,
    /// Indexed by strategy, then by landscape.
    runs: Vec<Vec<Runs>>,
    /// Indexed by strategy, then by landscape.
    standings: Vec<Vec<Standing>>,
    /// Indexed by strategy.
    factors: Vec<DeviationFactor>,
    /// Indices of strategies, best first.
    ranking: Vec<usize>,
    evaluations: Vec<usize>,
    /// For each landscape, the cost over which speed-ups are computed.
    standards: Option<Vec<f64>>,
    choice: Option<Choice>,
}

/// How the result of a run is expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Share,
    SpeedUp,
}

impl Measure {
    /// The measure's name in files.
    const fn name(self) -> &'static str {
        match self {
            Self::Share => "share_of_optimum",
            Self::SpeedUp => "speed_up",
        }
    }
}

impl<'a> Scored<'a> {
    /// Runs all strategies on all landscapes. `standards` are the costs over which speed-ups are
    /// computed.
    pub(super) fn hold(
        arguments: &'a ScoreArgs,
        (landscapes, standards): (Vec<Landscape>, Option<Vec<f64>>),
        strategies: Vec<ScoredStrategy>,
        watch: Watch<'_>,
    ) -> Result<Self, Failure> {
        let comparison = StrategyComparison {
            landscapes: &landscapes,
            strategies: &strategies,
            repeats: arguments.repeats as usize,
            seed: arguments.seed,
            thinking: match arguments.charge_strategy_time {
                true => Thinking::Charged,
                false => Thinking::Free,
            },
            budget: arguments.limits(),
        };
        let runs = comparison.hold(watch);
        if (watch.stopped)() {
            return Err(Failure::interrupted("the comparison was interrupted"));
        }
        let evaluations = arguments.evaluations();
        let standings = standings(&comparison, &runs, &evaluations);
        let factors = deviation_factors(&standings);
        let mut scored = Self {
            arguments,
            landscapes,
            strategies,
            runs,
            standings,
            factors,
            ranking: Vec::new(),
            evaluations,
            standards,
            choice: None,
        };
        scored.ranking = scored.ranked();
        scored.choice = scored.chosen();
        Ok(scored)
    }

    /// What each run of a strategy attained on a space after a number of evaluations; `None` if no
    /// run got that far.
    fn attained_by_runs(
        &self,
        measure: Measure,
        (strategy, space, cut): (usize, usize, usize),
    ) -> Option<Vec<Option<f64>>> {
        let costs = self.standings[strategy][space].bests[cut].as_ref()?;
        let landscape = &self.landscapes[space];
        let standard = self.standards.as_ref().map(|standards| standards[space]);
        let value = |cost: &f64| match (measure, standard) {
            (Measure::Share, _) => Some(landscape.share(*cost)),
            (Measure::SpeedUp, Some(standard)) => Some(standard / cost),
            (Measure::SpeedUp, None) => None,
        };
        let found = |cost: &f64| value(cost).filter(|_| cost.is_finite());
        Some(costs.iter().map(found).collect())
    }

    fn attained(&self, measure: Measure, place: (usize, usize, usize)) -> Option<Attained> {
        let runs = self.attained_by_runs(measure, place)?;
        Some(Attained::of(&runs, self.arguments.seed))
    }

    /// The mean over the spaces; `None` if a space has no value.
    fn attained_over_spaces(
        &self,
        measure: Measure,
        (strategy, cut): (usize, usize),
    ) -> Option<AttainedOverSpaces> {
        let of = |space| self.attained_by_runs(measure, (strategy, space, cut));
        let spaces: Option<Vec<Vec<Option<f64>>>> = (0..self.landscapes.len()).map(of).collect();
        Some(AttainedOverSpaces::of(&spaces?, self.arguments.seed))
    }

    fn last_cut(&self) -> usize {
        self.evaluations.len().saturating_sub(1)
    }

    /// The measure that this comparison reports.
    fn measure(&self) -> Measure {
        if self.standards.is_some() { Measure::SpeedUp } else { Measure::Share }
    }

    fn ranked(&self) -> Vec<usize> {
        let last = self.last_cut();
        let attained = |measure, at| {
            let over = self.attained_over_spaces(measure, (at, last));
            over.map_or(f64::NEG_INFINITY, |over| over.mean)
        };
        let value = |at: usize| match self.arguments.ranked_by() {
            RankedBy::Share => attained(Measure::Share, at),
            RankedBy::SpeedUp => attained(Measure::SpeedUp, at),
            RankedBy::DeviationFactor => -self.factors[at].mean,
            RankedBy::Score | RankedBy::Gain => total(&self.standings[at]).0,
        };
        // Ties are broken by how often a strategy's runs end better than the others'.
        let wins = |at: usize| -> f64 {
            self.standings.iter().map(|other| beats(&self.standings[at], other)).sum()
        };
        let keys: Vec<(f64, f64)> =
            (0..self.strategies.len()).map(|at| (value(at), wins(at))).collect();
        let mut ranking: Vec<usize> = (0..keys.len()).collect();
        ranking.sort_by(|a, b| keys[*b].partial_cmp(&keys[*a]).unwrap_or(Ordering::Equal));
        ranking
    }

    /// The middle of the Pareto front of the typical distance from the optimum and its spread.
    fn chosen(&self) -> Option<Choice> {
        if !self.arguments.choose {
            return None;
        }
        let candidate = |strategy, space| {
            let none = Candidate { median: f64::INFINITY, range: f64::INFINITY };
            let attained = self.attained(Measure::Share, (strategy, space, self.last_cut()));
            attained.map_or(none, |attained| Candidate {
                median: 1.0 - attained.median,
                range: attained.quartiles.1 - attained.quartiles.0,
            })
        };
        let kernel = |landscape: &Landscape| landscape.origin.kernel_or(&landscape.name);
        let kernels: Vec<String> = self.landscapes.iter().map(kernel).collect();
        choose(self.strategies.len(), &kernels, candidate, self.arguments.seed)
    }

    /// Faults of strategies that are scripts.
    pub(in crate::score) fn faults(&self) -> Vec<String> {
        let of = |(at, runs): (usize, &Vec<Runs>)| {
            let all = || runs.iter().flatten();
            faults(self.label(at), all().count(), all().filter_map(|run| run.fault.as_deref()))
        };
        self.runs.iter().enumerate().flat_map(of).collect()
    }

    fn label(&self, strategy: usize) -> &str {
        &self.strategies[strategy].label
    }
}
