//! `autobench history clean`: lists results that may be deleted, and deletes them.

use std::path::PathBuf;

use batch::history::{Candidate, History, Rule, candidates, delete};
use chrono::{DateTime, Utc};
use clap::Args;
use report::exporters::{aligned, quantities::si};

use super::{chosen::opened, moment::age};
use crate::{
    results::OUT,
    terminal::{Failure, output},
};

/// The arguments of `clean`.
#[derive(Debug, Args)]
pub(super) struct CleanArgs {
    /// The folder of results
    #[arg(long, default_value = OUT, value_name = "DIR")]
    out: PathBuf,
    /// Only results older than this: `30d`, `6w`, `1y`
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Option<DateTime<Utc>>,
    /// Keep this many of the newest results of every benchmark and device
    #[arg(long, value_name = "N")]
    keep_last: Option<usize>,
    /// Only results without a finished study
    #[arg(long)]
    unfinished: bool,
    /// Delete the results; without this flag they are only listed
    #[arg(long)]
    yes: bool,
}

pub(super) fn run(arguments: &CleanArgs) -> Result<(), Failure> {
    let CleanArgs { out, older_than, keep_last, unfinished, yes } = arguments;
    let rule = Rule { before: *older_than, keep_last: *keep_last, unfinished: *unfinished };
    if rule.before.is_none() && rule.keep_last.is_none() && !rule.unfinished {
        return Err(Failure::settings("nothing says what may go").hint(
            "write --older-than 30d, --keep-last 10 or --unfinished; together they all hold",
        ));
    }
    let history = opened(out)?;
    let (leaving, protected) = candidates(&history, &rule);
    for (result, why) in &protected {
        output::note(&format!("`{result}` {why}, and stays"));
    }
    if leaving.is_empty() {
        return output::line("nothing to delete");
    }
    match yes {
        true => let_go(&history, &leaving),
        false => name(&leaving),
    }
}

fn name(leaving: &[Candidate]) -> Result<(), Failure> {
    let rows: Vec<Vec<String>> = leaving
        .iter()
        .map(|one| {
            let started = one.started.map(|time| time.format("%Y-%m-%d %H:%M").to_string());
            vec![
                started.unwrap_or_default(),
                format!("{} of {} finished", one.finished, one.studies),
                format!("{}B", si(one.bytes as f64)),
                one.result.clone(),
            ]
        })
        .collect();
    aligned(&rows, &[0, 1, 3]).iter().try_for_each(|line| output::line(line))?;
    output::line(&format!("{} would be deleted; --yes deletes them", count(leaving)))
}

fn let_go(history: &History, leaving: &[Candidate]) -> Result<(), Failure> {
    let mut failed = Vec::new();
    for one in leaving {
        match delete(history.root(), &one.result) {
            Ok(()) => output::line(&format!("deleted {}", one.result))?,
            Err(why) => failed.push(why.to_string()),
        }
    }
    if !failed.is_empty() {
        return Err(Failure::settings(failed.join("; ")));
    }
    opened(history.root()).map(drop)
}

fn count(leaving: &[Candidate]) -> String {
    let bytes: u64 = leaving.iter().map(|one| one.bytes).sum();
    let results = if leaving.len() == 1 { "result" } else { "results" };
    format!("{} {results} of {}B", leaving.len(), si(bytes as f64))
}
