//! `autobench history list`: lists studies, newest first.

use batch::history::{Answer, Entry, State};
use clap::{Args, ValueEnum};
use report::exporters::{
    aligned,
    quantities::{grouped, seconds, significant},
};
use serde_json::json;

use super::chosen::{Chosen, opened};
use crate::terminal::{Failure, output};

const HEAD: [&str; 8] =
    ["started", "benchmark", "device", "driver", "state", "size", "answer", "tags"];

/// The arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only benchmarks whose name contains this
    #[arg(long, value_name = "NAME")]
    benchmark: Option<String>,
    #[command(flatten)]
    studies: Chosen,
    /// Only studies in this state
    #[arg(long, value_enum)]
    state: Option<Word>,
    /// How many to list at most; 0 for all
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    number: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The states as the command line names them.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Word {
    Finished,
    Unfinished,
    Damaged,
}

impl From<Word> for State {
    fn from(word: Word) -> Self {
        match word {
            Word::Finished => Self::Finished,
            Word::Unfinished => Self::Unfinished,
            Word::Damaged => Self::Damaged,
        }
    }
}

pub(super) fn run(arguments: &ListArgs) -> Result<(), Failure> {
    let Chosen { out, .. } = &arguments.studies;
    let history = opened(out)?;
    let state = arguments.state.map(State::from);
    let filter = arguments.studies.filter(arguments.benchmark.as_ref(), state);
    let chosen = filter.chosen(&history.entries);
    let most = if arguments.number == 0 { chosen.len() } else { arguments.number };
    if arguments.json {
        let listed: Vec<_> = chosen.iter().take(most).map(|entry| as_json(entry)).collect();
        return output::json(&serde_json::to_string_pretty(&listed).map_err(Failure::bug)?);
    }
    if chosen.is_empty() {
        return output::line(&match history.entries.len() {
            0 => format!("`{}` holds no studies", out.display()),
            all => format!("none of the {all} studies of `{}` is like that", out.display()),
        });
    }
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(chosen.iter().take(most).map(|entry| row(entry)));
    for line in aligned(&rows, &[0, 1, 2, 3, 4, 6, 7]) {
        output::line(&line)?;
    }
    if most < chosen.len() {
        output::note(&format!("{} older ones: -n 0 lists all", chosen.len() - most));
    }
    Ok(())
}

fn row(entry: &Entry) -> Vec<String> {
    let state = match entry.state {
        State::Damaged => format!("damaged: {}", entry.reason),
        state => state.word().to_owned(),
    };
    let Some(study) = &entry.study else {
        let state = if entry.reason.is_empty() { state } else { entry.reason.clone() };
        let empty = String::new;
        return vec![
            empty(),
            entry.folder.clone(),
            empty(),
            empty(),
            state,
            empty(),
            empty(),
            entry.tags.join(" "),
        ];
    };
    let answer = study.answer.as_ref();
    vec![
        study.started.format("%Y-%m-%d %H:%M").to_string(),
        study.subject.clone(),
        study.device.clone(),
        study.driver.clone(),
        state,
        answer.and_then(|answer| answer.size).map(grouped).unwrap_or_default(),
        answer.map(figure).unwrap_or_default(),
        entry.tags.join(" "),
    ]
}

/// The answer of a study as text.
fn figure(answer: &Answer) -> String {
    let mut text = seconds(answer.seconds);
    if let Some(metric) = answer.metric {
        text += &format!(", {} {}", significant(metric, 4), answer.unit);
    }
    text + if answer.knee { ", knee" } else { "" }
}

fn as_json(entry: &Entry) -> serde_json::Value {
    let study = entry.study.as_ref();
    json!({
        "folder": entry.folder,
        "state": entry.state.word(),
        "reason": entry.reason,
        "tags": entry.tags,
        "subject": study.map(|study| &study.subject),
        "benchmark": study.map(|study| &study.benchmark),
        "device": study.map(|study| &study.device),
        "host": study.map(|study| &study.host),
        "driver": study.map(|study| &study.driver),
        "started": study.map(|study| study.started),
        "answer": study.and_then(|study| study.answer.as_ref()),
    })
}
