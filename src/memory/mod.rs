//! `--learn-from`: reads what searches learn from, and makes their prior.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use scoring::{Landscape, Recollected, memory_of};
use study::prepare::PrepareFault;

use super::{
    score::spaces::{self, Aim, Spaces},
    terminal::{Failure, output},
};

/// The flag that says what searches learn from.
#[derive(Debug, Clone, Default, Args)]
pub struct LearnArgs {
    /// Learn from earlier evaluations of the same kernel on other devices or at other sizes:
    /// recorded spaces, studies, or folders of these. What does not fit the kernel is ignored
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1..)]
    pub learn_from: Vec<PathBuf>,
}

impl LearnArgs {
    /// Reads the named files and folders; returns nothing if there are none.
    pub fn read(&self, aim: &Aim<'_>, known: &mut Spaces) -> Result<Vec<Recollected>, Failure> {
        if self.learn_from.is_empty() {
            return Ok(Vec::new());
        }
        if aim.objectives.len() > 1 {
            return Err(PrepareFault::LearnsForFront.into());
        }
        spaces::recollected(&self.learn_from, aim, known)
    }
}

/// Sets a landscape's prior to what was recorded of its kernel elsewhere, never to its own rows.
pub fn learn(landscape: &mut Landscape, recollected: &[Recollected]) {
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
