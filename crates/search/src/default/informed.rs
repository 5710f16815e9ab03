//! What a memory changes in a search: prior means from its sources, averaged by how well they explain
//! what is found, and turns in which they are not heard at all.

use search_api::Memory;
use space::{ConfigurationId, Space};

use super::model::{Hearsay, LEAST_VALID, Model, Sayings};
use crate::surrogate::{
    DistanceMetric, History, Hyperparameters, Mixture, Recollection, Soundness, Targets,
};

/// Best of the memory that a search begins with.
const FIRST: usize = 1;
/// The first so many are what is expected to be best. With six, which lie as close together as the best do, little is known
/// of the rest: with one log of another vendor dedispersion was worse after 20 and 50 evaluations than without.
const OPENING: usize = 4;
/// Evaluations after which one device of another maker is heard, where nothing else is. What is best there lies close
/// together, and may be far from what is best here: the A4000's log led searches of convolution on the MI250X to a worse
/// best of ten (p 0.0016 to 0.07, two sets of logs) even where they began as without it.
pub(super) const HEARD_FROM: usize = 10;
/// Points from which settings are fitted.
const FITTED_FROM: usize = 6;
/// Points from which some turns are cold: their share there, and for each e-fold more of them.
const COLD_FROM: usize = 10;
const COLD: (f64, f64) = (0.2, 0.2);
/// Their share there where one device of another maker is heard. With a fifth, and as much belief in it as in others,
/// dedispersion on the MI250X had a worse best of 20 with the A100's log than without (p 0.005 and 0.011).
const COLD_FOREIGN: f64 = 0.5;
const COLDEST: f64 = 0.8;

/// A memory as models, with a count of turns.
pub(super) struct Informed {
    recollection: Recollection,
    /// How far it is believed: at first wholly, or not at all if it waits, then as the last turn found.
    trust: f64,
    /// Shares of cold turns so far, added up: a turn is cold when the sum passes a whole number.
    cold: f64,
}

impl Informed {
    /// `None` where the memory has nothing to say about the space.
    pub(super) fn new(space: &Space, memory: &Memory) -> Option<Self> {
        let recollection = Recollection::new(space, &memory.sources)?;
        let waits = recollection.soundness() == Soundness::Foreign;
        Some(Self { recollection, trust: f64::from(u8::from(!waits)), cold: 0.0 })
    }

    /// Settings that are expected here.
    pub(super) fn expected(&self, metric: &DistanceMetric) -> Hyperparameters {
        self.recollection.prior(metric.lengths(), self.trust)
    }

    /// Whether the search goes as one without a memory at first.
    pub(super) fn waits(&self) -> bool {
        self.recollection.soundness() == Soundness::Foreign
    }

    /// What to begin with; nothing where the memory looks as if it misled.
    pub(super) fn best(&mut self, space: &Space) -> Vec<ConfigurationId> {
        self.recollection.best(space, FIRST)
    }

    /// What candidates should not miss.
    pub(super) fn good(&self) -> &[ConfigurationId] {
        self.recollection.good()
    }

    /// Whether there are points enough to fit settings to.
    pub(super) fn fits(&self, known: usize) -> bool {
        known >= FITTED_FROM
    }

    /// Tells a new model what the sources say of its points and candidates.
    pub(super) fn begin(&mut self, model: &mut Model, space: &Space, history: &History) {
        let ids = history.ids(&model.seen);
        let seen = self.sayings(space, &ids, &history.prior_means(space, &ids));
        let candidates = self.sayings(space, model.candidates.ids(), &model.prior_means);
        model.hearsay = Some(Hearsay { seen, candidates });
        if history.len() < FITTED_FROM {
            model.refit_at = FITTED_FROM;
        }
    }

    /// Tells a model what they say of a new point.
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

    /// What sources say beyond what is expected without them.
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

    /// Whether so few are known that deviations cannot be: what a sound memory expects to be best is tried.
    fn opens(&self, known: usize) -> bool {
        known < OPENING && self.recollection.soundness() == Soundness::Sound
    }

    /// ln of the expected improvement times the probability of being valid. While the search opens, how far
    /// below the mean a candidate is expected takes the place of the former logarithm.
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
        // What fails elsewhere fails here, as far as the sources are trusted.
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

    /// Whether this turn is the cold model's alone. More and more are: what a memory knows is tried
    /// soon, and what it does not know is never found by listening to it.
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
