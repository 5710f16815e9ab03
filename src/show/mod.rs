//! `autobench show`: prints a study's answer, its source, and how it was found.

mod journal;
mod words;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use batch::suites::SuiteFolder;
use clap::Args;
use records::{
    JOURNAL_FILE, JournalEntry, RepeatsFolder, StudyFolder, StudyRecord, StudyView, read_journal,
};

use super::{
    command::{Command, read},
    results::{self, ResultKind},
    studies::{repeats, summary},
    suite,
    terminal::{Failure, output},
};

/// File with the winner's exact source, flags and geometry.
const SOURCE_FILE: &str = "winner.cu";

inventory::submit!(Command {
    rank: 11,
    name: "show",
    about: "Show a result: the answer of a study and its source, or a table",
    examples: &[
        "show latest            the newest result in `out`",
        "show latest --all      every size, the conditions, all warnings",
        "show latest --journal  what happened, with every reason",
    ],
    augment: ShowArgs::augment_args,
    run: |matches| run(&read::<ShowArgs>(matches)?),
});

/// The arguments of `show`.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The folder of a study, of repeats, of a suite or of a family; `latest`, or a part of its
    /// name in `out`
    dir: PathBuf,
    /// Show everything that is known about a study
    #[arg(long)]
    all: bool,
    /// Print what happened, event by event
    #[arg(long)]
    journal: bool,
    /// Leave out the winner's source
    #[arg(long)]
    no_source: bool,
}

pub(super) struct Study {
    pub(super) folder: StudyFolder,
    pub(super) record: StudyRecord,
    pub(super) entries: Vec<JournalEntry>,
    pub(super) view: StudyView,
}

impl Study {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let folder = StudyFolder::open(path).map_err(Failure::stored)?;
        let record = folder.read_study().map_err(Failure::stored)?;
        let entries = read_journal(&folder.file(JOURNAL_FILE)).map_err(Failure::stored)?.entries;
        let view = StudyView::from_events(&entries);
        Ok(Self { folder, record, entries, view })
    }
}

pub(super) fn run(arguments: &ShowArgs) -> Result<(), Failure> {
    let dir = results::named(&arguments.dir)?;
    if RepeatsFolder::is_at(&dir) {
        return repeats::show(&dir, arguments.journal);
    }
    if SuiteFolder::is_at(&dir) {
        return suite::show(&dir, arguments.journal);
    }
    if let Some(kind) = ResultKind::of(&dir) {
        return (kind.show)(&dir, arguments.journal);
    }
    let study = Study::open(&dir)?;
    if arguments.journal {
        let mut open = BTreeSet::new();
        return study.entries.iter().try_for_each(|entry| {
            output::line(&journal::sentence(&study.record, entry, &mut open))
        });
    }
    let lines = match arguments.all {
        true => words::lines(&study.record, &study.view),
        false => summary::lines(&study.record, &study.view, &study.folder),
    };
    lines.iter().try_for_each(|line| output::line(line))?;
    if arguments.no_source || study.view.winner().is_none() {
        return Ok(());
    }
    let path = study.folder.file(SOURCE_FILE);
    match std::fs::read_to_string(&path) {
        Ok(source) => {
            output::line("")?;
            output::line(&format!("source    {}", path.display()))?;
            output::text(&format!("\n{}", source.trim_end()))
        }
        Err(_) => {
            output::line("")?;
            output::line(&format!(
                "source    `{SOURCE_FILE}` is not in the folder: it is written when a study on a device ends"
            ))
        }
    }
}
