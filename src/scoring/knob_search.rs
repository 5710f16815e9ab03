//! Searches the knobs of a strategy with another strategy: the settings are a space, and the cost of
//! one is how far its score is from the optimum.
//!
//! What was chosen on some spaces says little of others, so that the search is held again for every
//! space without it, and its answer is scored there.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use super::{Landscape, ScoredStrategy, Standing, StrategyComparison, Thinking, Watch, standings};
use crate::{
    numeric::mean,
    registry::Grid,
    space::{ConfigurationId, Parameter, Space, Value},
    strategies::{Analytic, Budget, Evaluation, Ledger, Lookup, Stop},
};

/// Which settings are searched, where, and by whom.
pub struct KnobSearch<'a> {
    /// Settings of a strategy; every brace is a knob.
    pub grid: &'a Grid,
    /// The settings that the search begins with, by their places in the grid.
    pub defaults: &'a [usize],
    /// Where settings are scored.
    pub landscapes: &'a [Landscape],
    /// Who searches.
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
}

/// What a search without one space found, and how good that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// Number of the space that was left out.
    pub space: usize,
    /// Position, among the settings that were tried, of the one that was found.
    pub found: usize,
}

/// What was tried.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Searched {
    /// Every setting that was tried in any search, the defaults first.
    pub tried: Vec<TriedSetting>,
    /// Position of the best over all spaces.
    pub best: usize,
    /// For each space, the answer of the search without it; nothing for a single space.
    pub left_out: Vec<LeftOut>,
}

impl KnobSearch<'_> {
    /// Number of the settings.
    ///
    /// # Errors
    /// If they make no space.
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

    /// Searches over all spaces, and then without each; nothing if nobody wants more.
    ///
    /// # Errors
    /// If the settings make no space, or one of them is none of the strategy.
    pub fn search(&self, watch: Watch<'_>) -> Result<Option<Searched>, String> {
        let space = Arc::new(self.space()?);
        let scores = Scores { search: self, watch, state: RefCell::default() };
        let all: Vec<usize> = (0..self.landscapes.len()).collect();
        let mut best = None;
        let mut left_out = Vec::new();
        let Some(defaults) = space.default_id() else { return Err("there is no setting".into()) };
        scores.of(&space, defaults);
        let mut folds = vec![(None, all.clone())];
        if all.len() > 1 {
            let without = |space: usize| all.iter().copied().filter(move |s| *s != space).collect();
            folds.extend(all.iter().map(|space| (Some(*space), without(*space))));
        }
        for (without, kept) in folds {
            let found = self.fold(&space, &scores, &kept);
            if let Some(fault) = scores.state.borrow_mut().fault.take() {
                return Err(fault);
            }
            let Some(found) = found.filter(|_| !(watch.stopped)()) else { return Ok(None) };
            match without {
                None => best = Some(found),
                Some(space) => left_out.push(LeftOut { space, found }),
            }
        }
        let state = scores.state.into_inner();
        Ok(best.map(|best| Searched { tried: state.tried, best, left_out }))
    }

    /// The best setting of one search that knows these spaces, by its position among the tried.
    fn fold(&self, space: &Arc<Space>, scores: &Scores<'_, '_>, kept: &[usize]) -> Option<usize> {
        let answer = |ledger: &mut Ledger, id| match ledger.ask(id)? {
            Lookup::Known(evaluation) => Ok(evaluation),
            Lookup::New => {
                let Some(at) = scores.of(space, id) else { return Err(Stop::Interrupted) };
                let evaluation = Evaluation::scored(scores.cost(at, kept));
                ledger.record(id, evaluation.clone(), 1.0);
                Ok(evaluation)
            }
        };
        let budget = Budget::evaluations(self.evaluations);
        let starts = space.default_id().into_iter().collect();
        let mut problem =
            Analytic::answering(Arc::clone(space), budget, self.seed, answer).starting_at(starts);
        // Every end of a search is one; what it tried counts.
        let _ = self.with.searcher().search(&mut problem);
        let tried = problem.ledger().order().iter().filter_map(|id| scores.known(*id));
        tried.min_by(|a, b| scores.cost(*a, kept).total_cmp(&scores.cost(*b, kept)))
    }
}

/// Results of settings, each run once however many searches ask for it.
struct Scores<'a, 'b> {
    search: &'a KnobSearch<'b>,
    watch: Watch<'a>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    tried: Vec<TriedSetting>,
    places: BTreeMap<u64, usize>,
    fault: Option<String>,
}

impl Scores<'_, '_> {
    fn known(&self, id: ConfigurationId) -> Option<usize> {
        self.state.borrow().places.get(&id.0).copied()
    }

    /// The position of a setting, which is run if it was not; nothing if that failed or was stopped.
    fn of(&self, space: &Space, id: ConfigurationId) -> Option<usize> {
        if let Some(at) = self.known(id) {
            return Some(at);
        }
        let places = space.configuration(id);
        let places: Vec<usize> = places.0.iter().map(|place| *place as usize).collect();
        let strategy = self.search.grid.entry(&places);
        let parsed = match ScoredStrategy::parse(&strategy) {
            Ok(parsed) => [parsed],
            Err(why) => {
                self.state.borrow_mut().fault = Some(why.to_string());
                return None;
            }
        };
        let comparison = StrategyComparison {
            landscapes: self.search.landscapes,
            strategies: &parsed,
            repeats: self.search.repeats,
            seed: self.search.seed,
            thinking: Thinking::Free,
            budget: None,
        };
        let runs = comparison.hold(self.watch);
        if (self.watch.stopped)() {
            return None;
        }
        let standings = standings(&comparison, &runs, &[]).pop()?;
        let mut state = self.state.borrow_mut();
        let at = state.tried.len();
        state.tried.push(TriedSetting { strategy, standings });
        state.places.insert(id.0, at);
        Some(at)
    }

    /// How far the mean score over these spaces is from the optimum.
    fn cost(&self, at: usize, kept: &[usize]) -> f64 {
        let state = self.state.borrow();
        let standings = &state.tried[at].standings;
        1.0 - mean(&kept.iter().map(|space| standings[*space].score).collect::<Vec<_>>())
    }
}

/// A value as what it is: numbers have an order that models of a space use.
fn value(text: &str) -> Value {
    let whole = text.parse::<i64>().ok().map(Value::from);
    let number = || text.parse::<f64>().ok().filter(|x| x.is_finite()).map(Value::from);
    whole.or_else(number).unwrap_or_else(|| Value::from(text))
}
