//! How near strategies come to fronts of recorded spaces, by the number of different evaluations.

use std::sync::Arc;

use exchange::RecordedSpace;
use records::RecordedTrial;
use search_api::{Analytic, Budget, Evaluation};
use space::{ConfigurationId, Space};
use study::{
    prior::{VisitStages, compared_with, costs, figure},
    tuning::Ranking,
};

use super::{Origin, Reached, ScoredStrategy, TrueFront, Watch, in_parallel, simulation::fault};

/// A recorded space with several objectives.
#[derive(Debug, Clone)]
pub struct FrontSpace {
    /// Name in tables.
    pub name: String,
    /// Kernel, device and size of the recording.
    pub origin: Origin,
    /// Configurations.
    pub space: Arc<Space>,
    /// The front that is sought.
    pub truth: TrueFront,
    /// Configurations that searches begin with.
    pub starts: Vec<ConfigurationId>,
    /// Whether the first objective is a time in seconds.
    in_seconds: bool,
    /// Objectives and time of each configuration, by its number.
    rows: Vec<FrontRow>,
}

/// A configuration of a space with several objectives.
#[derive(Debug, Clone)]
struct FrontRow {
    /// Its objectives; `None` if it failed or is beyond the bounds.
    objectives: Option<Vec<f64>>,
    /// What a strategy is told: objectives with the penalty for being beyond the bounds.
    told: Option<Vec<f64>>,
    /// Seconds of its evaluation.
    seconds: f64,
}

/// A search for a front.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontRun {
    /// How near it came, at each requested number of evaluations.
    pub reached: Vec<Reached>,
    /// IGD+ after each evaluation.
    pub igd_plus: Vec<f64>,
    /// Seconds of the evaluations up to each.
    pub seconds: Vec<f64>,
    /// Why the strategy itself failed, if it did.
    pub fault: Option<Arc<str>>,
}

impl FrontRun {
    /// IGD+ after `n` evaluations, or at the end of a shorter run; infinite for an empty run.
    #[must_use]
    pub fn igd_plus_after(&self, n: usize) -> f64 {
        after(&self.igd_plus, n).unwrap_or(f64::INFINITY)
    }

    /// IGD+ after `seconds`; infinite before the end of the first evaluation.
    #[must_use]
    pub fn igd_plus_at(&self, seconds: f64) -> f64 {
        self.igd_plus_after(self.seconds.partition_point(|end| *end <= seconds))
    }

    /// Seconds of its first `n` evaluations.
    #[must_use]
    pub fn seconds_after(&self, n: usize) -> f64 {
        after(&self.seconds, n).unwrap_or(0.0)
    }
}

fn after(values: &[f64], n: usize) -> Option<f64> {
    n.min(values.len()).checked_sub(1).map(|at| values[at])
}

impl FrontSpace {
    /// Takes a recorded space with the objectives of a ranking. Only configurations within the
    /// bounds make the front. Strategies are told the others with a penalty.
    ///
    /// # Errors
    /// If the parameters are faulty, or no configuration within the bounds has all objectives.
    pub fn new(name: &str, recorded: &RecordedSpace, ranking: &Ranking) -> Result<Self, String> {
        let (space, rows) = recorded.space().map_err(|error| error.to_string())?;
        let trials: Vec<&RecordedTrial> = rows.iter().map(|row| &recorded.trials()[*row]).collect();
        let costs: Vec<Option<Vec<f64>>> =
            trials.iter().map(|trial| costs(trial, ranking)).collect();
        let of_objective = |at: usize| -> Vec<Option<f64>> {
            costs.iter().map(|costs| costs.as_ref().map(|costs| costs[at])).collect()
        };
        let firsts: Vec<f64> = (0..ranking.objectives().count())
            .map(|at| compared_with(&space, &of_objective(at)))
            .collect();
        let row = |(trial, costs): (&&RecordedTrial, &Option<Vec<f64>>)| {
            let excess = ranking.bounds.excess(|metric| figure(trial, metric));
            let told = costs.as_ref().zip(excess).and_then(|(costs, excess)| {
                let each = costs.iter().zip(&firsts);
                each.map(|(cost, first)| ranking.penalty.apply(*cost, excess, *first)).collect()
            });
            let objectives = costs.clone().filter(|_| excess == Some(0.0));
            FrontRow { objectives, told, seconds: VisitStages::of(trial).total() }
        };
        let rows: Vec<FrontRow> = trials.iter().zip(&costs).map(row).collect();
        let all: Vec<Vec<f64>> = rows.iter().filter_map(|row| row.objectives.clone()).collect();
        let truth = TrueFront::of(&all).ok_or_else(|| {
            "no configuration of it has all these objectives within the bounds".to_owned()
        })?;
        let origin = Origin::of(recorded);
        Ok(Self {
            name: name.to_owned(),
            origin,
            space: Arc::new(space),
            truth,
            starts: Vec::new(),
            in_seconds: ranking.objective.is_in_seconds(),
            rows,
        })
    }

    /// Runs a strategy once, for as many evaluations as the largest of `cuts`.
    #[must_use]
    pub fn search(&self, scored_strategy: &ScoredStrategy, cuts: &[usize], seed: u64) -> FrontRun {
        let most = cuts.iter().copied().max().unwrap_or(0) as u64;
        let answer = |_: &Space, id: ConfigurationId| {
            let told = self.rows[id.0 as usize].told.clone();
            told.map_or_else(Evaluation::failed, Evaluation::of)
        };
        let budget = Budget::evaluations(most);
        let mut problem = Analytic::new(Arc::clone(&self.space), budget, seed, answer)
            .starting_at(self.starts.clone())
            .scoring_seconds(self.in_seconds);
        let fault = fault(scored_strategy.searcher().search(&mut problem));
        let order: Vec<&FrontRow> =
            problem.ledger().order().iter().map(|id| &self.rows[id.0 as usize]).collect();
        let mut run = FrontRun { fault, ..FrontRun::default() };
        let (mut approach, mut seconds) = (self.truth.approach(), 0.0);
        for row in &order {
            if let Some(objectives) = &row.objectives {
                approach.add(objectives);
            }
            seconds += row.seconds;
            run.igd_plus.push(approach.igd_plus());
            run.seconds.push(seconds);
        }
        let reached = |cut: &usize| {
            let first = order.iter().take(*cut);
            let found: Vec<&Vec<f64>> = first.filter_map(|row| row.objectives.as_ref()).collect();
            self.truth.reached(&found)
        };
        run.reached = cuts.iter().map(reached).collect();
        run
    }
}

/// Searches of several strategies for the fronts of several spaces.
#[derive(Clone, Copy)]
pub struct FrontComparison<'a> {
    /// Spaces.
    pub spaces: &'a [FrontSpace],
    /// Strategies.
    pub strategies: &'a [ScoredStrategy],
    /// Runs of each strategy on each space.
    pub repeats: usize,
    /// Seed of the first run; run `i` uses `seed + i`.
    pub seed: u64,
    /// Numbers of evaluations after which the distance is taken.
    pub cuts: &'a [usize],
}

impl FrontComparison<'_> {
    /// Makes all runs; results are by strategy, space and run.
    #[must_use]
    pub fn hold(&self, watch: Watch<'_>) -> Vec<Vec<Vec<FrontRun>>> {
        let places = self.spaces.len();
        let jobs = self.strategies.len() * places * self.repeats;
        let mut runs = in_parallel(jobs, &|job| {
            if (watch.stopped)() {
                return FrontRun::default();
            }
            let (pair, repeat) = (job / self.repeats, job % self.repeats);
            let (strategy, space) = (pair / places, pair % places);
            let seed = self.seed.wrapping_add(repeat as u64);
            let scored_strategy = &self.strategies[strategy];
            let run = self.spaces[space].search(scored_strategy, self.cuts, seed);
            (watch.done)(run.fault.as_deref());
            run
        })
        .into_iter();
        let mut of_pair = || runs.by_ref().take(self.repeats).collect();
        let mut of_contestant = |_| (0..places).map(|_| of_pair()).collect();
        (0..self.strategies.len()).map(&mut of_contestant).collect()
    }
}

#[cfg(test)]
mod tests {
    use records::{
        Named,
        settings::{Bound, Bounds, Objective},
    };
    use space::{
        Value,
        accuracy::{Penalty, PenaltyKind},
    };

    use super::*;

    /// Three configurations with times 1, 2 and 4 ms, errors 1e-2, 1e-4 and 1e-6, and costs of 1 s.
    fn recorded() -> RecordedSpace {
        let values: Vec<Value> = (0..3_i64).map(Value::from).collect();
        let mut recorded = RecordedSpace::new(vec![("a".to_owned(), values)]);
        for (at, ms, error) in [(0_i64, 1.0, 1e-2), (1, 2.0, 1e-4), (2, 4.0, 1e-6)] {
            let mut trial =
                RecordedTrial { time_ms: Some(ms), compile_ms: 1e3, ..RecordedTrial::default() };
            trial.metrics.insert("error".to_owned(), error);
            recorded.insert(Named(vec![("a".to_owned(), Value::from(at))]), trial);
        }
        recorded
    }

    fn space(kind: PenaltyKind) -> FrontSpace {
        let ranking = Ranking {
            objective: Objective::asked("seconds"),
            further: vec![Objective::asked("error")],
            bounds: Bounds(vec![Bound::on_error(1e-4)]),
            penalty: Penalty { kind, ..Penalty::default() },
            ..Ranking::default()
        };
        FrontSpace::new("made", &recorded(), &ranking).expect("a front")
    }

    #[test]
    fn a_search_hears_of_what_is_beyond_the_bounds_as_the_penalty_says() {
        let decay = space(PenaltyKind::Decay);
        assert_eq!(decay.truth.len(), 2, "the front is that within the bounds");
        assert!(decay.rows[0].objectives.is_none());
        let told = decay.rows[0].told.as_ref().expect("a penalised score");
        // Two orders of magnitude beyond the bound count as e² times as slow.
        let times = told[0] / decay.rows[1].told.as_ref().expect("within")[0];
        assert!((times - 0.5 * 2_f64.exp()).abs() < 1e-9, "{times}");
        assert!(space(PenaltyKind::Hard).rows[0].told.is_none());
    }

    #[test]
    fn a_run_knows_its_distance_and_time_after_every_evaluation() {
        let random = ScoredStrategy::parse("random").expect("known");
        let run = space(PenaltyKind::Hard).search(&random, &[2, 3], 1);
        assert_eq!((run.igd_plus.len(), run.reached.len()), (3, 2));
        assert!(run.igd_plus.windows(2).all(|pair| pair[1] <= pair[0]));
        assert!(run.igd_plus_after(3).abs() < 1e-15 && run.igd_plus_after(0).is_infinite());
        assert!((run.reached[0].igd_plus - run.igd_plus[1]).abs() < 1e-15);
        assert!((run.seconds_after(3) - 3.0).abs() < 0.1, "{:?}", run.seconds);
    }
}
