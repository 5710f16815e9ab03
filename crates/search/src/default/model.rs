//! The model of a search: a process, its points, and the candidates that it predicts.

use math::Rng;
use rand::seq::IndexedRandom;
use space::{ConfigurationId, Neighbourhood, Space};

use crate::surrogate::{Candidates, GaussianProcess, History, Hyperparameters, Predictions, pool};

/// Points of the process at a refit: the best, and random others.
const SEEN: (usize, usize) = (210, 140);
/// Up to this many known points, everything unknown is a candidate; later the most promising and
/// random ones.
const ALL_UNTIL: usize = 60;
const CANDIDATES: (usize, usize) = (1_500, 300);
/// Random configurations that represent a larger space.
const POOL: usize = 20_000;
/// Number of best configurations whose neighbours are candidates.
const INCUMBENTS: usize = 1;

/// Lower limit of the probability of being valid.
pub(super) const LEAST_VALID: f64 = 0.02;

/// What a prior's sources predict for the points of the process, and for the candidates.
pub(super) struct Hearsay {
    pub(super) seen: Sayings,
    pub(super) candidates: Sayings,
}

/// Predictions for several configurations.
pub(super) struct Sayings {
    /// By source, then by configuration.
    pub(super) values: Vec<Vec<f64>>,
    pub(super) valid: Vec<f64>,
}

/// A process, the positions of its points in the history, and candidates.
pub(super) struct Model {
    pub(super) process: GaussianProcess,
    pub(super) seen: Vec<usize>,
    pub(super) candidates: Candidates,
    /// Prior mean of the target of each candidate.
    pub(super) prior_means: Vec<f64>,
    pub(super) refit_at: usize,
    /// Predictions of the sources, if there is a prior.
    pub(super) hearsay: Option<Hearsay>,
}

impl Model {
    /// `None` if the process cannot tell the points apart.
    pub(super) fn new(
        space: &Space,
        history: &History,
        settings: &Hyperparameters,
        good: &[ConfigurationId],
        rng: &mut Rng,
    ) -> Option<Self> {
        let seen = history.chosen(SEEN, rng);
        let points = history.points(&seen);
        let process = GaussianProcess::new(history.metric(), settings, &points)?;
        let values = history.targets(&seen).beyond;
        let ids = candidates((space, good), history, &process, &values, rng);
        let prior_means = history.prior_means(space, &ids);
        let candidates = Candidates::new(&process, history.metric(), space, ids);
        let n = history.len();
        let refit_at = (n + 3).max((n as f64 * 1.25).ceil() as usize);
        Some(Self { process, seen, candidates, prior_means, refit_at, hearsay: None })
    }
}

/// Candidates for the next evaluations: everything unknown at first, later the most promising.
fn candidates(
    (space, good): (&Space, &[ConfigurationId]),
    history: &History,
    process: &GaussianProcess,
    values: &[f64],
    rng: &mut Rng,
) -> Vec<ConfigurationId> {
    let incumbents = history.incumbents(INCUMBENTS);
    let mut pool = pool(space, POOL, &incumbents, history.known(), rng);
    if history.len() > ALL_UNTIL && pool.len() > CANDIDATES.0 + CANDIDATES.1 {
        pool = most_promising(space, history, (process, values), pool, rng);
        for id in incumbents {
            pool.extend(space.neighbours(id, Neighbourhood::Hamming));
        }
    }
    pool.extend(good);
    pool.retain(|id| !history.known().contains(id));
    pool.sort_unstable();
    pool.dedup();
    pool
}

/// The candidates with the lowest posterior mean, and random others.
fn most_promising(
    space: &Space,
    history: &History,
    (process, values): (&GaussianProcess, &[f64]),
    pool: Vec<ConfigurationId>,
    rng: &mut Rng,
) -> Vec<ConfigurationId> {
    let predictions = Predictions::new(process, &history.metric().points(space, &pool));
    let means = predictions.first_means(process, &process.posterior(values));
    let means = means
        .into_iter()
        .zip(history.prior_means(space, &pool))
        .map(|(beyond, prior)| beyond + prior);
    let mut order: Vec<(f64, ConfigurationId)> = means.zip(pool).collect();
    order.select_nth_unstable_by(CANDIDATES.0, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let rest: Vec<_> = order.split_off(CANDIDATES.0);
    order.extend(rest.sample(rng, CANDIDATES.1).copied());
    order.into_iter().map(|(_, id)| id).collect()
}
