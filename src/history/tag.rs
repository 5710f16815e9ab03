//! `autobench history tag`: adds words to a result by which it can be found again.

use std::path::PathBuf;

use batch::history::{TAGS_FILE, read_tags, write_tags};
use clap::Args;
use records::{REPEATS_FILE, STUDY_FILE, SUITE_FILE, StudyFolder, settings::parse_tag};

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
    let mut tags = read_tags(&folder).map_err(Failure::stored)?;
    for tag in &arguments.tags {
        let changed = match arguments.remove {
            true => tags.remove(tag),
            false => tags.insert(tag.clone()),
        };
        if arguments.remove && !changed {
            let study = StudyFolder::open(&folder).ok().and_then(|study| study.read_study().ok());
            return Err(match study.is_some_and(|study| study.settings.tags.contains(tag)) {
                true => Failure::settings(format!(
                    "`{tag}` was given with the command, and stands in the study's record, which stays as it is"
                )),
                false => Failure::settings(format!("`{}` has no tag `{tag}`", folder.display())),
            });
        }
    }
    write_tags(&folder, &tags).map_err(Failure::stored)?;
    let all: Vec<&str> = tags.iter().map(String::as_str).collect();
    output::line(&format!("{}: {}", folder.join(TAGS_FILE).display(), all.join(" ")))
}
