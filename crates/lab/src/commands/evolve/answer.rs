//! The answer of a family, in words or as JSON.

use autobench::terminal::{Failure, Screen, output};
use records::FamilyView;
use report::exporters::family::words;
use serde_json::json;

use super::folder::FamilyFolder;

/// Prints the answer; `over` says why there are fewer candidates than asked for.
pub(super) fn print(
    folder: &FamilyFolder,
    view: &FamilyView,
    over: Option<&str>,
    screen: Screen,
) -> Result<(), Failure> {
    if screen.json {
        return output::json(&json(folder, view, over));
    }
    if screen.quiet {
        return Ok(());
    }
    told(folder, view)?;
    if let Some(why) = over {
        let (made, asked) = (view.candidates.len(), view.record.candidates);
        output::line(&format!(
            "ended     after {made} of {asked} candidates: {why}; the same command goes on{}",
            match view.record.test.is_some() {
                true => format!(", and with --candidates {made} makes the final table"),
                false => String::new(),
            }
        ))?;
    }
    output::line(&format!("results   {}", folder.path().display()))
}

/// Prints the best candidate, its cost, and the final table.
pub(super) fn told(folder: &FamilyFolder, view: &FamilyView) -> Result<(), Failure> {
    for (word, text) in words::summary(view) {
        output::line(&format!("{word:<10}{text}"))?;
    }
    if view.best().is_some() {
        output::line(&format!("script    {}", folder.best().display()))?;
    }
    if let Some(test) = &view.test {
        output::line("")?;
        words::test_lines(test).iter().try_for_each(|line| output::line(line))?;
        output::line("")?;
    }
    Ok(())
}

fn json(folder: &FamilyFolder, view: &FamilyView, over: Option<&str>) -> String {
    let best = view.best().map(|best| {
        let lineage: Vec<u64> = view.ancestry(best).iter().rev().map(|one| one.number).collect();
        json!({ "candidate": best, "lineage": lineage, "script": folder.best() })
    });
    let document = json!({
        "folder": folder.path(),
        "candidates": view.candidates.len(),
        "asked": view.record.candidates,
        "ended": over,
        "failed": view.failed().count(),
        "calls": view.calls(),
        "tokens": view.tokens(),
        "generator": view.record.generator,
        "best": best,
        "test": view.test,
    });
    format!("{document:#}")
}
