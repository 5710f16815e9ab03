//! How a prior changes a search: prior means from its sources, averaged by how well they explain
//! the results, and steps that ignore the sources.

use search_api::Memory;
use space::{ConfigurationId, Space};

use super::model::{Hearsay, LEAST_VALID, Model, Sayings};
use crate::surrogate::{
    DistanceMetric, History, Hyperparameters, Mixture, Recollection, Soundness, Targets,
};

/// Number of the prior's best configurations that a search begins with.
const FIRST: usize = 1;
/// The first evaluations, up to this number, try what is expected to be best. With six, which lie
/// close together, little was known of the rest: dedispersion with one log of another vendor was
/// worse after 20 and 50 evaluations than without a prior.
const OPENING: usize = 4;
/// Evaluations after which a device of another vendor is used, if it is the only source. Its best
/// lie close together and may be far from the best here: used earlier, the A4000's log led
/// convolution on the MI250X to a worse best of ten (p 0.0016 to 0.07, two sets of logs).
pub(super) const HEARD_FROM: usize = 10;
/// Known points from which hyperparameters are fitted.
const FITTED_FROM: usize = 6;
/// Known points from which some steps ignore the sources. Below: the share of such steps at that
/// number, and how much it grows when the number of points grows e-fold.
const COLD_FROM: usize = 10;
const COLD: (f64, f64) = (0.2, 0.2);
/// The first share, if a device of another vendor is the only source. With a fifth, and the same
/// prior probability as for other sources, dedispersion on the MI250X had a worse best of 20 with
/// the A100's log than without (p 0.005 and 0.011).
const COLD_FOREIGN: f64 = 0.5;
const COLDEST: f64 = 0.8;

/// The sources of a prior as models, and a count of the steps that ignore them.
pub(super) struct Informed {
    recollection: Recollection,
    /// How far the sources are trusted: at first fully, or not at all if they must wait, then as
    /// much as the last step found.
    trust: f64,
    /// Sum of the shares of steps that ignore the sources. A step ignores them when the sum passes
    /// a whole number.
    cold: f64,
}

impl Informed {
    /// `None` if no source can be modelled on the space.
    pub(super) fn new(space: &Space, memory: &Memory) -> Option<Self> {
        let recollection = Recollection::new(space, &memory.sources)?;
        let waits = recollection.soundness() == Soundness::Foreign;
        Some(Self { recollection, trust: f64::from(u8::from(!waits)), cold: 0.0 })
    }

    /// Prior means of the hyperparameters, moved towards those of the sources.
    pub(super) fn expected(&self, metric: &DistanceMetric) -> Hyperparameters {
        self.recollection.prior(metric.lengths(), self.trust)
    }

    /// Whether the search begins like one without a prior.
    pub(super) fn waits(&self) -> bool {
        self.recollection.soundness() == Soundness::Foreign
    }

    /// Configurations to begin with; none if the sources are inverted or unrelated.
    pub(super) fn best(&mut self, space: &Space) -> Vec<ConfigurationId> {
        self.recollection.best(space, FIRST)
    }

    /// Good configurations of the sources, which must be among the candidates.
    pub(super) fn good(&self) -> &[ConfigurationId] {
        self.recollection.good()
    }

    /// Whether enough points are known to fit hyperparameters.
    pub(super) fn fits(&self, known: usize) -> bool {
        known >= FITTED_FROM
    }

    /// Gives a new model the sources' predictions for its points and candidates.
    pub(super) fn begin(&mut self, model: &mut Model, space: &Space, history: &History) {
        let ids = history.ids(&model.seen);
        let seen = self.sayings(space, &ids, &history.prior_means(space, &ids));
        let candidates = self.sayings(space, model.candidates.ids(), &model.prior_means);
        model.hearsay = Some(Hearsay { seen, candidates });
        if history.len() < FITTED_FROM {
            model.refit_at = FITTED_FROM;
        }
    }

    /// Gives a model the sources' predictions for a new point.
    pub(super) fn see(
        &mut self,
        model: &mut Model,
        space: &Space,
        history: &History,
        id: ConfigurationId,
    ) {
        let new = self.sayings(space, &[id], &history.prior_means(space, &[id]));
        if let Some(Hearsay { seen, .. }) = &mut model.hearsay {
            for (values, new) in seen.values.iter_mut().zip(new.values) {
                values.extend(new);
            }
            seen.valid.extend(new.valid);
        }
    }

    /// Predictions of the sources, less the prior means that hold without them.
    fn sayings(&mut self, space: &Space, ids: &[ConfigurationId], prior_means: &[f64]) -> Sayings {
        self.recollection.ask(space, ids);
        let of = |source: usize| {
            let said = ids.iter().map(|id| self.recollection.of(*id).values[source]);
            said.zip(prior_means).map(|(said, prior)| said - prior).collect()
        };
        Sayings {
            values: (0..self.recollection.sources()).map(of).collect(),
            valid: ids.iter().map(|id| self.recollection.of(*id).valid).collect(),
        }
    }

    /// Whether so few points are known that deviations cannot be estimated. The search then tries
    /// what a sound prior expects to be best.
    fn opens(&self, known: usize) -> bool {
        known < OPENING && self.recollection.soundness() == Soundness::Sound
    }

    /// ln of the expected improvement times the probability of being valid, for every candidate.
    /// While the search opens, the distance of the expected value below the mean replaces the
    /// logarithm of the expected improvement.
    pub(super) fn acquisition(&mut self, model: &Model, history: &History) -> Vec<f64> {
        let Some(Hearsay { seen, candidates }) = &model.hearsay else { return Vec::new() };
        let costs = history.costs(&model.seen);
        let Targets { lowest, beyond } = history.targets(&model.seen);
        let mixture =
            Mixture::new(&model.process, &beyond, &seen.values, self.recollection.soundness());
        let cold = self.is_cold(history.len());
        let said = &candidates.values;
        let mut gains: Vec<f64> = match self.opens(history.len()) {
            true => {
                let means = mixture.means(&model.candidates, said).into_iter();
                means.zip(&model.prior_means).map(|(beyond, prior)| -beyond - prior).collect()
            }
            false => {
                let wanted: Vec<f64> =
                    model.prior_means.iter().map(|prior| lowest - prior).collect();
                mixture.log_gains(&model.candidates, said, &wanted, cold)
            }
        };
        // What fails elsewhere is expected to fail here, as far as the sources are trusted.
        let trust = mixture.trust();
        self.trust = trust;
        let expected = |valid: &f64| 1.0 - trust * (1.0 - valid);
        let apart =
            |(cost, valid): (&f64, &f64)| f64::from(u8::from(cost.is_finite())) - expected(valid);
        let apart: Vec<f64> = costs.iter().zip(&seen.valid).map(apart).collect();
        let likely = match costs.iter().all(|cost| cost.is_finite()) {
            true => vec![0.0; gains.len()],
            false => model.candidates.means(&model.process.posterior(&apart)),
        };
        for ((gain, likely), valid) in gains.iter_mut().zip(likely).zip(&candidates.valid) {
            *gain += (likely + expected(valid)).clamp(LEAST_VALID, 1.0).ln();
        }
        gains
    }

    /// Whether this step ignores the sources. The share of such steps grows: what a prior knows is
    /// tried soon, and what it does not know is never found by following it.
    fn is_cold(&mut self, known: usize) -> bool {
        if known < COLD_FROM {
            return false;
        }
        let folds = (known as f64 / COLD_FROM as f64).ln();
        let before = self.cold;
        let first = if self.waits() { COLD_FOREIGN } else { COLD.0 };
        self.cold += (first + COLD.1 * folds).min(COLDEST);
        self.cold.floor() > before.floor()
    }
}
