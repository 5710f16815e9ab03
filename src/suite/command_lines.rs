//! A suite's studies as command lines: which flags they accept, and how they are parsed.

use batch::suites::{CommandFlags, Flag, FlagKind};
use clap::{ArgAction, Args as _, FromArgMatches as _, error::ContextValue};
use records::settings::StudySettings;

use crate::{
    command::clearer, run::RunArgs, score::ScoreArgs, studies::StudyArgs, terminal::Failure,
    tune::TuneArgs,
};

/// Names of the commands that make a study.
const RUN: &str = "run";
const TUNE: &str = "tune";
const SCORE: &str = "score";
/// The flag of `score` whose value a suite writes directly after `score`.
pub(super) const SPACES: &str = "spaces";
/// Value name of flags that take a list as one text.
const LIST: &str = "LIST";

fn commands() -> [clap::Command; 3] {
    [
        RunArgs::augment_args(clap::Command::new(RUN)),
        TuneArgs::augment_args(clap::Command::new(TUNE)),
        ScoreArgs::augment_args(clap::Command::new(SCORE)),
    ]
}

/// The commands of studies, with all their flags.
pub(super) fn flags() -> Vec<CommandFlags> {
    let of = |command: clap::Command| {
        let flags = command.get_arguments().filter_map(|argument| {
            let name = argument.get_long()?.to_owned();
            let names = argument.get_value_names().unwrap_or_default();
            let kind = match argument.get_action() {
                ArgAction::SetTrue => FlagKind::Switch,
                ArgAction::Append => FlagKind::Several,
                _ if names.iter().any(|name| name == LIST) => FlagKind::Listed,
                _ => FlagKind::One,
            };
            Some(Flag { name, kind })
        });
        let subject = (command.get_name() == SCORE).then(|| SPACES.to_owned());
        CommandFlags { name: command.get_name().to_owned(), flags: flags.collect(), subject }
    };
    commands().into_iter().map(of).collect()
}

/// The parsed command line of a study.
pub(super) enum StudyLine {
    Measured(MeasuredLine),
    Score(Box<ScoreArgs>),
}

impl StudyLine {
    /// Parses arguments. Errors are one sentence.
    pub(super) fn read(arguments: &[String]) -> Result<Self, String> {
        let whole = clap::Command::new("autobench").no_binary_name(true).subcommands(commands());
        let matches = whole.try_get_matches_from(arguments).map_err(|error| sentence(&error))?;
        let read = match matches.subcommand() {
            Some((RUN, own)) => {
                let run = RunArgs::from_arg_matches(own);
                run.map(|run| Self::Measured(MeasuredLine::Run(Box::new(run))))
            }
            Some((SCORE, own)) => {
                ScoreArgs::from_arg_matches(own).map(|score| Self::Score(Box::new(score)))
            }
            Some((_, own)) => {
                let tune = TuneArgs::from_arg_matches(own);
                tune.map(|tune| Self::Measured(MeasuredLine::Tune(Box::new(tune))))
            }
            None => return Err("a study begins with `run`, `tune` or `score`".to_owned()),
        };
        read.map_err(|error| sentence(&error))
    }
}

/// The parsed command line of a study that measures.
pub(super) enum MeasuredLine {
    Run(Box<RunArgs>),
    Tune(Box<TuneArgs>),
}

impl MeasuredLine {
    pub(super) fn arguments(&self) -> &StudyArgs {
        match self {
            Self::Run(run) => run.study(),
            Self::Tune(tune) => tune.study(),
        }
    }

    pub(super) fn settings(&self) -> Result<StudySettings, Failure> {
        match self {
            Self::Run(run) => Ok(run.settings()),
            Self::Tune(tune) => tune.settings(),
        }
    }

    pub(super) fn lacks_size(&self) -> bool {
        matches!(self, Self::Tune(tune) if tune.lacks_size())
    }
}

/// clap's error as one line, without the advice about `--help`.
fn sentence(error: &clap::Error) -> String {
    let text = clearer(error).unwrap_or_else(|| error.to_string());
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let mut words =
        lines.map(|line| line.trim_start_matches("error: ").trim_start_matches("tip: "));
    let first = words.next().unwrap_or("it is no study").to_owned();
    let rest = words.map(|line| line.trim_matches(['[', ']']));
    let rest: String = rest.map(|line| format!("; {line}")).collect();
    // Our messages quote with backticks, and name flags without their value names.
    let mut sentence = first + &rest;
    for (_, value) in error.context() {
        let ContextValue::String(flag) = value else { continue };
        if let Some((name, _)) = flag.split_once(" <").filter(|_| flag.starts_with("--")) {
            sentence = sentence.replace(flag.as_str(), name);
        }
    }
    sentence.replace('\'', "`")
}
