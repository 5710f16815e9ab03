//! Families in `show`, `results` and `resume`, which only read them.

use std::path::Path;

use autobench::{
    results::{Listed, ResultKind},
    terminal::{Failure, output},
};
use records::{FamilyRecord, FamilyView, command_line};
use report::exporters::family::words;

use super::{
    answer,
    folder::{FamilyFolder, is_family},
};

inventory::submit!(ResultKind { is_at: is_family, listed: family, show, resume: no_resume });

fn view(path: &Path) -> Result<FamilyView, Failure> {
    FamilyFolder::of(path).read()
}

/// Prints a family: the best candidate, or all candidates in order.
fn show(path: &Path, journal: bool) -> Result<(), Failure> {
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

/// Refuses to resume: a family is resumed by the command that made it.
fn no_resume(path: &Path) -> Result<(), Failure> {
    let hint = match FamilyRecord::read(path) {
        Ok(record) => format!("go on with its command: `{}`", command_line(&record.argv)),
        Err(fault) => format!("go on with the `autobench evolve` that made it ({fault})"),
    };
    let what = format!("`{}` holds a family of strategies", path.display());
    Err(Failure::settings(what).hint(hint))
}

fn family(path: &Path) -> Result<Listed, String> {
    let view = view(path).map_err(|failure| failure.to_string())?;
    let best = view.best().map(|best| {
        let score = view.in_finals(best.number).and_then(|row| row.score).or(best.score);
        format!(", best {} {:.3}", best.name, score.unwrap_or(f64::NAN))
    });
    let (made, asked) = (view.candidates.len(), view.record.candidates);
    Ok(Listed {
        of: format!("family by {}", view.record.generator.name),
        state: if view.is_finished() { "finished" } else { "unfinished" }.to_owned(),
        answer: format!("{made} of {asked} candidates{}", best.unwrap_or_default()),
        ..Listed::default()
    })
}
