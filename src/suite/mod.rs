//! `autobench suite FILE`: many studies from one YAML file.

mod arguments;
mod checks;
mod command_lines;
mod pace;
mod performed;
mod planned;
mod score_checks;
mod slurm;

use std::path::{Path, PathBuf};

use batch::suites::{
    self, RecordedStudy, SizeFrom, SuiteFolder, SuiteView, Told, built_in, built_ins,
    slurm::SlurmRecord, words,
};
use clap::Args as _;
use records::command_line;
use report::exporters::quantities::seconds;
use serde_json::json;

use self::planned::PlannedSuite;
use super::{
    command::{Command, read},
    results,
    score::RECORDING,
    terminal::{Failure, Screen, output},
};

pub(super) use arguments::{SuiteArgs, flag_and_value};
pub(super) use slurm::never_submitted;

inventory::submit!(Command {
    rank: 3,
    name: "suite",
    about: "Run many studies from one YAML file; alone: list built-in suites",
    examples: &[
        "suite                     the suites that are built in",
        "suite saturation --quick  every way to be slow, in ten minutes",
        "suite my.yaml --dry-run   its studies as command lines",
        "suite my.yaml --device cuda:0 --device cuda:1",
    ],
    augment: SuiteArgs::augment_args,
    run: |matches| run(&read::<SuiteArgs>(matches)?),
});

fn run(arguments: &SuiteArgs) -> Result<(), Failure> {
    if let Some(name) = &arguments.print {
        let suite = built_in(name).ok_or_else(|| Failure::settings(suites::unknown(name)))?;
        return output::text(suite.text.trim_end());
    }
    if let Some(path) = &arguments.slurm.cancel {
        return slurm::cancel(&results::named(path)?, arguments.screen);
    }
    let Some(name) = &arguments.suite else { return list(arguments.screen) };
    if let Some(study) = arguments.slurm.element {
        return slurm::element(Path::new(name), study, arguments);
    }
    let source = suites::read(name).map_err(|why| {
        Failure::settings(why).hint("name a YAML file; `autobench suite --print smoke` shows one")
    })?;
    let plan = planned::planned(&source, arguments)?;
    if arguments.slurm.slurm {
        return slurm::begin(plan.record, arguments);
    }
    if arguments.dry_run {
        return dry_run(&plan, arguments.screen);
    }
    performed::begin(plan.record, &arguments.out, arguments.screen).map(drop)
}

/// Runs the built-in suite that the arguments name. Returns its folder.
pub(super) fn perform_built_in(arguments: &SuiteArgs) -> Result<PathBuf, Failure> {
    let name = arguments.suite.as_deref().unwrap_or_default();
    let source = suites::read(name).map_err(Failure::bug)?;
    let plan = planned::planned(&source, arguments)?;
    performed::begin(plan.record, &arguments.out, arguments.screen)
}

/// Continues a suite where it ran: in this process, or under SLURM. With `wait`, waits until
/// SLURM's jobs have ended.
pub(super) fn resume(
    path: &Path,
    accept_changes: bool,
    wait: bool,
    screen: Screen,
) -> Result<(), Failure> {
    if SlurmRecord::is_at(path) {
        return slurm::resume(path, accept_changes, wait, screen);
    }
    match wait {
        true => Err(never_submitted()),
        false => performed::resume(path, accept_changes, screen),
    }
}

/// The JSON schema of suites.
pub(super) fn schema() -> serde_json::Value {
    batch::suites::schema(&command_lines::flags())
}

/// Prints the current state of a suite's studies.
pub(super) fn show(path: &Path, journal: bool) -> Result<(), Failure> {
    let folder = SuiteFolder::at(path);
    let record = folder.read().map_err(Failure::stored)?;
    let entries = folder.entries().map_err(Failure::stored)?;
    if journal {
        return entries.iter().try_for_each(|entry| output::line(&words::event(&record, entry)));
    }
    let view = match SlurmRecord::is_at(path) {
        true => slurm::view(path, &record, &entries)?,
        false => SuiteView::read(path, &record, &Told::by(&entries)),
    };
    words::lines(&view).iter().try_for_each(|line| output::line(line))
}

fn list(screen: Screen) -> Result<(), Failure> {
    if screen.json {
        let suites: Vec<_> = built_ins()
            .iter()
            .map(|suite| json!({ "name": suite.name, "about": suite.about() }))
            .collect();
        return output::json(&format!("{:#}", json!(suites)));
    }
    output::line("built-in suites")?;
    let width = built_ins().iter().map(|suite| suite.name.len()).max().unwrap_or(0);
    for suite in built_ins() {
        output::line(&format!("  {:width$}  {}", suite.name, suite.about()))?;
    }
    output::line(
        "`autobench suite NAME` performs one, `autobench suite --print NAME > my.yaml` begins your own, \
         and `autobench suite my.yaml` performs that",
    )
}

fn dry_run(plan: &PlannedSuite, screen: Screen) -> Result<(), Failure> {
    let record = &plan.record;
    if screen.json {
        return output::json(&format!("{:#}", json!(record)));
    }
    let many = record.studies.len();
    let studies = if many == 1 { "study" } else { "studies" };
    let about = if record.about.is_empty() { "" } else { ": " };
    output::line(&format!("suite {}{about}{}", record.suite, record.about))?;
    let width = record.studies.iter().map(|study| study.label.chars().count()).max().unwrap_or(0);
    for (number, study) in record.numbered() {
        let line = command_line(&study.argv);
        output::line(&format!("{number:>4}  {:width$}  autobench {line}", study.label))?;
        if let Some(SizeFrom { why, folder, .. }) = &study.sized {
            let folder = folder.display();
            output::line(&format!("      {:width$}  its size: {why}, by {folder}", ""))?;
        }
        if let Some(taken) = study.size_of {
            output::line(&format!("      {:width$}  its size is what study {taken} finds", ""))?;
        }
        if !study.winners_of.is_empty() {
            let numbers: Vec<String> = study.winners_of.iter().map(usize::to_string).collect();
            let (numbers, many) =
                (numbers.join(", "), if numbers.len() == 1 { "study" } else { "studies" });
            output::line(&format!("      {:width$}  with what {many} {numbers} won", ""))?;
        }
    }
    let lacking = |study: &&RecordedStudy| {
        study.argv[0] == "score" && !study.argv.iter().any(|word| word.starts_with("--spaces="))
    };
    if let Some(study) = record.studies.iter().find(lacking) {
        let what = format!("note: `{}` has no recorded spaces yet", study.label);
        output::note(&format!("{what}; give --spaces DIR; {RECORDING}"));
    }
    let measuring = record.studies.iter().filter(|study| study.argv[0] != "score").count();
    let limit = match plan.unlimited {
        _ if measuring == 0 => ", which measure nothing".to_owned(),
        0 => format!(", at most {} of compiling, checking and measuring", seconds(plan.seconds)),
        all if all == measuring => ", which a number of evaluations ends".to_owned(),
        some => format!(
            ", at most {} of compiling, checking and measuring, and {some} of them without such a limit",
            seconds(plan.seconds)
        ),
    };
    output::line(&format!("{many} {studies}{limit}"))
}
