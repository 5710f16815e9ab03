//! One search: the [`Problem`] of a strategy, over an evaluator, a store of trials and a budget.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use math::Rng;
use records::{Measurement, Named, Outcome, Phase, Trial};
use rustc_hash::FxHashMap;
use search_api::{Budget, Evaluation, Ledger, Lookup, Memory, Problem, Spent, Stop};
use space::{ConfigurationId, Space};

use super::{Evaluator, Hints, Ranking, objective::Scale, trials_ahead::Ahead};

/// Stores trials. A trial that is in the store is not run again.
pub trait TrialStore {
    /// Returns the trial of a configuration, if it is in the store.
    fn recall(&mut self, size: u64, phase: Phase, configuration: &Named) -> Option<Trial>;
    /// Stores trials. They are on disk when this returns.
    fn record(&mut self, trials: &[Trial]) -> Result<(), String>;
}

/// Listens to trials as they happen.
pub trait TrialListener {
    /// Called before a configuration is evaluated.
    fn begins(&mut self, size: u64, configuration: &Named, spent: &Spent);
    /// Called when a trial is in the store.
    fn ended(&mut self, trial: &Trial);
}

/// Everything one search needs.
pub struct SizeSearch<'a> {
    /// The problem size.
    pub size: u64,
    /// The phase of its trials in records.
    pub phase: Phase,
    /// The size's space.
    pub space: Arc<Space>,
    /// How outcomes are ranked.
    pub ranking: &'a Ranking,
    /// Evaluations and seconds that the search may spend.
    pub budget: Budget,
    /// Configurations to begin with, the default among them.
    pub starts: Vec<ConfigurationId>,
    /// The prior: evaluations of the same kernel elsewhere, or at other sizes.
    pub memory: Arc<Memory>,
    /// The search's own random numbers.
    pub rng: Rng,
    /// Set by Ctrl-C.
    pub interrupted: &'a AtomicBool,
}

/// Maximum number of trials among which [`Tuner::patience`] divides the remaining seconds.
const LONGEST: u64 = 1000;

/// A search in progress: the [`Problem`] that a strategy works on.
pub struct Tuner<'a> {
    search: SizeSearch<'a>,
    evaluator: &'a mut dyn Evaluator,
    store: &'a mut dyn TrialStore,
    listener: &'a mut dyn TrialListener,
    ledger: Ledger,
    trials: Vec<(ConfigurationId, Trial)>,
    /// Run time by configuration in seconds, at the machine speed of the size's first measurement.
    paced: FxHashMap<ConfigurationId, f64>,
    /// The fastest configuration within the bounds; others are measured alternately with it.
    incumbent: Option<ConfigurationId>,
    /// Costs of the first configuration that was measured.
    first: Option<Vec<f64>>,
    /// Seconds of compiling, by configuration that is prepared but not yet evaluated.
    prepared: FxHashMap<ConfigurationId, f64>,
    ahead: Ahead,
    fault: Option<String>,
}

/// The result of a search.
#[derive(Debug, Clone, Default)]
pub struct Searched {
    /// Trials in the order in which they were made.
    pub trials: Vec<(ConfigurationId, Trial)>,
    /// Seconds of compiling configurations that were never evaluated.
    pub unused_seconds: f64,
}

impl<'a> Tuner<'a> {
    /// Creates a search that has not begun.
    pub fn new(
        search: SizeSearch<'a>,
        evaluator: &'a mut dyn Evaluator,
        store: &'a mut dyn TrialStore,
        listener: &'a mut dyn TrialListener,
    ) -> Self {
        let ledger = Ledger::new(search.space.len(), search.budget);
        Self {
            search,
            evaluator,
            store,
            listener,
            ledger,
            trials: Vec::new(),
            paced: FxHashMap::default(),
            incumbent: None,
            first: None,
            prepared: FxHashMap::default(),
            ahead: Ahead::default(),
            fault: None,
        }
    }

    /// Ends the search. Configurations that were compiled and not asked for are measured now, since
    /// that costs little. Fails if a trial could not be stored or the machine lacked something.
    pub fn finish(mut self) -> Result<Searched, String> {
        let mut ready: Vec<ConfigurationId> = self.prepared.keys().copied().collect();
        ready.sort_unstable();
        for id in ready {
            let goes_on = self.fault.is_none() && !self.search.interrupted.load(Ordering::Relaxed);
            if goes_on && self.is_paid_for(id) {
                // A fault is in `self.fault`, and a failed trial is in the store.
                let _ = self.run(id);
            }
        }
        let unused_seconds = self.prepared.values().sum();
        self.fault.map_or(Ok(Searched { trials: self.trials, unused_seconds }), Err)
    }

    /// Returns the maximum seconds of one measurement: an equal share of the remaining budget.
    fn patience(&self) -> f64 {
        let spent = self.ledger.spent();
        let limit = self.search.budget.cost_seconds.unwrap_or(f64::INFINITY);
        let left = (limit - spent.cost_seconds).max(0.0);
        let trials = spent.limit.unwrap_or(LONGEST).min(self.search.space.len());
        let remaining = trials.saturating_sub(spent.evaluations).clamp(1, LONGEST);
        (left / remaining as f64).clamp(0.02, 2.0)
    }

    /// Returns what the strategy is told about a trial, new or from the store.
    fn evaluation(&self, trial: &Trial) -> Evaluation {
        let ranking = self.search.ranking;
        match ranking.seeks_front() {
            true => ranking
                .scores(&trial.outcome, self.scale(1.0))
                .map_or_else(Evaluation::failed, Evaluation::of),
            false => trial.score.map_or_else(Evaluation::failed, Evaluation::scored),
        }
    }

    /// Returns the configuration to measure alternately with the next one. `None` without an
    /// incumbent, for a front (the slowest may be on it), and if a metric is observed over a span of
    /// time.
    fn beside(&self) -> Option<Named> {
        self.incumbent.filter(|_| self.races()).map(|id| Named::of(&self.search.space, id))
    }

    fn races(&self) -> bool {
        self.search.ranking.follows_time() && self.search.ranking.observed.is_empty()
    }

    /// Returns the run time of a measurement, at the machine speed of the size's first measurement.
    fn paced(&self, measurement: &Measurement) -> f64 {
        let seconds = measurement.seconds.median;
        let Some(beside) = &measurement.beside else { return seconds };
        let other =
            beside.configuration.id_in(&self.search.space).and_then(|id| self.paced.get(&id));
        other.map_or(seconds, |other| beside.ratio * other)
    }

    fn scale(&self, pace: f64) -> Scale<'_> {
        Scale { pace: if pace.is_finite() { pace } else { 1.0 }, first: self.first.as_deref() }
    }

    /// Returns the score of an outcome. Scores by run time are corrected to the machine speed of
    /// the size's first measurement, so that a slower machine does not worsen later scores.
    fn score(&self, outcome: &Outcome) -> Option<f64> {
        let measurement = outcome.measurement.as_ref()?;
        let pace = self.paced(measurement) / measurement.seconds.median;
        self.search.ranking.scores(outcome, self.scale(pace))?.first().copied()
    }

    /// Stores the run time of a configuration, and makes it the incumbent if it is the fastest.
    fn place(&mut self, id: ConfigurationId, outcome: &Outcome) {
        let Some(measurement) = &outcome.measurement else { return };
        if self.first.is_none() {
            self.first = self.search.ranking.unbounded(outcome);
        }
        let paced = self.paced(measurement);
        self.paced.insert(id, paced);
        let best = self.incumbent.and_then(|id| self.paced.get(&id)).copied();
        if self.search.ranking.admissible(outcome).is_some() && best.is_none_or(|best| paced < best)
        {
            self.incumbent = Some(id);
        }
    }

    /// Whether a configuration is compiled already, so that it may be evaluated after time is up.
    fn is_paid_for(&self, id: ConfigurationId) -> bool {
        let spent = self.ledger.spent();
        let left = spent.limit.is_none_or(|limit| spent.evaluations < limit);
        left && self.prepared.contains_key(&id) && self.ledger.known(id).is_none()
    }

    fn is_stored(&mut self, id: ConfigurationId) -> bool {
        let configuration = Named::of(&self.search.space, id);
        let is_new = self.ledger.known(id).is_none();
        let limit = self.ledger.spent().limit;
        let left = limit.is_none_or(|limit| self.ledger.spent().evaluations < limit);
        let (size, phase) = (self.search.size, self.search.phase);
        is_new && left && self.store.recall(size, phase, &configuration).is_some()
    }

    /// Returns a trial from the store, and the seconds to charge for it. In other phases, trials of
    /// the size's own search are used too, free of charge.
    fn recall(&mut self, configuration: &Named) -> Option<(Trial, f64)> {
        let (size, phase) = (self.search.size, self.search.phase);
        if let Some(trial) = self.store.recall(size, phase, configuration) {
            let cost = trial.outcome.costs.total();
            return Some((trial, cost));
        }
        if phase == Phase::Search {
            return None;
        }
        let mut trial = self.store.recall(size, Phase::Search, configuration)?;
        trial.score = self.score(&trial.outcome);
        Some((trial, 0.0))
    }

    fn run(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        let configuration = Named::of(&self.search.space, id);
        let size = self.search.size;
        let charged;
        let trial = match self.recall(&configuration) {
            Some((trial, cost)) => {
                charged = cost;
                trial
            }
            None => {
                let spent = self.ledger.spent();
                self.listener.begins(size, &configuration, &spent);
                let hints = Hints { beside: self.beside(), patience: self.patience() };
                let most = spent.evaluations_left().unwrap_or(u64::MAX);
                let (ledger, store, space) = (&self.ledger, &mut *self.store, &self.search.space);
                let phase = self.search.phase;
                let mut is_new = |id| {
                    let named = Named::of(space, id);
                    ledger.known(id).is_none() && store.recall(size, phase, &named).is_none()
                };
                let subject = (&**space, size);
                let new = (most, &mut is_new as &mut dyn FnMut(ConfigurationId) -> bool);
                let mut outcome = self.ahead.outcome(id, self.evaluator, subject, &hints, new);
                if let Some(why) = self.evaluator.lacking() {
                    self.fault = Some(why);
                    return Err(Stop::Interrupted);
                }
                if self.search.interrupted.load(Ordering::Relaxed) && outcome.measurement.is_none()
                {
                    return Err(Stop::Interrupted);
                }
                let prepared = self.prepared.remove(&id).unwrap_or(0.0);
                outcome.costs.compile += prepared;
                // Compiling ahead was charged when it happened.
                charged = outcome.costs.total() - prepared;
                let score = self.score(&outcome);
                let phase = self.search.phase;
                let trial = Trial { size, phase, configuration, outcome, score };
                if let Err(why) = self.store.record(std::slice::from_ref(&trial)) {
                    self.fault = Some(why);
                    return Err(Stop::Interrupted);
                }
                trial
            }
        };
        self.place(id, &trial.outcome);
        let evaluation = self.evaluation(&trial);
        self.ledger.record(id, evaluation.clone(), charged);
        self.listener.ended(&trial);
        self.trials.push((id, trial));
        Ok(evaluation)
    }
}

impl Problem for Tuner<'_> {
    fn space(&self) -> Arc<Space> {
        Arc::clone(&self.search.space)
    }

    fn evaluate(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        match self.check() {
            // A configuration that is already compiled is still measured. A resumed search has it in
            // its store.
            Err(Stop::Budget) if self.is_paid_for(id) || self.is_stored(id) => return self.run(id),
            result => result?,
        }
        match self.ledger.ask(id)? {
            Lookup::Known(evaluation) => Ok(evaluation),
            Lookup::New => self.run(id),
        }
    }

    fn evaluate_all(&mut self, ids: &[ConfigurationId]) -> Result<Vec<Evaluation>, Stop> {
        self.may_try(ids);
        self.ahead.hint(ids, true);
        ids.iter().map(|id| self.evaluate(*id)).collect()
    }

    fn may_try(&mut self, ids: &[ConfigurationId]) {
        self.ahead.hint(ids, false);
        // The next one is compiled. Later ones are compiled as a group, which is faster.
        if ids.first().is_some_and(|next| self.prepared.contains_key(next)) {
            return;
        }
        let left = self.ledger.spent().evaluations_left().unwrap_or(u64::MAX);
        let (mut wanted, mut names) = (Vec::new(), Vec::new());
        for id in ids {
            if self.ledger.known(*id).is_some() {
                continue;
            }
            if wanted.len() as u64 >= left {
                break;
            }
            let configuration = Named::of(&self.search.space, *id);
            if self.recall(&configuration).is_none() {
                wanted.push(*id);
                names.push(configuration);
            }
        }
        if wanted.len() > 1 {
            let seconds = self.evaluator.prepare(self.search.size, &names);
            self.ledger.charge(seconds);
            let share = seconds / wanted.len() as f64;
            for id in wanted {
                *self.prepared.entry(id).or_default() += share;
            }
        }
    }

    fn starts(&self) -> Vec<ConfigurationId> {
        self.search.starts.clone()
    }

    fn memory(&self) -> &Memory {
        &self.search.memory
    }

    fn scores_are_seconds(&self) -> bool {
        self.search.ranking.objective.is_in_seconds()
    }

    fn times_gpu_blocks(&self) -> bool {
        self.races() && !self.evaluator.is_on_processor()
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.search.rng
    }

    fn spent(&self) -> Spent {
        self.ledger.spent()
    }

    fn check(&self) -> Result<(), Stop> {
        if self.search.interrupted.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        self.ledger.check()
    }
}
