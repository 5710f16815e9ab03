//! `autobench history tag`: adds words to a result by which it can be found again.

use std::path::{Path, PathBuf};

use batch::history::{TAGS_FILE, change_tags};
use clap::Args;
use records::{FileFault, REPEATS_FILE, STUDY_FILE, SUITE_FILE, StudyFolder, settings::parse_tag};

use crate::{
    results,
    terminal::{Failure, output},
};

/// The arguments of `tag`.
#[derive(Debug, Args)]
pub(super) struct TagArgs {
    /// The folder of a study, of repeats or of a suite; `latest`, or a part of its name in `out`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The tags
    #[arg(required = true, value_name = "WORD", value_parser = parse_tag)]
    tags: Vec<String>,
    /// Remove these tags
    #[arg(long)]
    remove: bool,
}

pub(super) fn run(arguments: &TagArgs) -> Result<(), Failure> {
    let folder = results::named(&arguments.folder)?;
    let is_result =
        [STUDY_FILE, REPEATS_FILE, SUITE_FILE].iter().any(|file| folder.join(file).is_file());
    if !is_result {
        return Err(Failure::settings(format!("`{}` is no result of autobench", folder.display()))
            .hint("`autobench results` lists them"));
    }
    let tags = change_tags(&folder, |tags| {
        arguments.tags.iter().try_for_each(|tag| match arguments.remove {
            true if !tags.remove(tag) => Err(TagFault::Missing(tag.clone())),
            true => Ok(()),
            false => {
                tags.insert(tag.clone());
                Ok(())
            }
        })
    });
    let tags = tags.map_err(|fault| match fault {
        TagFault::File(fault) => Failure::stored(fault),
        TagFault::Missing(tag) => missing(&folder, &tag),
    })?;
    let all: Vec<&str> = tags.iter().map(String::as_str).collect();
    output::line(&format!("{}: {}", folder.join(TAGS_FILE).display(), all.join(" ")))
}

/// Why tags are not changed.
#[derive(Debug)]
enum TagFault {
    File(FileFault),
    /// The result has no such tag.
    Missing(String),
}

impl From<FileFault> for TagFault {
    fn from(fault: FileFault) -> Self {
        Self::File(fault)
    }
}

fn missing(folder: &Path, tag: &String) -> Failure {
    let study = StudyFolder::open(folder).ok().and_then(|study| study.read_study().ok());
    Failure::settings(match study.is_some_and(|study| study.settings.tags.contains(tag)) {
        true => format!(
            "`{tag}` was given with the command, and stands in the study's record, which stays as it is"
        ),
        false => format!("`{}` has no tag `{tag}`", folder.display()),
    })
}
