//! The prior of a study's searches.

use std::{path::Path, sync::Arc};

use exchange::{NamedSpacesError, Reading, RecordedSpace, Spaces, Studies};
use records::{LearntFrom, MEMORY_HASH, StudyRecord, settings::Goal};
use search_api::{Memory, Source};
use space::{Parameter, Space};

use super::{Origin, Recollected, ScoredSpace, begin_with, memory_of};
use crate::{
    Plan,
    prepare::{PrepareFault, hash},
};

/// The properties of a study that decide which recordings can be its prior.
pub(crate) struct Learner<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) parameters: &'a [Parameter],
    /// The recorded space that the study replays. It is never part of the prior.
    pub(crate) replayed: Option<&'a ScoredSpace>,
}

impl Learner<'_> {
    /// Adds the prior that the settings name to a plan. The settings then list the paths of the
    /// recordings that count, so that a resumed study has the same prior.
    pub(crate) fn learn(
        &self,
        plan: &mut Plan,
        record: &mut StudyRecord,
        space: &Space,
        note: &dyn Fn(&str),
    ) -> Result<(), PrepareFault> {
        let metrics: Vec<String> =
            plan.ranking.objectives().map(|objective| objective.metric.clone()).collect();
        let seeks_front = plan.ranking.seeks_front();
        let made =
            |name: &str, recorded: &RecordedSpace| Recollected::new(name, recorded, &plan.ranking);
        let reading = Reading { only_times: only_times(&metrics), note };
        let named = &plan.settings.learn_from;
        let all = match Spaces::default().each(named, Studies::Any, reading, &made) {
            // None of the named studies has what the search is for.
            Err(NamedSpacesError::None(_)) if named.iter().all(|path| path.exists()) => Vec::new(),
            all => all?,
        };
        let counts = |one: &Recollected| {
            one.is_about(self.kernel, self.parameters)
                && !self.replayed.is_some_and(|space| one.is_of(space))
        };
        let (mut paths, counting): (Vec<_>, Vec<_>) =
            all.into_iter().filter(|(_, one)| counts(one)).unzip();
        if counting.is_empty() {
            note("there is nothing to learn from: no recording is of this kernel");
        }
        let is_one_size = plan.settings.goal == Goal::Tune && self.replayed.is_none();
        let size = plan.settings.sizes.first().filter(|_| is_one_size);
        let searched = Origin {
            kernel: self.kernel.to_owned(),
            device: record.device.name.clone(),
            size: size.map(|size| size.to_string()).unwrap_or_default(),
        };
        paths.dedup();
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        plan.settings.learn_from = paths.iter().map(|path| absolute(path)).collect();
        record.settings.learn_from.clone_from(&plan.settings.learn_from);
        // A resumed study must have the same prior. The hash shows whether a recording changed.
        let prior = if seeks_front {
            let evaluations = plan.settings.budget.evaluations;
            let (starts, from) = begin_with(&searched, &counting, evaluations);
            plan.starts = starts;
            let learnt = |(name, evaluations)| LearntFrom { name, evaluations, against: None };
            record.learnt_from = from.into_iter().map(learnt).collect();
            format!("{:?}", plan.starts)
        } else {
            plan.memory = Arc::new(memory_of(&searched, &counting));
            record.learnt_from = learnt_from(&plan.memory, space);
            format!("{:?}", plan.memory)
        };
        record.hashes.insert(MEMORY_HASH.to_owned(), hash(prior.as_bytes()));
        Ok(())
    }
}

/// Whether run time is the only quantity in these objectives.
#[must_use]
pub fn only_times(objectives: &[String]) -> bool {
    objectives.iter().all(|name| matches!(name.as_str(), "seconds" | "time"))
}

/// Lists the sources of a prior for records, with what speaks against each on a space.
#[must_use]
pub fn learnt_from(memory: &Memory, space: &Space) -> Vec<LearntFrom> {
    let of = |(source, against): (&Source, Option<String>)| LearntFrom {
        name: source.name.clone(),
        evaluations: source.trials.len() as u64,
        against,
    };
    memory.sources.iter().zip(memory.told_against(space)).map(of).collect()
}
