//! `--learn-from`: what searches learn from, from flags to memories.

mod of_study;

use std::{path::PathBuf, sync::Arc};

use clap::Args;

use super::{
    score::spaces::{self, Aim, Spaces},
    terminal::{Failure, output},
};
use crate::{
    records::LearntFrom,
    scoring::{Landscape, Recollected, memory_of},
    strategies::Memory,
};

pub(in crate::cli) use of_study::Learner;

/// What searches learn from.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct LearnArgs {
    /// Learn from what was evaluated before of the same kernel, on other devices or of other sizes:
    /// recorded spaces, studies, or folders of these. What does not fit is passed over
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1..)]
    pub(in crate::cli) learn_from: Vec<PathBuf>,
}

impl LearnArgs {
    /// Reads what is learnt from; nothing unless it is asked for.
    pub(in crate::cli) fn read(
        &self,
        aim: &Aim<'_>,
        known: &mut Spaces,
    ) -> Result<Vec<Recollected>, Failure> {
        if self.learn_from.is_empty() {
            return Ok(Vec::new());
        }
        if aim.objectives.len() > 1 {
            return Err(Failure::settings("--learn-from is for one objective")
                .hint("leave it out where a front is sought"));
        }
        let recollected = spaces::recollected(&self.learn_from, aim, None, known)?;
        Ok(recollected.into_iter().map(|(_, one)| one).collect())
    }
}

/// Gives a landscape the memory of what was recorded of its kernel elsewhere. It is never its own.
pub(in crate::cli) fn learn(landscape: &mut Landscape, recollected: &[Recollected]) {
    let parameters = landscape.space.parameters();
    let kernel = &landscape.origin.kernel;
    let elsewhere =
        recollected.iter().filter(|one| one.is_about(kernel, parameters) && !one.is_of(landscape));
    let memory = memory_of(&landscape.origin, elsewhere);
    if !recollected.is_empty() && memory.is_empty() {
        output::note(&format!("there is nothing to learn from for {}", landscape.name));
    }
    landscape.memory = Arc::new(memory);
}

/// What is learnt from a memory, for records.
pub(in crate::cli) fn learnt_from(memory: &Memory) -> Vec<LearntFrom> {
    let of = |source: &crate::strategies::Source| LearntFrom {
        name: source.name.clone(),
        evaluations: source.trials.len() as u64,
    };
    memory.sources.iter().map(of).collect()
}

/// The same in words; `None` without a memory.
pub(in crate::cli) fn in_words(memory: &Memory) -> Option<String> {
    let each: Vec<String> = memory
        .sources
        .iter()
        .map(|source| format!("{} ({} evaluations)", source.name, source.trials.len()))
        .collect();
    (!each.is_empty()).then(|| each.join("; "))
}
