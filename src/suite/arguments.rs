//! Flags of `suite`.

use std::path::PathBuf;

use records::settings::{DeviceSpec, parse_tag};

use super::slurm::SlurmArgs;
use crate::terminal::Screen;

// Heading in `--help` of the flags that replace settings of the suite's file.
const INSTEAD: &str = "In place of what the suite says";

/// The arguments of `suite`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SuiteArgs {
    /// The suite: a YAML file, or the name of a built-in one
    pub(crate) suite: Option<String>,
    /// Print the file of a built-in suite, as a start for your own
    #[arg(long, value_name = "NAME", conflicts_with = "suite")]
    pub(crate) print: Option<String>,
    /// Use the suite's quick settings: fewer sizes and evaluations, to see whether it works
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only these benchmarks, or studies whose label is or begins with this (repeatable, or a comma
    /// list)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// The device of all studies instead of their own; several devices are measured one after the
    /// other (repeatable). Studies that replay recorded spaces keep theirs
    #[arg(long = "device", value_name = "DEVICE", help_heading = INSTEAD)]
    pub(crate) devices: Vec<DeviceSpec>,
    /// Each `tune` but replays takes its size, in place of its own, from the best supported run of
    /// its benchmark and device in this folder, or in suites in it, and begins with what that run
    /// found
    #[arg(long, value_name = "DIR")]
    pub(crate) sizes_from: Option<PathBuf>,
    /// Set a flag of all studies that accept it, in place of the suite's value: `--set budget=50`,
    /// `--set strategy=bayes_opt` (repeatable; a flag given twice gets both values)
    #[arg(long, value_name = "FLAG=VALUE", value_parser = flag_and_value, help_heading = INSTEAD)]
    pub(crate) set: Vec<(String, String)>,
    /// The same as `--set thresholds=…`: report the fastest under each of these bounds on the error
    #[arg(long, value_name = "E,E", help_heading = INSTEAD)]
    pub(crate) thresholds: Option<String>,
    /// The same as `--set strategy=…`
    #[arg(long, value_name = "NAME", help_heading = INSTEAD)]
    pub(crate) strategy: Option<String>,
    /// The same as `--set budget=…`
    #[arg(long, value_name = "N", help_heading = INSTEAD)]
    pub(crate) budget: Option<String>,
    /// The same as `--set tag=…`: a word by which `autobench history` finds the studies again
    /// (repeatable)
    #[arg(long = "tag", value_name = "WORD", value_parser = parse_tag, help_heading = INSTEAD)]
    pub(crate) tags: Vec<String>,
    /// The recorded spaces of all `score` studies, instead of their own: a folder of files, of
    /// studies that tried all configurations, or of a suite of such studies
    #[arg(long, value_name = "DIR", help_heading = INSTEAD)]
    pub(crate) spaces: Option<PathBuf>,
    /// Where results go
    #[arg(long, default_value = "out", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_path: Vec<PathBuf>,
    /// List the studies, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten, next_help_heading = "SLURM")]
    pub(crate) slurm: SlurmArgs,
    #[command(flatten)]
    pub(crate) screen: Screen,
}

impl SuiteArgs {
    /// The flags that replace those of the suite, with their values.
    pub(super) fn overrides(&self) -> Vec<(String, Vec<String>)> {
        let own = [
            ("thresholds", &self.thresholds),
            ("strategy", &self.strategy),
            ("budget", &self.budget),
        ];
        let own = own.into_iter().filter_map(|(flag, value)| Some((flag, value.as_ref()?)));
        let set = self.set.iter().map(|(flag, value)| (flag.as_str(), value));
        let tags = self.tags.iter().map(|tag| ("tag", tag));
        let mut overrides: Vec<(String, Vec<String>)> = Vec::new();
        for (flag, value) in own.chain(set).chain(tags) {
            match overrides.iter_mut().find(|(known, _)| known == flag) {
                Some((_, values)) => values.push(value.clone()),
                None => overrides.push((flag.to_owned(), vec![value.clone()])),
            }
        }
        overrides
    }
}

pub(crate) fn flag_and_value(text: &str) -> Result<(String, String), String> {
    let (flag, value) = text.split_once('=').ok_or("write FLAG=VALUE, such as budget=50")?;
    Ok((flag.trim_start_matches('-').to_owned(), value.to_owned()))
}
