//! `autobench suite FILE`: many studies from one YAML file.

mod checks;
mod command_lines;
mod performed;
mod planned;

use std::path::{Path, PathBuf};

use clap::Args as _;
use serde_json::json;

use self::planned::PlannedSuite;
use super::{
    command::{Command, read},
    terminal::{Failure, Screen, output},
};
use crate::{
    exporters::quantities::seconds,
    settings::DeviceSpec,
    suites::{self, SuiteFolder, SuiteView, Told, built_in, built_ins, words},
};

pub(super) use performed::resume;

inventory::submit!(Command {
    rank: 3,
    name: "suite",
    about: "Perform many studies from one YAML file; without a file: list the built-in suites",
    augment: SuiteArgs::augment_args,
    run: |matches| run(&read::<SuiteArgs>(matches)?),
});

/// Which suite, and how.
#[derive(Debug, clap::Args)]
pub(super) struct SuiteArgs {
    /// The suite: a YAML file, or the name of a built-in one
    suite: Option<String>,
    /// Show the file of a built-in suite, to begin your own from
    #[arg(long, value_name = "NAME", conflicts_with = "suite")]
    print: Option<String>,
    /// What the suite calls quick: less of everything, to see whether it works
    #[arg(long)]
    quick: bool,
    /// Only these benchmarks, or labels that are or begin so (repeatable, or a comma list)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// The device of all studies in place of their own; several are measured one after the other
    /// (repeatable). Recorded spaces stay
    #[arg(long = "device", value_name = "DEVICE")]
    devices: Vec<DeviceSpec>,
    /// `tune` without a size takes the latest knee of its benchmark and device from the runs in this
    /// folder, or in suites in it
    #[arg(long, value_name = "DIR")]
    sizes_from: Option<PathBuf>,
    /// Where results go
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    plugin_path: Vec<PathBuf>,
    /// List the studies, and stop
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    screen: Screen,
}

pub(super) fn run(arguments: &SuiteArgs) -> Result<(), Failure> {
    if let Some(name) = &arguments.print {
        let suite = built_in(name).ok_or_else(|| Failure::settings(suites::unknown(name)))?;
        return output::line(suite.text.trim_end());
    }
    let Some(name) = &arguments.suite else { return list(arguments.screen) };
    let source = suites::read(name).map_err(|why| {
        Failure::settings(why).hint("name a YAML file; `autobench suite --print smoke` shows one")
    })?;
    let plan = planned::planned(&source, arguments)?;
    if arguments.dry_run {
        return dry_run(&plan, arguments.screen);
    }
    performed::begin(plan.record, &arguments.out, arguments.screen)
}

/// Prints the studies of a suite as they are now.
pub(super) fn show(path: &Path, journal: bool) -> Result<(), Failure> {
    let folder = SuiteFolder::at(path);
    let record = folder.read().map_err(Failure::stored)?;
    let entries = folder.entries().map_err(Failure::stored)?;
    if journal {
        let sentences = entries.iter().map(|entry| words::event(&record, entry));
        return sentences.map(|line| output::line(&line)).collect();
    }
    let told = Told::by(&entries);
    let view = SuiteView::read(path, &record, &told);
    words::lines(&view).iter().try_for_each(|line| output::line(line))
}

fn list(screen: Screen) -> Result<(), Failure> {
    if screen.json {
        let suites: Vec<_> = built_ins()
            .iter()
            .map(|suite| json!({ "name": suite.name, "about": suite.about() }))
            .collect();
        return output::line(&format!("{:#}", json!(suites)));
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
        return output::line(&format!("{:#}", json!(record)));
    }
    let many = record.studies.len();
    let studies = if many == 1 { "study" } else { "studies" };
    let about = if record.about.is_empty() { "" } else { ": " };
    output::line(&format!("suite {}{about}{}", record.suite, record.about))?;
    let width = record.studies.iter().map(|study| study.label.chars().count()).max().unwrap_or(0);
    for (number, study) in record.numbered() {
        let line = study.argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        output::line(&format!("{number:>4}  {:width$}  autobench {line}", study.label))?;
        if let Some(from) = &study.size_from {
            output::line(&format!("      {:width$}  its size is the knee of {from}", ""))?;
        }
    }
    let limit = match plan.unlimited {
        0 => format!(", at most {} of compiling, checking and measuring", seconds(plan.seconds)),
        all if all == many => ", which a number of evaluations ends".to_owned(),
        some => format!(
            ", at most {} of compiling, checking and measuring, and {some} of them without such a limit",
            seconds(plan.seconds)
        ),
    };
    output::line(&format!("{many} {studies}{limit}"))
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
