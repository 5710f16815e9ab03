//! `--learn-from`: reads what searches learn from, and makes their prior.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use scoring::Origin;
use scoring::{FrontSpace, Landscape, Recollected, begin_with, memory_of};
use space::Parameter;

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
        spaces::recollected(&self.learn_from, aim, known)
    }
}

/// Sets a landscape's prior to what was recorded of its kernel elsewhere, never to its own rows.
pub fn learn(landscape: &mut Landscape, recollected: &[Recollected]) {
    let elsewhere = about(&landscape.origin, landscape.space.parameters(), recollected);
    let memory = memory_of(&landscape.origin, elsewhere.filter(|one| !one.is_of(landscape)));
    if !recollected.is_empty() && memory.is_empty() {
        output::note(&format!("there is nothing to learn from for {}", landscape.name));
    }
    landscape.memory = Arc::new(memory);
}

/// Sets where searches of a space's front begin: on the fronts that were recorded of its kernel
/// elsewhere.
pub fn begin(front: &mut FrontSpace, recollected: &[Recollected]) {
    let elsewhere = about(&front.origin, front.space.parameters(), recollected);
    let elsewhere = elsewhere.filter(|one| !one.is_from_origin(&front.origin));
    let (named, _) = begin_with(&front.origin, elsewhere, None);
    if !recollected.is_empty() && named.is_empty() {
        output::note(&format!("there is nothing to learn from for {}", front.name));
    }
    front.starts = named.iter().filter_map(|name| name.id_in(&front.space)).collect();
}

fn about<'a>(
    origin: &'a Origin,
    parameters: &'a [Parameter],
    recollected: &'a [Recollected],
) -> impl Iterator<Item = &'a Recollected> {
    recollected.iter().filter(move |one| one.is_about(&origin.kernel, parameters))
}
