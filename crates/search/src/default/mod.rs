//! Bayesian optimization with a Gaussian process for tuning spaces: the strategy `default`.
//!
//! It begins with one configuration in the middle and five of round values, far apart. Then it
//! always evaluates the candidate with the highest expected improvement over the best (Jones,
//! Schonlau and Welch 1998) times the probability that it is valid. What fits it to kernels:
//!
//! - Blocks of 128 to 256 threads are expected to be fast (`surrogate/blocks.rs`).
//! - Two values have a distance for being different, and another for how often they can be halved.
//! - The effect of a parameter alone is learnt separately from the joint effect of all.
//! - The target is half logarithm, half rank.
//! - Every distance has a length. The lengths are the most probable ones under a prior that expects
//!   long lengths.
//! - With several objectives, every step improves another weighting of them (ParEGO, in
//!   `surrogate/scalarisation.rs`).
//!
//! With a prior of other devices it begins with what was best there, and trusts the sources as far
//! as they explain its results (`informed.rs`). Earlier sizes of a study are such a source. A
//! single device of another vendor is used only after the search has begun without it.

mod informed;
mod model;

use math::Rng;
use registry::{Allowed, Knob, Knobs};
use search_api::{Evaluation, Memory, Problem, Provenance, Stop, Strategy};
use space::{Configuration, ConfigurationId, Shuffle, Space};

use self::{
    informed::{HEARD_FROM, Informed},
    model::{LEAST_VALID, Model},
};
use super::{
    surrogate::{Blocks, History, Hyperparameters, Scalarisation, Targets, fit, log_improvement},
    walks::{round_values::RoundValues, value_distance::ValueDistance},
};

/// Number of configurations from which the first point of the design is chosen, and each other.
const DRAWS: (usize, usize) = (400, 60);
/// Tries for better hyperparameters: at first, and at every refit.
const TRIES: (usize, usize) = (90, 30);
/// Points that hyperparameters are fitted to: the best, and random others.
const FITTED: (usize, usize) = (45, 65);
/// A step evaluates one configuration per this many known points, and at least one.
const PER_STEP: usize = 150;
/// Fewest candidates announced with `may_try` before a step.
const AHEAD: usize = 2;

inventory::submit!(Strategy {
    name: "default",
    aliases: &[],
    about: "models run times with a Gaussian process and tries what promises the most improvement",
    reference: "Jones, Schonlau and Welch, Efficient Global Optimization, J. Global Optimization 13, 1998",
    knobs: &[Knob {
        name: "design",
        about: "configurations far apart to begin with, starts included",
        default: "6",
        allowed: Allowed::Integer(1, 10_000),
    }],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut search = Search::new(&space, problem.memory(), problem.times_gpu_blocks());
    search.begin(problem, knobs.integer("design"))?;
    loop {
        problem.check()?;
        search.listen(problem)?;
        let next = match search.history.knows_valid() {
            true => search.promising(problem),
            false => Vec::new(),
        };
        let steps = (search.history.len() / PER_STEP).max(1);
        problem.may_try(&next);
        let mut progress = false;
        for id in next.into_iter().take(steps) {
            progress = true;
            search.evaluate(problem, id)?;
        }
        if !progress {
            let Some(id) = search.unseen(problem) else { return Ok(()) };
            search.evaluate(problem, id)?;
        }
    }
}

/// Prior means of the hyperparameters.
fn expected(memory: Option<&Informed>, history: &History) -> Hyperparameters {
    memory.map_or_else(
        || Hyperparameters::prior(history.metric().lengths().map(|(_, of)| of)),
        |memory| memory.expected(history.metric()),
    )
}

/// What the study tried at other sizes, if it is allowed here.
fn met(space: &Space, memory: &Memory) -> Vec<Configuration> {
    let own = memory.sources.iter().filter(|source| source.from == Provenance::OwnStudy);
    let ids = own.flat_map(|source| source.trials.iter().filter_map(|t| source.id_of(space, t)));
    ids.map(|id| space.configuration(id)).collect()
}

struct Search<'a> {
    space: &'a Space,
    spread: ValueDistance,
    round: RoundValues,
    history: History,
    several: Scalarisation,
    /// What the study tried at other sizes, if that is too little for a source. The design keeps
    /// away from it.
    met: Vec<Configuration>,
    memory: Option<Informed>,
    /// A prior that is not used yet.
    unheard: Option<Informed>,
    settings: Hyperparameters,
    model: Option<Model>,
    rest: Shuffle,
}

impl<'a> Search<'a> {
    fn new(space: &'a Space, memory: &Memory, times_gpu_blocks: bool) -> Self {
        let blocks = if times_gpu_blocks { Blocks::new(space) } else { Blocks::default() };
        let history = History::new(space).expecting(blocks);
        let (unheard, informed): (Option<Informed>, Option<Informed>) =
            match Informed::new(space, memory) {
                Some(informed) if informed.waits() => (Some(informed), None),
                informed => (None, informed),
            };
        let met = if informed.is_none() { met(space, memory) } else { Vec::new() };
        let memory = informed;
        let settings = expected(memory.as_ref(), &history);
        Self {
            space,
            spread: ValueDistance::new(space),
            round: RoundValues::new(space),
            met,
            memory,
            unheard,
            settings,
            history,
            several: Scalarisation::default(),
            model: None,
            rest: space.shuffle(),
        }
    }

    fn evaluate(&mut self, problem: &mut dyn Problem, id: ConfigurationId) -> Result<(), Stop> {
        let evaluation: Evaluation = problem.evaluate(id)?;
        if !self.history.learn(self.space, id, evaluation.cost()) {
            return Ok(());
        }
        self.several.learn(&evaluation);
        if let Some(model) = &mut self.model {
            let last = self.history.len() - 1;
            model.candidates.take(id);
            if model.process.push(self.history.place(last)) {
                model.seen.push(last);
                model.candidates.see(&model.process);
                if let Some(memory) = &mut self.memory {
                    memory.see(model, self.space, &self.history, id);
                }
            }
        }
        Ok(())
    }

    /// Evaluates the starts, then what was best elsewhere or, without a prior, configurations far
    /// from everything known.
    fn begin(&mut self, problem: &mut dyn Problem, design: u64) -> Result<(), Stop> {
        let starts = problem.starts();
        problem.may_try(&starts);
        for id in starts {
            self.evaluate(problem, id)?;
        }
        let best = self.memory.as_mut().map(|memory| memory.best(self.space)).unwrap_or_default();
        if !best.is_empty() {
            problem.may_try(&best);
            return best.into_iter().try_for_each(|id| self.evaluate(problem, id));
        }
        // A front that was found elsewhere lies close together, so a front needs the whole design.
        let known = if self.several.is_for_front() { 0 } else { self.history.len() as u64 };
        let budget = problem.spent().evaluations_left().map_or(design, |left| (left / 3).max(2));
        for _ in known..design.min(budget.saturating_add(known)) {
            let next = match self.history.len() {
                0 => self.spread.central(self.space, self.random(DRAWS.0, problem.rng())),
                _ => self.remote(self.round.draw(self.space, DRAWS.1, problem.rng())),
            };
            match next {
                Some(id) => self.evaluate(problem, id)?,
                None => break,
            }
        }
        Ok(())
    }

    /// Uses a prior that waited, once the search has begun without it. If nothing was valid so far,
    /// evaluates what the prior expects to be best.
    fn listen(&mut self, problem: &mut dyn Problem) -> Result<(), Stop> {
        if self.history.len() < HEARD_FROM {
            return Ok(());
        }
        let Some(mut memory) = self.unheard.take() else { return Ok(()) };
        let best = match self.history.knows_valid() {
            true => Vec::new(),
            false => memory.best(self.space),
        };
        (self.memory, self.model) = (Some(memory), None);
        problem.may_try(&best);
        best.into_iter().try_for_each(|id| self.evaluate(problem, id))
    }

    fn random(&self, count: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
        (0..count).filter_map(|_| self.space.random(rng)).collect()
    }

    /// The drawn configuration that is farthest from everything known, if it is unknown.
    fn remote(&self, drawn: Vec<ConfigurationId>) -> Option<ConfigurationId> {
        let mut known = self.history.configurations(self.space);
        known.extend(self.met.iter().cloned());
        let remote = self.spread.remote(self.space, drawn, &known);
        remote.filter(|id| !self.history.known().contains(id))
    }

    /// The most promising candidates, best first.
    fn promising(&mut self, problem: &mut dyn Problem) -> Vec<ConfigurationId> {
        if self.history.metric().axes() == 0 {
            return Vec::new();
        }
        if let Some(costs) = self.several.costs(problem.rng()) {
            self.history.weigh(costs);
        }
        if self.model.as_ref().is_none_or(|model| self.history.len() >= model.refit_at) {
            self.refit(problem.rng());
        }
        let Some(model) = &self.model else { return Vec::new() };
        let count = (self.history.len() / PER_STEP).max(AHEAD);
        let gains = match &mut self.memory {
            Some(memory) => memory.acquisition(model, &self.history),
            None => self.acquisition(model),
        };
        model.candidates.best(&gains, count)
    }

    /// ln of the expected improvement times the probability of being valid, for every candidate.
    fn acquisition(&self, model: &Model) -> Vec<f64> {
        let costs = self.history.costs(&model.seen);
        let Targets { lowest, beyond } = self.history.targets(&model.seen);
        let posterior = model.process.posterior(&beyond);
        let means = model.candidates.means(&posterior).into_iter().zip(&model.prior_means);
        let deviations = model.candidates.deviations(&posterior);
        let gain = |((beyond, prior), s): ((f64, &f64), f64)| {
            s.ln() + log_improvement((lowest - beyond - prior) / s)
        };
        let mut gains: Vec<f64> = means.zip(deviations).map(gain).collect();
        if costs.iter().any(|cost| !cost.is_finite()) {
            let valid: Vec<f64> =
                costs.iter().map(|cost| f64::from(u8::from(cost.is_finite()))).collect();
            let likely = model.candidates.means(&model.process.posterior(&valid));
            for (gain, likely) in gains.iter_mut().zip(likely) {
                *gain += likely.clamp(LEAST_VALID, 1.0).ln();
            }
        }
        gains
    }

    /// Fits the hyperparameters again and chooses new candidates.
    fn refit(&mut self, rng: &mut Rng) {
        let tries = if self.model.is_none() { TRIES.0 } else { TRIES.1 };
        let Self { history, space, memory, .. } = self;
        if memory.as_ref().is_none_or(|memory| memory.fits(history.len())) {
            let fitted = history.chosen(FITTED, rng);
            let (points, values) = (history.points(&fitted), history.targets(&fitted).beyond);
            let seen = (history.metric(), &points, values.as_slice());
            let expected = expected(memory.as_ref(), history);
            self.settings = fit(seen, &expected, &self.settings, tries, rng);
        }
        let good = memory.as_ref().map_or(&[][..], |memory| memory.good());
        self.model = Model::new(space, history, &self.settings, good, rng);
        if let (Some(memory), Some(model)) = (memory, &mut self.model) {
            memory.begin(model, space, history);
        }
    }

    fn unseen(&mut self, problem: &mut dyn Problem) -> Option<ConfigurationId> {
        let Self { rest, history, .. } = self;
        std::iter::from_fn(|| rest.next(problem.rng())).find(|id| !history.known().contains(id))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use search_api::{Analytic, Budget, PastTrial, STRATEGIES, Source};
    use space::Parameter;

    use super::*;

    /// How many of 26 tries in each of ten searches have blocks of 128 or 256 threads.
    fn usual_blocks(times_gpu_blocks: bool) -> usize {
        let parameters = vec![
            Parameter::new("block_size_x", (0..=10).map(|e| 1_i64 << e).collect::<Vec<_>>()),
            Parameter::new("tile", (0..40_i64).collect::<Vec<_>>()),
        ];
        let space = Arc::new(Space::build(parameters, &[] as &[&str], &[]).unwrap());
        let strategy = STRATEGIES.find("default").unwrap();
        let knobs = Knobs::parse(strategy.knobs, &[] as &[&str]).unwrap();
        let usual = |seed| {
            // Costs do not depend on blocks.
            let mut problem =
                Analytic::new(space.clone(), Budget::evaluations(26), seed, |space, id| {
                    let tile = f64::from(space.configuration(id).0[1]);
                    Evaluation::scored(1.0 + (tile - 17.0).powi(2))
                })
                .timing_gpu_blocks(times_gpu_blocks);
            assert_eq!(search(&mut problem, &knobs), Err(Stop::Budget));
            let tried = problem.ledger().order().iter().map(|id| space.configuration(*id).0[0]);
            tried.filter(|block| [7, 8].contains(block)).count()
        };
        (0..10).map(usual).sum()
    }

    #[test]
    fn usual_blocks_are_tried_more_often_where_they_are_what_a_gpu_runs() {
        let (there, elsewhere) = (usual_blocks(true), usual_blocks(false));
        assert!(4 * there > 5 * elsewhere, "{there} of 260, {elsewhere} where nothing is expected");
    }

    #[test]
    fn a_design_goes_on_where_the_sizes_before_left_it() {
        let parameters = ["a", "b"]
            .map(|name| Parameter::new(name, (0..8).map(|e| 1_i64 << e).collect::<Vec<_>>()));
        let space = Arc::new(Space::build(parameters.to_vec(), &[] as &[&str], &[]).unwrap());
        let strategy = STRATEGIES.find("default").unwrap();
        let knobs = Knobs::parse(strategy.knobs, &[] as &[&str]).unwrap();
        let begun = |memory: Memory| {
            let answer = |_: &Space, _| Evaluation::scored(1.0);
            // A third of the budget is for the design.
            let budget = Budget::evaluations(18);
            let mut problem =
                Analytic::new(space.clone(), budget, 1, answer).remembering(Arc::new(memory));
            let _ = search(&mut problem, &knobs);
            problem.ledger().order().to_vec()
        };
        let trial = |(at, id): (usize, &ConfigurationId)| PastTrial {
            values: space.values(*id),
            cost: 1.0 + at as f64,
        };
        let alone = begun(Memory::default());
        let source = Source {
            from: Provenance::OwnStudy,
            parameters: vec!["a".to_owned(), "b".to_owned()],
            trials: alone[1..6].iter().enumerate().map(trial).collect(),
            ..Source::default()
        };
        let next = begun(Memory { sources: vec![source] });
        assert_eq!(next[0], alone[0], "the middle, before anything is known");
        let again = next[1..6].iter().filter(|id| alone[1..6].contains(id)).count();
        assert!(again <= 1, "{again} of five: {alone:?} {next:?}");
    }

    #[test]
    fn a_valley_that_depends_on_all_parameters_is_found_with_few_evaluations() {
        let values: Vec<i64> = (0..5).map(|e| 1 << e).collect();
        let parameters =
            ["a", "b", "c", "d", "e"].map(|name| Parameter::new(name, values.clone())).to_vec();
        let space = Arc::new(Space::build(parameters, &[] as &[&str], &[]).unwrap());
        let cost = |configuration: &Configuration| {
            let off = |(at, place): (usize, &u32)| (f64::from(*place) - (at % 4) as f64).powi(2);
            1.0 + configuration.0.iter().enumerate().map(off).sum::<f64>()
        };
        let strategy = STRATEGIES.find("default").unwrap();
        let knobs = Knobs::parse(strategy.knobs, &[] as &[&str]).unwrap();
        let mut found = Vec::new();
        for seed in 0..5 {
            let mut problem =
                Analytic::new(space.clone(), Budget::evaluations(60), seed, |space, id| {
                    Evaluation::scored(cost(&space.configuration(id)))
                });
            let stop = search(&mut problem, &knobs).unwrap_err();
            assert_eq!(stop, Stop::Budget);
            found.push(problem.ledger().best().unwrap().1);
        }
        assert!(found.iter().all(|best| *best < 2.5), "of 3,125, 60 tried: {found:?}");
    }
}
