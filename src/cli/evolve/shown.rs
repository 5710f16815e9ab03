//! A family for `show`, `results` and `resume`, which only read it.

use std::path::Path;

use super::{answer, folder::FamilyFolder};
use crate::{
    cli::terminal::{Failure, output},
    exporters::family::words,
    records::FamilyView,
};

/// What there is of the family in a folder.
pub(in crate::cli) fn view(path: &Path) -> Result<FamilyView, Failure> {
    FamilyFolder::of(path).read()
}

/// Prints a family: the best, or all candidates in their order.
pub(in crate::cli) fn show(path: &Path, journal: bool) -> Result<(), Failure> {
    let view = view(path)?;
    if journal {
        return view.candidates.iter().try_for_each(|one| {
            let score = words::error(one.score, one.standard_error);
            let fate = words::fate(one);
            let fate = if fate.is_empty() { fate } else { format!("; {fate}") };
            let (number, lineage, name) = (one.number, words::lineage(one), &one.name);
            output::line(&format!("{number:>5}  {lineage}  {name}: {score}{fate}"))
        });
    }
    answer::told(&FamilyFolder::of(path), &view)?;
    if !view.is_finished() {
        let (made, asked) = (view.candidates.len(), view.record.candidates);
        output::line(&format!("state     unfinished: {made} of {asked} candidates are scored"))?;
    }
    output::line(&format!("begun by  {}", view.record.argv.join(" ")))
}

/// That a family goes on by the command that began it.
pub(in crate::cli) fn no_resume(path: &Path) -> Failure {
    let command = view(path).map(|view| view.record.argv.join(" "));
    let hint = match command {
        Ok(command) => format!("go on with the command that began it: `{command}`"),
        Err(_) => "go on with the `autobench evolve` that began it".to_owned(),
    };
    Failure::settings(format!("`{}` holds a family of strategies", path.display())).hint(hint)
}
