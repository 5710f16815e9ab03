//! Several benchmarks on one command line, with a study for each.

use super::StudyArgs;
use crate::terminal::{ExitStatus, Failure, output};

/// Runs `perform` for each benchmark in turn. Misspelt names are reported before any study starts.
/// After a failed study the others still run; the exit code is that of the first failure.
pub(crate) fn of_each_benchmark(
    arguments: &StudyArgs,
    mut perform: impl FnMut(&StudyArgs) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if arguments.benchmarks.len() < 2 {
        return perform(arguments);
    }
    let path = plugins::SearchPath::new(&arguments.plugin_path);
    for name in &arguments.benchmarks {
        plugins::find(name, &path).map_err(Failure::settings)?;
    }
    let mut failed: Vec<(&str, Failure)> = Vec::new();
    for name in &arguments.benchmarks {
        let study = StudyArgs { benchmarks: vec![name.clone()], ..arguments.clone() };
        match perform(&study) {
            Ok(()) => {}
            Err(stopped) if stopped.exit == ExitStatus::Interrupted => return Err(stopped),
            Err(failure) => {
                output::error(&failure);
                failed.push((name, failure));
            }
        }
    }
    let Some((_, first)) = failed.first() else { return Ok(()) };
    let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
    let words = format!(
        "{} of {} studies failed: {}",
        failed.len(),
        arguments.benchmarks.len(),
        names.join(", ")
    );
    Err(Failure { exit: first.exit, message: words, hint: None })
}
