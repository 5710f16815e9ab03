//! A family for `show`, `results` and `resume`, which only read it.

use std::path::Path;

use super::{answer, folder::FamilyFolder};
use crate::{
    cli::terminal::{Failure, output},
    exporters::family::words,
    records::{FamilyRecord, FamilyView, command_line},
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
        let (made, asked) = (view.candidates.len() as u64, view.record.candidates);
        let missing = match made < asked {
            true => format!("{made} of {asked} candidates are scored"),
            false => "the finals or the final table are missing".to_owned(),
        };
        output::line(&format!("state     unfinished: {missing}"))?;
    }
    output::line(&format!("command   {}", command_line(&view.record.argv)))
}

/// That a family goes on by the command that made it.
pub(in crate::cli) fn no_resume(path: &Path) -> Failure {
    let hint = match FamilyRecord::read(path) {
        Ok(record) => format!("go on with its command: `{}`", command_line(&record.argv)),
        Err(fault) => format!("go on with the `autobench evolve` that made it ({fault})"),
    };
    Failure::settings(format!("`{}` holds a family of strategies", path.display())).hint(hint)
}
