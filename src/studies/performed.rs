//! Runs studies from checked arguments, for `run`, `tune` and `resume`.

use records::{StudyFolder, settings::StudySettings};
use report::exporters::{self, WriteError};
use study::{BegunStudy, PrepareFault, Preparing, Study, StudyResult, prepare::models};

use super::{
    arguments::StudyArgs,
    dry_run::dry_run,
    faults::failure,
    progress::{Among, Bar},
    summary,
};
use crate::terminal::{Failure, Screen, interruption, output};

/// Runs a new study. Among several devices, each model gets a study.
pub(crate) fn begin(arguments: &StudyArgs, settings: StudySettings) -> Result<(), Failure> {
    for device in models(&settings.device)? {
        let study = prepare(arguments, StudySettings { device, ..settings.clone() })?;
        if arguments.dry_run {
            dry_run(&study, arguments.screen, 1)?;
        } else {
            run_and_print(&mut study.begin(&arguments.out)?, arguments.screen)?;
        }
    }
    Ok(())
}

/// Prepares a study of the benchmark that the arguments name.
pub(crate) fn prepare(
    arguments: &StudyArgs,
    settings: StudySettings,
) -> Result<Study, PrepareFault> {
    let benchmark = arguments.benchmark().unwrap_or_default().to_owned();
    let with = Preparing { plugin_path: &arguments.plugin_path, note: &output::note };
    Study::prepare_with(StudySettings { benchmark, ..settings }, with)
}

/// Opens an interrupted study in order to continue it.
pub(crate) fn resume(
    folder: StudyFolder,
    accept_changes: bool,
) -> Result<BegunStudy, PrepareFault> {
    Study::resume(folder, accept_changes, Preparing { note: &output::note, ..Preparing::default() })
}

/// Runs a study from the end of its journal, and prints its answer.
pub(crate) fn run_and_print(begun: &mut BegunStudy, screen: Screen) -> Result<(), Failure> {
    let (result, written) = run(begun, screen, None)?;
    summary::print(&result, screen)?;
    written.map_err(Failure::bug)
}

/// Runs a study from the end of its journal. Returns its answer, and whether its files were
/// written.
pub(crate) fn run(
    begun: &mut BegunStudy,
    screen: Screen,
    among: Option<&Among>,
) -> Result<(StudyResult, Result<(), WriteError>), Failure> {
    let interrupted = interruption()?;
    let mut bar = Bar::new(screen, begun, among);
    let result = begun.run_unless(&mut bar, &interrupted);
    bar.finish();
    // The answer is reported even if its pages cannot be written.
    let written = exporters::write_all(&begun.folder, &begun.study.record, &begun.view());
    match result {
        Ok(result) => Ok((result, written)),
        Err(fault) => Err(failure(fault, begun)),
    }
}
