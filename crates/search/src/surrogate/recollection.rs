//! Predictions of all sources of a prior, cached by configuration.

use math::mean;
use rustc_hash::FxHashMap;
use search_api::{PastTrial, Problem, Provenance, Source, SourceJudge};
use space::{ConfigurationId, Neighbourhood, Space, seeded};

use super::{Hyperparameters, LengthOf, Soundness, source_model::SourceModel};

/// Most sources that are modelled.
const MOST: usize = 8;
/// Most sources that are tried as models: one that predicts nothing costs as much as one that does.
const MOST_TRIED: usize = 16;
/// Number of the prior's best that strategies without models of sources begin with.
const STARTS: usize = 5;
/// How many of a source's best are candidates, and the neighbours of how many are as well.
const GOOD: (usize, usize) = (100, 10);
/// Largest space of which all configurations are compared; of a larger one, this many are drawn.
const ALL: u64 = 20_000;

/// Where a strategy begins: the problem's starts, then what is best on average over the sources of
/// the prior. The best of the study's other sizes are among the problem's starts already.
pub(crate) fn starts(problem: &dyn Problem) -> Vec<ConfigurationId> {
    let mut starts = problem.starts();
    let space = problem.space();
    let elsewhere =
        problem.memory().sources.iter().filter(|source| source.from != Provenance::OwnStudy);
    if let Some(mut recollection) = Recollection::new(&space, elsewhere) {
        let best = recollection.best(&space, STARTS);
        let new: Vec<ConfigurationId> =
            best.into_iter().filter(|id| !starts.contains(id)).collect();
        starts.extend(new);
    }
    starts
}

inventory::submit!(SourceJudge(told_against));

/// What speaks against each source, in words; `None` for sources that searches begin with.
fn told_against(space: &Space, memory: &[Source]) -> Vec<Option<String>> {
    let is_of = |source: &Source| Soundness::of(space, source);
    let against = |(at, source): (usize, &Source)| {
        let why = match is_of(source) {
            _ if at >= MOST_TRIED => {
                return Some(format!("{MOST_TRIED} other sources come before it: ignored"));
            }
            Soundness::Unrelated => {
                "many of its rows are not allowed here, as with another kernel: used only if there is no better source"
            }
            Soundness::Inverted => {
                "its rows crowd where they are slow, as with rates instead of times: used only if there is no better source"
            }
            _ if SourceModel::new(space, source).is_none() => {
                "its rows do not predict each other, or nothing here: ignored"
            }
            Soundness::Sound | Soundness::Foreign => return None,
        };
        Some(why.to_owned())
    };
    let mut told: Vec<Option<String>> = memory.iter().enumerate().map(against).collect();
    let sound: Vec<usize> = (0..memory.len()).filter(|at| told[*at].is_none()).collect();
    let (first, others) = sound.split_at(sound.len().min(MOST));
    let heard: Vec<(Soundness, &Source)> =
        first.iter().map(|at| (is_of(&memory[*at]), &memory[*at])).collect();
    if Soundness::of_all(&heard) == Soundness::Foreign {
        for at in first {
            told[*at] = Some(
                "one device that may be of another vendor: `default` uses it after ten evaluations"
                    .to_owned(),
            );
        }
    }
    for at in others {
        told[*at] = Some(format!("{MOST} other sources come before it: ignored"));
    }
    told
}

/// The best of a source that the space has, and the neighbours of the very best.
fn best_of(space: &Space, source: &Source) -> Vec<ConfigurationId> {
    let mut trials: Vec<&PastTrial> =
        source.trials.iter().filter(|trial| trial.cost.is_finite()).collect();
    trials.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let id = |trial: &&PastTrial| source.id_of(space, trial);
    let mut best: Vec<ConfigurationId> = trials.iter().filter_map(id).take(GOOD.0).collect();
    let first: Vec<ConfigurationId> = best.iter().take(GOOD.1).copied().collect();
    best.extend(first.into_iter().flat_map(|id| space.neighbours(id, Neighbourhood::Hamming)));
    best
}

/// Models of the sources. For each configuration asked for, it keeps the value that each source
/// predicts, and the mean of their probabilities of being valid.
pub(crate) struct Recollection {
    sources: Vec<SourceModel>,
    soundness: Soundness,
    /// The best of every source that the space has, and the neighbours of the very best.
    good: Vec<ConfigurationId>,
    said: FxHashMap<ConfigurationId, Said>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    /// Predicted values by source, in units of the source's spread.
    pub(crate) values: Box<[f64]>,
    pub(crate) valid: f64,
}

impl Recollection {
    /// `None` if no source can be modelled on the space.
    pub(crate) fn new<'a>(
        space: &Space,
        memory: impl IntoIterator<Item = &'a Source>,
    ) -> Option<Self> {
        let (mut sources, mut heard) = (Vec::new(), Vec::new());
        let mut good = Vec::new();
        let tried: Vec<(&Source, Soundness)> = memory
            .into_iter()
            .take(MOST_TRIED)
            .map(|source| (source, Soundness::of(space, source)))
            .collect();
        for unsuspected in [true, false] {
            let of_kind = tried.iter().filter(|(_, is)| is.is_unsuspected() == unsuspected);
            for (source, soundness) in of_kind {
                if sources.len() == MOST {
                    break;
                }
                if let Some(model) = SourceModel::new(space, source) {
                    sources.push(model);
                    heard.push((*soundness, *source));
                    good.extend(best_of(space, source));
                }
            }
            if !sources.is_empty() {
                break;
            }
        }
        good.sort_unstable();
        good.dedup();
        let soundness = Soundness::of_all(&heard);
        let said = FxHashMap::default();
        (!sources.is_empty()).then_some(Self { sources, soundness, good, said })
    }

    /// How sound the sources are together.
    pub(crate) fn soundness(&self) -> Soundness {
        self.soundness
    }

    /// Configurations that a larger space's candidates should not miss.
    pub(crate) fn good(&self) -> &[ConfigurationId] {
        &self.good
    }

    /// Number of sources that are modelled.
    pub(crate) fn sources(&self) -> usize {
        self.sources.len()
    }

    /// Predicts the configurations that were not asked for yet.
    pub(crate) fn ask(&mut self, space: &Space, ids: &[ConfigurationId]) {
        let new: Vec<ConfigurationId> =
            ids.iter().copied().filter(|id| !self.said.contains_key(id)).collect();
        let by_source: Vec<Vec<(f64, f64)>> =
            self.sources.iter().map(|source| source.said(space, &new)).collect();
        for (at, id) in new.into_iter().enumerate() {
            let values = by_source.iter().map(|said| said[at].0).collect();
            let valid = by_source.iter().map(|said| said[at].1).sum::<f64>();
            let valid = valid / self.sources.len() as f64;
            self.said.insert(id, Said { values, valid });
        }
    }

    /// The predictions for a configuration that was asked for.
    pub(crate) fn of(&self, id: ConfigurationId) -> &Said {
        &self.said[&id]
    }

    /// Prior means of the hyperparameters of a target with these lengths, as far as the sources are
    /// trusted.
    pub(crate) fn prior(
        &self,
        lengths: impl Iterator<Item = (usize, LengthOf)>,
        trust: f64,
    ) -> Hyperparameters {
        let known = |length: (usize, LengthOf)| {
            let known: Vec<f64> =
                self.sources.iter().filter_map(|source| source.ln_length(length)).collect();
            (length.1, (!known.is_empty()).then(|| mean(&known)))
        };
        Hyperparameters::informed(lengths.map(known), trust)
    }

    /// The configurations that are best on average over the sources, best first; none if the
    /// sources are inverted or unrelated.
    pub(crate) fn best(&mut self, space: &Space, count: usize) -> Vec<ConfigurationId> {
        if !self.soundness.is_unsuspected() {
            return Vec::new();
        }
        let ids: Vec<ConfigurationId> = match space.len() <= ALL {
            true => space.ids().collect(),
            false => {
                let mut ids = space.sample(ALL as usize, &mut seeded(0, ALL));
                ids.extend(&self.good);
                ids.sort_unstable();
                ids.dedup();
                ids
            }
        };
        self.ask(space, &ids);
        let expected = |id: ConfigurationId| {
            let said = self.of(id);
            mean(&said.values) + self.sources.len() as f64 * (1.0 - said.valid)
        };
        let mut order: Vec<(f64, ConfigurationId)> =
            ids.into_iter().map(|id| (expected(id), id)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().take(count).map(|(_, id)| id).collect()
    }
}
