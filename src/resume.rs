//! `autobench resume DIR`: continues an interrupted study, repeats, or suite.

use std::path::PathBuf;

use batch::suites::SuiteFolder;
use clap::Args as _;
use records::{RepeatsFolder, StudyFolder};

use super::{
    command::{Command, read},
    results::{self, ResultKind},
    studies::{self, repeats},
    suite,
    terminal::{Failure, Screen},
};

inventory::submit!(Command {
    rank: 4,
    name: "resume",
    about: "Go on with an interrupted study, repeats or suite",
    examples: &[
        "resume latest  go on with the newest result in `out`",
        "resume out/20261121T120000Z_vecadd_…",
    ],
    augment: ResumeArgs::augment_args,
    run: |matches| run(&read::<ResumeArgs>(matches)?),
});

/// The arguments of `resume`.
#[derive(Debug, clap::Args)]
pub(super) struct ResumeArgs {
    /// The folder of a study, of repeats or of a suite; `latest`, or a part of its name in `out`
    dir: PathBuf,
    /// Continue although the kernel, plugin, device or compiler has changed
    #[arg(long)]
    accept_changes: bool,
    /// Wait until a suite that was submitted to SLURM has ended
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    screen: Screen,
}

pub(super) fn run(arguments: &ResumeArgs) -> Result<(), Failure> {
    let dir = results::named(&arguments.dir)?;
    if arguments.wait && !SuiteFolder::is_at(&dir) {
        return Err(suite::never_submitted());
    }
    if RepeatsFolder::is_at(&dir) {
        return repeats::resume(&dir, arguments.accept_changes, arguments.screen);
    }
    if SuiteFolder::is_at(&dir) {
        return suite::resume(&dir, arguments.accept_changes, arguments.wait, arguments.screen);
    }
    if let Some(kind) = ResultKind::of(&dir) {
        return (kind.resume)(&dir);
    }
    let folder = StudyFolder::open(&dir).map_err(Failure::stored)?;
    let mut begun = studies::resume(folder, arguments.accept_changes)?;
    studies::run_and_print(&mut begun, arguments.screen)
}
