//! Bayesian optimization as published for kernels, and mended.
//!
//! A Gaussian process with fixed lengths models every valid result. Several acquisition functions
//! share the evaluations and choose among all remaining configurations.
//!
//! The *published* form is Kernel Tuner's, with its constants and everything that its results
//! depend on: the exploration factor is in the unit of the cost (milliseconds for run times),
//! failures are ignored, short lists of values hardly matter on its grid, twenty evaluations are
//! spent before any is chosen, and `multi-ultrafast` predicts every sixth round, as it does when
//! evaluations are quick. Its arithmetic loses precision far from the optimum, where probabilities
//! round to 1 and improvements to 0; ours does not. Parameters with a single value are pruned, as
//! in the paper: they have no part in any distance.
//!
//! The *mended* form models the logarithm of the cost, aims a share of a deviation below the best,
//! avoids the surroundings of failures, counts any difference of two values as a distance, spends
//! at most a sixth of the budget before it chooses, and predicts more often while little is known.

mod hypercube;
mod knobs;
mod model;
mod settings;

use math::{mean, median};
use registry::Knobs;
use search_api::{Evaluation, Problem, Stop, Strategy};
use space::{ConfigurationId, Shuffle, Space};

use self::{
    model::{Model, Trials},
    settings::BayesOptSettings,
};
use super::{
    problem::form::published_unit,
    surrogate::{AcquisitionChoice, Aim, Outlook, Portfolio, contextual_variance, starts},
};

inventory::submit!(Strategy {
    name: "bayes_opt",
    aliases: &["bayesian_optimization"],
    about: "lets several acquisition functions share a Gaussian process over the whole space",
    reference: "Willemsen, van Nieuwpoort and van Werkhoven, Bayesian Optimization for auto-tuning GPU \
     kernels, PMBS 2021",
    knobs: knobs::KNOBS,
    presets: knobs::PRESETS,
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let unit = published_unit(problem);
    let mut search = Search::new(&space, BayesOptSettings::new(&space, knobs, unit));
    search.begin(problem)?;
    loop {
        problem.check()?;
        if search.rounds(problem)? == 0 {
            let Some(id) = search.unseen(problem) else { return Ok(()) };
            search.evaluate(problem, id)?;
        }
    }
}

struct Search<'a> {
    space: &'a Space,
    form: BayesOptSettings,
    portfolio: Portfolio,
    trials: Trials,
    model: Option<Model>,
    /// Mean cost of the initial sample, and mean deviation of the first prediction.
    initial: Option<(f64, f64)>,
    rest: Shuffle,
}

impl<'a> Search<'a> {
    fn new(space: &'a Space, form: BayesOptSettings) -> Self {
        let portfolio = form.portfolio();
        let trials = Trials::default();
        Self { space, form, portfolio, trials, model: None, initial: None, rest: space.shuffle() }
    }

    /// Evaluates a configuration and learns from it. Returns the cost, infinite for a failure.
    fn evaluate(&mut self, problem: &mut dyn Problem, id: ConfigurationId) -> Result<f64, Stop> {
        let evaluation: Evaluation = problem.evaluate(id)?;
        let cost = evaluation.cost();
        if self.trials.known.insert(id) {
            let place = self.form.metric.point(&self.space.configuration(id));
            self.trials.ids.push(id);
            self.trials.costs.push(cost);
            self.trials.places.push(&place);
            if let Some(model) = &mut self.model {
                model.learn(&self.form, &place, cost);
            }
        }
        Ok(cost)
    }

    /// Evaluates the starts, then a sample of the space, then random configurations until enough
    /// are valid.
    fn begin(&mut self, problem: &mut dyn Problem) -> Result<(), Stop> {
        let starts = starts(problem);
        problem.may_try(&starts);
        for id in starts {
            self.evaluate(problem, id)?;
        }
        let count = self.form.design(self.trials.ids.len());
        let sample = self.form.sample(self.space, count, problem.rng());
        problem.may_try(&sample);
        for id in sample {
            if self.form.has_sampled_enough(problem.spent()) {
                break;
            }
            self.evaluate(problem, id)?;
        }
        while self.form.wants_more(&self.trials.costs)
            && let Some(id) = self.unseen(problem)
        {
            self.evaluate(problem, id)?;
        }
        Ok(())
    }

    /// Makes one prediction and runs the rounds that use it. Returns the number of evaluations.
    fn rounds(&mut self, problem: &mut dyn Problem) -> Result<usize, Stop> {
        if !self.trials.costs.iter().any(|cost| cost.is_finite()) || self.form.metric.axes() == 0 {
            return Ok(0);
        }
        if self.model.as_ref().is_none_or(|model| model.is_outdated(&self.trials)) {
            self.model = Model::new(self.space, &self.form, &self.trials, problem.rng());
        }
        let Some(mut outlook) = self.model.as_mut().map(|model| model.outlook(&self.form)) else {
            return Ok(0);
        };
        let mut evaluations = 0;
        for _ in 0..self.form.rounds(self.portfolio.rounds, self.trials.ids.len()) {
            let made = self.round(problem, &mut outlook)?;
            evaluations += made;
            if made == 0 {
                break;
            }
        }
        Ok(evaluations)
    }

    /// Lets every acquisition function choose a configuration, and evaluates these. Returns the
    /// number of evaluations.
    fn round(&mut self, problem: &mut dyn Problem, outlook: &mut Outlook) -> Result<usize, Stop> {
        let Some(exploration) = self.exploration(outlook) else { return Ok(0) };
        let failure = median(&self.valid_costs());
        let mut round: Vec<AcquisitionChoice> = Vec::new();
        let mut evaluations = 0;
        if self.portfolio.all_at_once() {
            let aim = self.aim(exploration);
            for (member, acquisition) in self.portfolio.active() {
                let slot = acquisition.choose(outlook, &aim);
                round.extend(slot.map(|slot| AcquisitionChoice { member, slot, cost: failure }));
            }
            for at in 0..round.len() {
                let slot = round[at].slot;
                if let Some(same) = round[..at].iter().find(|other| other.slot == slot) {
                    round[at].cost = same.cost;
                    continue;
                }
                let cost = self.try_slot(problem, outlook, slot)?;
                evaluations += 1;
                if cost.is_finite() {
                    round[at].cost = cost;
                }
            }
        } else {
            for (member, acquisition) in self.portfolio.active() {
                let Some(slot) = acquisition.choose(outlook, &self.aim(exploration)) else { break };
                let cost = self.try_slot(problem, outlook, slot)?;
                evaluations += 1;
                let cost = if cost.is_finite() { cost } else { failure };
                round.push(AcquisitionChoice { member, slot, cost });
            }
        }
        self.portfolio.learn(&round);
        Ok(evaluations)
    }

    fn try_slot(
        &mut self,
        problem: &mut dyn Problem,
        outlook: &mut Outlook,
        slot: usize,
    ) -> Result<f64, Stop> {
        outlook.close(slot);
        let Some(id) = self.model.as_mut().map(|model| model.take(slot)) else {
            return Ok(f64::INFINITY);
        };
        self.evaluate(problem, id)
    }

    /// The exploration factor; `None` when no candidate is left.
    fn exploration(&mut self, outlook: &Outlook) -> Option<f64> {
        let unit = self.model.as_ref().map_or(1.0, Model::unit);
        let deviation = match self.form.variances {
            false => outlook.mean_deviation()? * unit,
            true => outlook.mean_variance()? * unit * unit,
        };
        let costs = self.valid_costs();
        let (first_cost, first_deviation) =
            *self.initial.get_or_insert_with(|| (mean(&costs), deviation));
        let best = costs.iter().copied().fold(f64::INFINITY, f64::min);
        Some(self.form.exploration.unwrap_or_else(|| {
            let unit = self.form.unit;
            contextual_variance((deviation, first_deviation), (best * unit, first_cost * unit))
        }))
    }

    fn aim(&self, exploration: f64) -> Aim {
        let best = self.trials.costs.iter().copied().fold(f64::INFINITY, f64::min);
        Aim {
            below: self.model.as_ref().map_or(0.0, |m| m.below(&self.form, best, exploration)),
            exploration,
            zeta: self.form.zeta,
            evaluations: self.trials.ids.len(),
            axes: self.form.metric.axes(),
        }
    }

    fn valid_costs(&self) -> Vec<f64> {
        self.trials.costs.iter().copied().filter(|cost| cost.is_finite()).collect()
    }

    fn unseen(&mut self, problem: &mut dyn Problem) -> Option<ConfigurationId> {
        let trials = &self.trials;
        std::iter::from_fn(|| self.rest.next(problem.rng())).find(|id| !trials.known.contains(id))
    }
}
