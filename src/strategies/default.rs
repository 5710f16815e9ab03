//! Bayesian optimization with a Gaussian process made for tuning spaces: what `--strategy default`
//! means.
//!
//! Six configurations far apart, then always the candidate of which most is expected: the expected
//! improvement over the best (Jones, Schonlau and Welch 1998), times the probability that it is
//! valid. Three things make it fit spaces of kernels. Distances between values have a jump for
//! differing at all. The target is half logarithm, half rank. And the lengths, one per parameter,
//! are the most probable ones under a prior that expects long ones. Of several objectives every
//! step improves another weighing (ParEGO, in `surrogate/scalarisation.rs`).

use std::collections::HashSet;

use rand::seq::IndexedRandom;
use statrs::function::erf::erfc;

use super::{
    Allowed, Evaluation, Knob, Knobs, Problem, Stop, Strategy,
    spread::Spread,
    surrogate::{Candidates, Metric, Points, Process, Scalarisation, Settings, fit, target},
};
use crate::space::{Configuration, ConfigurationId, Neighbourhood, Rng, Shuffle, Space};

/// Random configurations that the first point, and every further one of the design, is chosen from.
const DRAWS: (usize, usize) = (400, 60);
/// Tries for better settings: the first time, and at every refit.
const TRIES: (usize, usize) = (90, 30);
/// Settings are fitted to at most so many points: the best, and others at random.
const FITTED: (usize, usize) = (45, 65);
/// The process sees at most so many points at a refit: the best, and others at random.
const SEEN: (usize, usize) = (210, 140);
/// Up to so many points, everything unknown is a candidate; later the most promising are, and
/// some at random.
const ALL_UNTIL: usize = 60;
const CANDIDATES: (usize, usize) = (1_500, 300);
/// Of larger spaces, so many random configurations stand for all.
const POOL: usize = 20_000;
/// So many of the best lend their neighbours to the candidates.
const INCUMBENTS: usize = 1;
/// One more configuration is evaluated per step for every so many known.
const PER_STEP: usize = 150;
/// How many candidates are announced ahead.
const AHEAD: usize = 2;
/// A probability of being valid is never taken for lower.
const LEAST_VALID: f64 = 0.02;

pub(super) static ENTRY: Default = Default;

/// See the file.
pub(super) struct Default;

impl Strategy for Default {
    fn name(&self) -> &'static str {
        "default"
    }

    fn about(&self) -> &'static str {
        "models run times with a Gaussian process and tries what promises the most improvement"
    }

    fn reference(&self) -> &'static str {
        "Jones, Schonlau and Welch, Efficient Global Optimization, J. Global Optimization 13, 1998"
    }

    fn knobs(&self) -> &'static [Knob] {
        &[Knob {
            name: "design",
            about: "configurations far apart to begin with, starts included",
            default: "6",
            allowed: Allowed::Integer(1, 10_000),
        }]
    }

    fn search(&self, problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
        let space = problem.space();
        let mut search = Search::new(&space);
        search.begin(problem, knobs.integer("design"))?;
        loop {
            problem.check()?;
            let next = if search.knows_valid() { search.promising(problem) } else { Vec::new() };
            let steps = (search.costs.len() / PER_STEP).max(1);
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
}

/// What the search knows, and its model of it.
struct Search<'a> {
    space: &'a Space,
    metric: Metric,
    spread: Spread,
    known: HashSet<ConfigurationId>,
    ids: Vec<ConfigurationId>,
    places: Points,
    /// Infinite for failures.
    costs: Vec<f64>,
    several: Scalarisation,
    settings: Settings,
    model: Option<Model>,
    rest: Shuffle,
}

/// A process, the configurations it has seen (as positions in the search's lists), and candidates.
struct Model {
    process: Process,
    seen: Vec<usize>,
    candidates: Candidates,
    refit_at: usize,
}

impl<'a> Search<'a> {
    fn new(space: &'a Space) -> Self {
        let metric = Metric::new(space);
        Self {
            space,
            spread: Spread::new(space),
            known: HashSet::new(),
            ids: Vec::new(),
            places: Points::default(),
            costs: Vec::new(),
            several: Scalarisation::default(),
            settings: Settings::prior(metric.axes()),
            metric,
            model: None,
            rest: space.shuffle(),
        }
    }

    fn knows_valid(&self) -> bool {
        self.costs.iter().any(|cost| cost.is_finite())
    }

    /// Evaluates and learns.
    fn evaluate(&mut self, problem: &mut dyn Problem, id: ConfigurationId) -> Result<(), Stop> {
        let evaluation: Evaluation = problem.evaluate(id)?;
        if !self.known.insert(id) {
            return Ok(());
        }
        let place = self.metric.point(&self.space.configuration(id));
        self.ids.push(id);
        self.costs.push(evaluation.cost());
        self.several.learn(&evaluation);
        self.places.push(&place);
        if let Some(model) = &mut self.model {
            model.candidates.take(id);
            if model.process.push(&place) {
                model.seen.push(self.ids.len() - 1);
                model.candidates.see(&model.process);
            }
        }
        Ok(())
    }

    /// The starts, then configurations far from everything known; random ones until one is valid.
    fn begin(&mut self, problem: &mut dyn Problem, design: u64) -> Result<(), Stop> {
        let starts = problem.starts();
        problem.may_try(&starts);
        for id in starts {
            self.evaluate(problem, id)?;
        }
        let budget = problem.spent().evaluations_left().map_or(design, |left| (left / 3).max(2));
        while (self.ids.len() as u64) < design.min(budget.saturating_add(self.ids.len() as u64)) {
            let next = if self.ids.is_empty() {
                self.spread.central(self.space, DRAWS.0, problem.rng())
            } else {
                let known: Vec<Configuration> =
                    self.ids.iter().map(|id| self.space.configuration(*id)).collect();
                self.spread.remote(self.space, DRAWS.1, problem.rng(), &known)
            };
            match next.filter(|id| !self.known.contains(id)) {
                Some(id) => self.evaluate(problem, id)?,
                None => break,
            }
        }
        Ok(())
    }

    /// The most promising candidates, best first.
    fn promising(&mut self, problem: &mut dyn Problem) -> Vec<ConfigurationId> {
        if self.metric.axes() == 0 {
            return Vec::new();
        }
        if let Some(costs) = self.several.costs(problem.rng()) {
            self.costs = costs;
        }
        if self.model.as_ref().is_none_or(|model| self.ids.len() >= model.refit_at) {
            self.refit(problem.rng());
        }
        let Some(model) = &self.model else { return Vec::new() };
        let count = (self.costs.len() / PER_STEP).max(AHEAD);
        model.candidates.best(&self.acquisition(model), count)
    }

    /// ln of the expected improvement, and of the probability to be valid.
    fn acquisition(&self, model: &Model) -> Vec<f64> {
        let costs: Vec<f64> = model.seen.iter().map(|at| self.costs[*at]).collect();
        let values = target(&costs);
        let posterior = model.process.posterior(&values);
        let best = values.iter().copied().fold(f64::INFINITY, f64::min);
        let means = model.candidates.means(&posterior);
        let deviations = model.candidates.deviations(&posterior);
        let expected = means.iter().zip(&deviations);
        let mut gains: Vec<f64> =
            expected.map(|(mean, s)| s.ln() + log_improvement((best - mean) / s)).collect();
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

    /// Fits the settings again and chooses candidates anew.
    fn refit(&mut self, rng: &mut Rng) {
        let first = self.model.is_none();
        let chosen = self.chosen(FITTED, rng);
        let costs: Vec<f64> = chosen.iter().map(|at| self.costs[*at]).collect();
        let tries = if first { TRIES.0 } else { TRIES.1 };
        let (points, values) = (self.points(&chosen), target(&costs));
        self.settings = fit(&self.metric, &points, &values, &self.settings, tries, rng);
        let seen = self.chosen(SEEN, rng);
        let points = self.points(&seen);
        let Some(process) = Process::new(&self.metric, &self.settings, &points) else {
            self.model = None;
            return;
        };
        let ids = self.candidates(&process, &seen, rng);
        let candidates = Candidates::new(&process, &self.metric, self.space, ids);
        let n = self.ids.len();
        let refit_at = (n + 3).max((n as f64 * 1.25).ceil() as usize);
        self.model = Some(Model { process, seen, candidates, refit_at });
    }

    /// The positions of the best, and of others at random; all while there are few, in order.
    fn chosen(&self, (best, random): (usize, usize), rng: &mut Rng) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ids.len()).collect();
        if order.len() <= best + random {
            return order;
        }
        order.sort_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b]));
        let rest = order.split_off(best);
        order.extend(rest.sample(rng, random).copied());
        order
    }

    fn points(&self, positions: &[usize]) -> Points {
        let mut points = Points::default();
        positions.iter().for_each(|at| points.push(self.places.get(*at)));
        points
    }

    /// What may come next.
    fn candidates(&self, process: &Process, seen: &[usize], rng: &mut Rng) -> Vec<ConfigurationId> {
        let all = self.space.len() <= POOL as u64;
        let mut pool: Vec<ConfigurationId> = if all {
            self.space.ids().collect()
        } else {
            (0..POOL).filter_map(|_| self.space.random(rng)).collect()
        };
        pool.retain(|id| !self.known.contains(id));
        if self.ids.len() > ALL_UNTIL {
            pool = self.most_promising(process, seen, pool, rng);
        }
        if !all || self.ids.len() > ALL_UNTIL {
            let mut order: Vec<usize> = (0..self.ids.len()).collect();
            order.sort_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b]));
            for at in order.into_iter().take(INCUMBENTS) {
                pool.extend(self.space.neighbours(self.ids[at], Neighbourhood::Hamming));
            }
            pool.retain(|id| !self.known.contains(id));
            pool.sort_unstable();
            pool.dedup();
        }
        pool
    }

    /// Those with the lowest posterior mean, and others at random.
    fn most_promising(
        &self,
        process: &Process,
        seen: &[usize],
        pool: Vec<ConfigurationId>,
        rng: &mut Rng,
    ) -> Vec<ConfigurationId> {
        if pool.len() <= CANDIDATES.0 + CANDIDATES.1 {
            return pool;
        }
        let costs: Vec<f64> = seen.iter().map(|at| self.costs[*at]).collect();
        let posterior = process.posterior(&target(&costs));
        let weights = process.factor().solve_upper(&posterior.whitened);
        let mut order: Vec<(f64, ConfigurationId)> = pool
            .into_iter()
            .map(|id| {
                let place = self.metric.point(&self.space.configuration(id));
                let correlations = process.covariances(&place, process.points().iter());
                (correlations.zip(&weights).map(|(k, w)| k * w).sum(), id)
            })
            .collect();
        order.select_nth_unstable_by(CANDIDATES.0, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let rest: Vec<_> = order.split_off(CANDIDATES.0);
        order.extend(rest.sample(rng, CANDIDATES.1).copied());
        order.into_iter().map(|(_, id)| id).collect()
    }

    fn unseen(&mut self, problem: &mut dyn Problem) -> Option<ConfigurationId> {
        std::iter::from_fn(|| self.rest.next(problem.rng())).find(|id| !self.known.contains(id))
    }
}

/// ln of the expected improvement of a standard normal variable over −z: ln(φ(z) + z Φ(z)).
fn log_improvement(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let below = 0.5 * erfc(-z * std::f64::consts::FRAC_1_SQRT_2);
    if z > -6.0 {
        return (density + z * below).max(f64::MIN_POSITIVE).ln();
    }
    // The first terms of the asymptotic series; the difference above has lost its digits here.
    let z2 = z * z;
    -0.5 * z2 - 0.5 * std::f64::consts::TAU.ln() - z2.ln()
        + (1.0 - 3.0 / z2 + 15.0 / (z2 * z2)).ln()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        space::Parameter,
        strategies::{Analytic, Budget},
    };

    #[test]
    fn the_two_forms_of_the_expected_improvement_meet() {
        assert!((log_improvement(0.0) - (1.0 / std::f64::consts::TAU.sqrt()).ln()).abs() < 1e-12);
        assert!((log_improvement(-6.0 + 1e-9) - log_improvement(-6.0)).abs() < 0.01);
        assert!(log_improvement(-40.0).is_finite() && log_improvement(40.0).is_finite());
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
        let mut found = Vec::new();
        for seed in 0..5 {
            let mut problem =
                Analytic::new(space.clone(), Budget::evaluations(60), seed, |space, id| {
                    Evaluation::scored(cost(&space.configuration(id)))
                });
            let knobs = Knobs::parse(ENTRY.knobs(), &[] as &[&str]).unwrap();
            let stop = ENTRY.search(&mut problem, &knobs).unwrap_err();
            assert_eq!(stop, Stop::Budget);
            found.push(problem.ledger().best().unwrap().1);
        }
        assert!(found.iter().all(|best| *best < 2.5), "of 3,125, 60 tried: {found:?}");
    }
}
