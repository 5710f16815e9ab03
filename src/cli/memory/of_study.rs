//! What the searches of a study learn from.

use std::{path::Path, sync::Arc};

use crate::{
    cli::{
        score::spaces::{self, Aim, Spaces},
        studies::{BoundArgs, hash},
        terminal::{Failure, output},
    },
    records::{MEMORY_HASH, StudyRecord},
    scoring::{Landscape, Origin, memory_of},
    space::Parameter,
    study::Plan,
};

/// What a study searches, as far as it decides what it can learn from.
pub(in crate::cli) struct Learner<'a> {
    pub(in crate::cli) kernel: &'a str,
    pub(in crate::cli) parameters: &'a [Parameter],
    /// The recorded space that it replays, which is never its own memory.
    pub(in crate::cli) replayed: Option<&'a Landscape>,
}

impl Learner<'_> {
    /// Gives a plan the memory that its settings name. The settings keep what counts, by path, so
    /// that a resumed study learns from the same.
    pub(in crate::cli) fn learn(
        &self,
        plan: &mut Plan,
        record: &mut StudyRecord,
    ) -> Result<(), Failure> {
        let named = plan.settings.learn_from.clone();
        if named.is_empty() {
            return Ok(());
        }
        if plan.settings.seeks_front() {
            return Err(Failure::settings("--learn-from is for one objective")
                .hint("leave it out where a front is sought"));
        }
        let objectives = [plan.settings.objective.metric.clone()];
        let bounds = BoundArgs::default();
        let aim = Aim { objectives: &objectives, bounds: &bounds, timed: false };
        let all = spaces::recollected(&named, &aim, Some(&plan.ranking), &mut Spaces::default())?;
        let counts = |one: &crate::scoring::Recollected| {
            one.is_about(self.kernel, self.parameters)
                && !self.replayed.is_some_and(|space| one.is_of(space))
        };
        let (paths, counting): (Vec<_>, Vec<_>) =
            all.into_iter().filter(|(_, one)| counts(one)).unzip();
        if counting.is_empty() {
            output::note("there is nothing to learn from: no recording is of this kernel");
        }
        let searched = Origin {
            kernel: self.kernel.to_owned(),
            device: record.device.name.clone(),
            ..Origin::default()
        };
        let memory = memory_of(&searched, &counting);
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        plan.settings.learn_from = paths.iter().map(|path| absolute(path)).collect();
        record.settings.learn_from.clone_from(&plan.settings.learn_from);
        // A study that goes on must know the same: what it learnt from may have changed meanwhile.
        record.hashes.insert(MEMORY_HASH.to_owned(), hash(format!("{memory:?}").as_bytes()));
        plan.memory = Arc::new(memory);
        Ok(())
    }
}
