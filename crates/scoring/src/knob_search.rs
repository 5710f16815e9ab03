//! Searches the knobs of a strategy with another strategy: the settings are a space, and the cost
//! of a setting is how far its score is from the optimum.
//!
//! A choice that was made on some spaces says little about others. So the search is repeated
//! without each space, kernel and device, and its answer is scored on what was left out.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use math::mean;
use registry::Grid;
use search_api::{Analytic, Budget, Evaluation, Ledger, Lookup, Stop};
use space::{ConfigurationId, Parameter, Space, Value};

use super::{
    Landscape, LeftOutSpaces, ScoredStrategy, Standing, StrategyComparison, Thinking, Watch,
    left_out, standings,
};

/// Which settings are searched, where, and by which strategy.
pub struct KnobSearch<'a> {
    /// Settings of a strategy; every brace is a knob.
    pub grid: &'a Grid,
    /// The settings that the search begins with, by their places in the grid.
    pub defaults: &'a [usize],
    /// Where settings are scored.
    pub landscapes: &'a [Landscape],
    /// The strategy that searches.
    pub with: &'a ScoredStrategy,
    /// Settings that a search may try.
    pub evaluations: u64,
    /// Runs of a setting on each space.
    pub repeats: usize,
    /// Seed of the first run, and of the searches.
    pub seed: u64,
}

/// A setting that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedSetting {
    /// The strategy with its settings.
    pub strategy: String,
    /// Its result on every space.
    pub standings: Vec<Standing>,
    /// Runs in which the strategy itself failed. A setting with such a run is a failed evaluation
    /// of the search, so it is never the best.
    pub failed: usize,
    /// Why the first of these runs failed.
    pub fault: Option<Arc<str>>,
}

/// Result of a search without some spaces.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// The spaces that were left out.
    pub of: LeftOutSpaces,
    /// Position of the setting that was found, among all that were tried.
    pub found: usize,
}

/// Results of all searches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Searched {
    /// Every setting that was tried in any search, the defaults first.
    pub tried: Vec<TriedSetting>,
    /// Position of the best over all spaces.
    pub best: usize,
    /// For each space, kernel and device, the answer of the search without it, if there is one.
    /// Empty for a single space.
    pub left_out: Vec<LeftOut>,
    /// Number of searches.
    pub searches: usize,
    /// Why the searching strategy failed, if it did. What it had tried counts.
    pub fault: Option<Arc<str>>,
}

impl KnobSearch<'_> {
    /// Number of settings.
    ///
    /// # Errors
    /// If the settings make no space.
    pub fn size(&self) -> Result<u64, String> {
        Ok(self.space()?.len())
    }

    fn space(&self) -> Result<Space, String> {
        let parameters = self.grid.dimensions().into_iter().zip(self.defaults);
        let parameters = parameters.map(|((name, values), default)| Parameter {
            default: Some(*default),
            ..Parameter::new(name, values.iter().map(|text| value(text)).collect::<Vec<Value>>())
        });
        let none: [&str; 0] = [];
        Space::build(parameters.collect(), &none, &[]).map_err(|error| error.to_string())
    }

    /// Searches over all spaces, and then without some. Returns `None` if `watch` stopped it.
    /// `tried` is called with every setting as soon as it is scored.
    ///
    /// # Errors
    /// If the settings make no space, if the strategy does not allow one of them, or if every
    /// setting that the search tried failed.
    pub fn search(
        &self,
        watch: Watch<'_>,
        tried: &dyn Fn(&TriedSetting),
    ) -> Result<Option<Searched>, String> {
        let space = Arc::new(self.space()?);
        let scores = Scores { search: self, watch, tried, state: RefCell::default() };
        let all: Vec<usize> = (0..self.landscapes.len()).collect();
        let mut best = None;
        let mut left_out = Vec::new();
        let Some(defaults) = space.default_id() else { return Err("there is no setting".into()) };
        scores.of(&space, defaults);
        let without = |out: &LeftOutSpaces| {
            all.iter().copied().filter(|space| !out.spaces.contains(space)).collect()
        };
        let mut folds = vec![(None, all.clone())];
        let parts = left_out::parts(self.landscapes).into_iter();
        folds.extend(parts.map(|out| (Some(out.clone()), without(&out))));
        let searches = folds.len();
        for (without, kept) in folds {
            let found = self.fold(&space, &scores, &kept);
            if let Some(refused) = scores.state.borrow_mut().refused.take() {
                return Err(refused);
            }
            if (watch.stopped)() {
                return Ok(None);
            }
            match (without, found) {
                (None, None) => return Err(scores.all_failed()),
                (None, found) => best = found,
                (Some(_), None) => (),
                (Some(of), Some(found)) => left_out.push(LeftOut { of, found }),
            }
        }
        let State { tried, fault, .. } = scores.state.into_inner();
        Ok(best.map(|best| Searched { tried, best, left_out, searches, fault }))
    }

    /// Scores a strategy again, with seeds that no search uses; `None` if `watch` stopped it.
    ///
    /// # Errors
    /// If the text names no strategy.
    pub fn fresh(
        &self,
        strategy: &str,
        repeats: usize,
        watch: Watch<'_>,
    ) -> Result<Option<TriedSetting>, String> {
        let seed = self.held(&[], self.repeats, self.seed).next_seed();
        self.scored(strategy, (repeats, seed), watch)
    }

    fn held<'b>(
        &'b self,
        strategies: &'b [ScoredStrategy],
        repeats: usize,
        seed: u64,
    ) -> StrategyComparison<'b> {
        StrategyComparison {
            landscapes: self.landscapes,
            strategies,
            repeats,
            seed,
            thinking: Thinking::Free,
            budget: None,
        }
    }

    /// Runs a strategy on every space.
    fn scored(
        &self,
        strategy: &str,
        (repeats, seed): (usize, u64),
        watch: Watch<'_>,
    ) -> Result<Option<TriedSetting>, String> {
        let parsed = [ScoredStrategy::parse(strategy).map_err(|why| why.to_string())?];
        let comparison = self.held(&parsed, repeats, seed);
        let runs = comparison.hold(watch);
        if (watch.stopped)() {
            return Ok(None);
        }
        let faults = || runs.iter().flatten().flatten().filter_map(|run| run.fault.as_ref());
        let (failed, fault) = (faults().count(), faults().next().map(Arc::clone));
        let standings = standings(&comparison, &runs, &[]).pop().unwrap_or_default();
        Ok(Some(TriedSetting { strategy: strategy.to_owned(), standings, failed, fault }))
    }

    /// The best setting of one search that uses these spaces, by its position among the tried ones;
    /// `None` if all of them failed.
    fn fold(&self, space: &Arc<Space>, scores: &Scores<'_, '_>, kept: &[usize]) -> Option<usize> {
        let answer = |ledger: &mut Ledger, id| match ledger.ask(id)? {
            Lookup::Known(evaluation) => Ok(evaluation),
            Lookup::New => {
                let Some(at) = scores.of(space, id) else { return Err(Stop::Interrupted) };
                let evaluation =
                    scores.cost(at, kept).map_or_else(Evaluation::failed, Evaluation::scored);
                ledger.record(id, evaluation.clone(), 1.0);
                Ok(evaluation)
            }
        };
        let budget = Budget::evaluations(self.evaluations);
        let starts = space.default_id().into_iter().collect();
        let mut problem = Analytic::answering(Arc::clone(space), budget, self.seed, answer)
            .starting_at(starts)
            .scoring_seconds(false);
        // However the search ends, what it tried counts.
        if let Err(Stop::Fault(why)) = self.with.searcher().search(&mut problem) {
            scores.state.borrow_mut().fault.get_or_insert(why);
        }
        let tried = problem.ledger().order().iter().filter_map(|id| scores.known(*id));
        let costs = tried.filter_map(|at| Some((scores.cost(at, kept)?, at)));
        costs.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
    }
}

/// Results of settings. A setting runs once, however many searches ask for it.
struct Scores<'a, 'b> {
    search: &'a KnobSearch<'b>,
    watch: Watch<'a>,
    tried: &'a dyn Fn(&TriedSetting),
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    tried: Vec<TriedSetting>,
    places: BTreeMap<u64, usize>,
    /// Why the strategy does not allow a setting.
    refused: Option<String>,
    /// Why the searching strategy failed.
    fault: Option<Arc<str>>,
}

impl Scores<'_, '_> {
    fn known(&self, id: ConfigurationId) -> Option<usize> {
        self.state.borrow().places.get(&id.0).copied()
    }

    /// The position of a setting, which runs first if it is new; `None` if it is not allowed or was
    /// stopped.
    fn of(&self, space: &Space, id: ConfigurationId) -> Option<usize> {
        if let Some(at) = self.known(id) {
            return Some(at);
        }
        let places = space.configuration(id);
        let places: Vec<usize> = places.0.iter().map(|place| *place as usize).collect();
        let strategy = self.search.grid.entry(&places);
        let seeds = (self.search.repeats, self.search.seed);
        let scored = match self.search.scored(&strategy, seeds, self.watch) {
            Ok(scored) => scored?,
            Err(why) => {
                self.state.borrow_mut().refused = Some(why);
                return None;
            }
        };
        (self.tried)(&scored);
        let mut state = self.state.borrow_mut();
        let at = state.tried.len();
        state.tried.push(scored);
        state.places.insert(id.0, at);
        Some(at)
    }

    /// How far the mean score over these spaces is from the optimum; `None` for a setting that
    /// failed in any run.
    fn cost(&self, at: usize, kept: &[usize]) -> Option<f64> {
        let state = self.state.borrow();
        let tried = &state.tried[at];
        let scores = || kept.iter().map(|space| tried.standings[*space].score);
        (tried.failed == 0).then(|| 1.0 - mean(&scores().collect::<Vec<_>>()))
    }

    /// The error if no setting can be recommended.
    fn all_failed(&self) -> String {
        let state = self.state.borrow();
        let why = state.tried.iter().find_map(|tried| tried.fault.as_deref());
        let why = why.or(state.fault.as_deref()).unwrap_or("nothing was tried");
        format!("the search found no setting without a failed run: {why}")
    }
}

/// Parses a value. Numbers have an order that models of a space use.
fn value(text: &str) -> Value {
    let whole = text.parse::<i64>().ok().map(Value::from);
    let number = || text.parse::<f64>().ok().filter(|x| x.is_finite()).map(Value::from);
    whole.or_else(number).unwrap_or_else(|| Value::from(text))
}
