//! One search: the problem a strategy sees, over an evaluator, a store of trials and a budget.

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

/// Store of trials. A trial that is in the store is not run again.
pub trait TrialStore {
    /// The trial of an earlier life of this study.
    fn recall(&mut self, size: u64, phase: Phase, configuration: &Named) -> Option<Trial>;
    /// Keeps trials; they are on disk when this returns.
    fn record(&mut self, trials: &[Trial]) -> Result<(), String>;
}

/// Is told of trials as they happen.
pub trait TrialListener {
    /// A configuration is about to be evaluated.
    fn begins(&mut self, size: u64, configuration: &Named, spent: &Spent);
    /// A trial is in the store.
    fn ended(&mut self, trial: &Trial);
}

/// Everything one search needs.
pub struct SizeSearch<'a> {
    /// The problem size.
    pub size: u64,
    /// What its trials are recorded as.
    pub phase: Phase,
    /// The space of the size.
    pub space: Arc<Space>,
    /// How outcomes are ranked.
    pub ranking: &'a Ranking,
    /// Evaluations and seconds that it may spend.
    pub budget: Budget,
    /// Configurations to begin with, the default among them.
    pub starts: Vec<ConfigurationId>,
    /// What was evaluated of the same kernel elsewhere, or at other sizes.
    pub memory: Arc<Memory>,
    /// The search's own random numbers.
    pub rng: Rng,
    /// Set by Ctrl-C.
    pub interrupted: &'a AtomicBool,
}

/// Most trials to come that patience is shared among.
const LONGEST: u64 = 1000;

/// A search in progress: the [`Problem`] a strategy works on.
pub struct Tuner<'a> {
    search: SizeSearch<'a>,
    evaluator: &'a mut dyn Evaluator,
    store: &'a mut dyn TrialStore,
    listener: &'a mut dyn TrialListener,
    ledger: Ledger,
    trials: Vec<(ConfigurationId, Trial)>,
    /// Seconds by configuration, at the pace of the size's first measurement.
    paced: FxHashMap<ConfigurationId, f64>,
    /// The fastest within the bound: others are measured beside it.
    incumbent: Option<ConfigurationId>,
    /// Whether objectives have values for a configuration measured beside another.
    races: bool,
    /// Costs of the first configuration that was measured.
    first: Option<Vec<f64>>,
    /// Seconds of preparing, by configuration that was not evaluated since.
    prepared: FxHashMap<ConfigurationId, f64>,
    ahead: Ahead,
    fault: Option<String>,
}

/// The result of a search.
#[derive(Debug, Clone, Default)]
pub struct Searched {
    /// The trials in the order they were made.
    pub trials: Vec<(ConfigurationId, Trial)>,
    /// Seconds of preparing configurations that were not tried in the end.
    pub unused_seconds: f64,
}

impl<'a> Tuner<'a> {
    /// A search that has not begun.
    pub fn new(
        search: SizeSearch<'a>,
        evaluator: &'a mut dyn Evaluator,
        store: &'a mut dyn TrialStore,
        listener: &'a mut dyn TrialListener,
    ) -> Self {
        let ledger = Ledger::new(search.space.len(), search.budget);
        let races = search.ranking.follows_time();
        Self {
            search,
            evaluator,
            store,
            listener,
            ledger,
            trials: Vec::new(),
            paced: FxHashMap::default(),
            incumbent: None,
            races,
            first: None,
            prepared: FxHashMap::default(),
            ahead: Ahead::default(),
            fault: None,
        }
    }

    /// Ends the search, or tells why trials could not be kept. Configurations that were compiled
    /// and not asked for are measured, since that costs little.
    pub fn finish(mut self) -> Result<Searched, String> {
        let mut ready: Vec<ConfigurationId> = self.prepared.keys().copied().collect();
        ready.sort_unstable();
        for id in ready {
            let goes_on = self.fault.is_none() && !self.search.interrupted.load(Ordering::Relaxed);
            if goes_on && self.is_paid_for(id) {
                // A fault is kept in `self.fault`, and a failed trial is in the store.
                let _ = self.run(id);
            }
        }
        let unused_seconds = self.prepared.values().sum();
        self.fault.map_or(Ok(Searched { trials: self.trials, unused_seconds }), Err)
    }

    /// Seconds that one measurement may take: a fair part of what is left.
    fn patience(&self) -> f64 {
        let spent = self.ledger.spent();
        let limit = self.search.budget.cost_seconds.unwrap_or(f64::INFINITY);
        let left = (limit - spent.cost_seconds).max(0.0);
        let trials = spent.limit.unwrap_or(LONGEST).min(self.search.space.len());
        let remaining = trials.saturating_sub(spent.evaluations).clamp(1, LONGEST);
        (left / remaining as f64).clamp(0.02, 2.0)
    }

    /// The strategy's view of a trial, also of an earlier life's.
    fn evaluation(&self, trial: &Trial) -> Evaluation {
        let ranking = self.search.ranking;
        match ranking.seeks_front() {
            true => ranking
                .scores(&trial.outcome, self.scale(1.0))
                .map_or_else(Evaluation::failed, Evaluation::of),
            false => trial.score.map_or_else(Evaluation::failed, Evaluation::scored),
        }
    }

    /// The configuration to measure the next one beside; `None` if the slowest may be on the front,
    /// or if objectives are observed over a span of time.
    fn beside(&self) -> Option<Named> {
        self.incumbent.filter(|_| self.races).map(|id| Named::of(&self.search.space, id))
    }

    /// Seconds of a measurement at the pace of the size's first one.
    fn paced(&self, measurement: &Measurement) -> f64 {
        let seconds = measurement.seconds.median;
        let Some(beside) = &measurement.beside else { return seconds };
        let pairs = beside.configuration.0.iter().map(|(name, value)| (name.as_str(), value));
        let other = self.search.space.id_of_named(pairs).and_then(|id| self.paced.get(&id));
        other.map_or(seconds, |other| beside.ratio * other)
    }

    fn scale(&self, pace: f64) -> Scale<'_> {
        Scale { pace: if pace.is_finite() { pace } else { 1.0 }, first: self.first.as_deref() }
    }

    /// The score of an outcome. If it depends on run time, it is at the pace of the size's first
    /// measurement, so that a machine that gets slower does not make later ones worse.
    fn score(&self, outcome: &Outcome) -> Option<f64> {
        let measurement = outcome.measurement.as_ref()?;
        let pace = self.paced(measurement) / measurement.seconds.median;
        self.search.ranking.scores(outcome, self.scale(pace))?.first().copied()
    }

    /// Remembers how fast a configuration is, and whether it is the incumbent.
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

    /// Whether a configuration is prepared, so that it may be evaluated without seconds left.
    fn is_paid_for(&self, id: ConfigurationId) -> bool {
        let spent = self.ledger.spent();
        let left = spent.limit.is_none_or(|limit| spent.evaluations < limit);
        left && self.prepared.contains_key(&id) && self.ledger.known(id).is_none()
    }

    /// A trial of an earlier life, with what it is charged. What the size's own search has tried is
    /// free for another search there.
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
                let silent = |m: &Measurement| !self.search.ranking.complete(m);
                if hints.beside.is_some() && outcome.measurement.as_ref().is_some_and(silent) {
                    // The objective has a value only if the configuration is measured alone.
                    self.races = false;
                    let spent = outcome.costs;
                    let hints = Hints { beside: None, ..hints };
                    outcome = self.evaluator.evaluate(size, &configuration, &hints);
                    outcome.costs += spent;
                }
                if self.search.interrupted.load(Ordering::Relaxed) && outcome.measurement.is_none()
                {
                    return Err(Stop::Interrupted);
                }
                let prepared = self.prepared.remove(&id).unwrap_or(0.0);
                outcome.costs.compile += prepared;
                // Preparing was charged when it happened.
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
            // A configuration that is compiled and paid for is still measured.
            Err(Stop::Budget) if self.is_paid_for(id) => return self.run(id),
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
        // The next is ready: preparing more one by one would waste what groups save.
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

    fn times_gpu_blocks(&self) -> bool {
        self.races && !self.evaluator.is_on_processor()
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
