//! The process, its points, and its predictions of the candidates.

use math::{Rng, mean, standard_deviation};
use rand::seq::IndexedRandom;
use rustc_hash::FxHashSet;
use space::{ConfigurationId, Space};

use super::settings::BayesOptSettings;
use crate::surrogate::{GaussianProcess, Outlook, Points, Predictions, pool};

/// Number of best configurations whose neighbours are candidates in larger spaces.
const INCUMBENTS: usize = 3;
/// Larger spaces get new candidates when the known points have grown by this factor.
const GROWTH: f64 = 1.25;
/// Most points of the process. A new process then begins with the best and random others.
const MOST_SEEN: usize = 1_500;
const SEEN_AGAIN: (usize, usize) = (500, 250);

pub(super) struct Model {
    process: GaussianProcess,
    scale: CostScale,
    values: Vec<f64>,
    /// Mean and deviation of the values.
    standard: (f64, f64),
    candidates: Vec<ConfigurationId>,
    taken: Vec<bool>,
    predictions: Predictions,
    failures: usize,
    /// Number of trials at which a new model is due.
    until: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum CostScale {
    /// Cost times `unit`, less `origin`.
    Linear { unit: f64, origin: f64 },
    /// Logarithm of the cost divided by `of`.
    Logarithm { of: f64 },
}

impl Model {
    /// A model of the trials; `None` if none is valid.
    pub(super) fn new(
        space: &Space,
        form: &BayesOptSettings,
        trials: &Trials,
        rng: &mut Rng,
    ) -> Option<Self> {
        let order = trials.best_first();
        let best = *order.first()?;
        let incumbents: Vec<_> = order.iter().take(INCUMBENTS).map(|at| trials.ids[*at]).collect();
        let seen = seen(order, rng);
        let candidates = pool(space, form.candidates, &incumbents, &trials.known, rng);
        let places = form.metric.points(space, &candidates);
        let process = GaussianProcess::unseeing(&form.metric, &form.settings, form.shape);
        let costs: Vec<f64> = seen.iter().map(|at| trials.costs[*at]).collect();
        let n = trials.ids.len();
        let whole = space.len() <= form.candidates as u64;
        let growth = if whole { usize::MAX } else { (n as f64 * GROWTH).ceil() as usize };
        let mut model = Self {
            predictions: Predictions::new(&process, &places),
            process,
            scale: CostScale::of(form, &costs, trials.costs[best]),
            values: Vec::new(),
            standard: (0.0, 1.0),
            taken: vec![false; candidates.len()],
            candidates,
            failures: 0,
            until: growth.min(n + MOST_SEEN - seen.len()),
        };
        let failed = (0..n).filter(|at| !trials.costs[*at].is_finite());
        for at in seen.into_iter().chain(failed) {
            model.learn(form, trials.places.get(at), trials.costs[at]);
        }
        Some(model)
    }

    pub(super) fn is_outdated(&self, trials: &Trials) -> bool {
        trials.ids.len() >= self.until
            || (matches!(self.scale, CostScale::Logarithm { .. })
                && trials.costs.iter().any(|cost| *cost <= 0.0))
    }

    pub(super) fn learn(&mut self, form: &BayesOptSettings, place: &[u32], cost: f64) {
        let value = self.scale.value(cost);
        if value.is_finite() && self.process.push(place) {
            self.values.push(value);
        } else if form.mended && !cost.is_finite() {
            self.predictions.fail(&self.process, place);
            self.failures += 1;
        }
    }

    /// Removes a candidate and returns it for evaluation.
    pub(super) fn take(&mut self, slot: usize) -> ConfigurationId {
        self.taken[slot] = true;
        self.candidates[slot]
    }

    /// Predictions of the candidates, in units of the deviation of the values.
    pub(super) fn outlook(&mut self, form: &BayesOptSettings) -> Outlook {
        self.predictions.see(&self.process, &self.values);
        let n = self.values.len() as f64;
        let center = mean(&self.values);
        let deviation = standard_deviation(&self.values) * ((n - 1.0) / n).sqrt();
        let deviation = if deviation > 0.0 && deviation.is_finite() { deviation } else { 1.0 };
        self.standard = (center, deviation);
        let (offset, variance) = if form.mended {
            let values: Vec<f64> = self.values.iter().map(|v| (v - center) / deviation).collect();
            let posterior = self.process.posterior(&values);
            (posterior.mean, posterior.variance)
        } else {
            (0.0, 1.0)
        };
        let means = self.predictions.means(center + offset * deviation);
        let mut outlook = Outlook {
            means: means.map(|mean| ((mean - center) / deviation) as f32).collect(),
            deviations: self
                .predictions
                .uncertain()
                .map(|share| (share * variance as f32).sqrt())
                .collect(),
        };
        if self.failures > 0 {
            // Near failures, a prediction moves towards the worst known value.
            let worst = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let worst = ((worst - center) / deviation) as f32;
            for (mean, valid) in outlook.means.iter_mut().zip(self.predictions.valid()) {
                *mean = valid * *mean + (1.0 - valid) * mean.max(worst);
            }
        }
        let taken = self.taken.iter().enumerate().filter(|(_, taken)| **taken);
        taken.for_each(|(slot, _)| outlook.close(slot));
        outlook
    }

    /// Deviation of the values in the unit of the exploration factor.
    pub(super) fn unit(&self) -> f64 {
        match self.scale {
            CostScale::Linear { .. } => self.standard.1,
            CostScale::Logarithm { .. } => 1.0,
        }
    }

    /// The value below which a candidate is an improvement: the best less a margin. The margin is
    /// the exploration factor, as a cost in the published form, and as a number of deviations times
    /// the knob `margin` in the mended one.
    pub(super) fn below(&self, form: &BayesOptSettings, best: f64, exploration: f64) -> f64 {
        let (center, deviation) = self.standard;
        let margin = if form.mended { form.margin * exploration } else { exploration / deviation };
        (self.scale.value(best) - center) / deviation - margin
    }
}

impl CostScale {
    fn of(form: &BayesOptSettings, costs: &[f64], best: f64) -> Self {
        if form.mended && best > 0.0 {
            return Self::Logarithm { of: best };
        }
        Self::Linear { unit: form.unit, origin: mean(costs) * form.unit }
    }

    fn value(self, cost: f64) -> f64 {
        match self {
            Self::Linear { unit, origin } => cost * unit - origin,
            Self::Logarithm { of } => (cost / of).ln(),
        }
    }
}

#[derive(Default)]
pub(super) struct Trials {
    pub(super) known: FxHashSet<ConfigurationId>,
    pub(super) ids: Vec<ConfigurationId>,
    pub(super) places: Points,
    /// Infinite for failures.
    pub(super) costs: Vec<f64>,
}

impl Trials {
    /// Positions of the valid trials, best first.
    fn best_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.costs.len()).filter(|at| self.costs[*at].is_finite()).collect();
        order.sort_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b]));
        order
    }
}

/// The part of `order` that enters a process, sorted by trial.
fn seen(mut order: Vec<usize>, rng: &mut Rng) -> Vec<usize> {
    if order.len() >= MOST_SEEN {
        let rest = order.split_off(SEEN_AGAIN.0);
        order.extend(rest.sample(rng, SEEN_AGAIN.1).copied());
    }
    order.sort_unstable();
    order
}
