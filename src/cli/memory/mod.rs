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
    space::Space,
    strategies::{Memory, Source, told_against},
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

/// What searches of a space learn from a memory, for records.
pub(in crate::cli) fn learnt_from(memory: &Memory, space: &Space) -> Vec<LearntFrom> {
    let against = told_against(space, &memory.sources);
    let of = |(source, against): (&Source, Option<String>)| LearntFrom {
        name: source.name.clone(),
        evaluations: source.trials.len() as u64,
        against,
    };
    memory.sources.iter().zip(against).map(of).collect()
}

/// The same of one source in words.
pub(in crate::cli) fn in_words(source: &LearntFrom) -> String {
    let LearntFrom { name, evaluations, against } = source;
    let against = against.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
    format!("{name} ({evaluations} evaluations{against})")
}
