//! Flags of `suite` for SLURM clusters.

use std::path::{Path, PathBuf, absolute};

use batch::suites::{
    SuiteRecord,
    slurm::{Margin, SlurmRecord, time_limit},
};

use crate::terminal::Failure;

/// Options of `sbatch` that request GPUs.
const FOR_GPUS: [&str; 4] = ["--gres", "--gpus", "-G", "--tres"];

/// Flags that say whether SLURM runs the studies, and how.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SlurmArgs {
    /// Submit the studies to SLURM, each as an element of a job array; with --dry-run, only print
    /// the scripts (docs/guide/suites.md)
    #[arg(long, requires = "suite")]
    pub(in crate::suite) slurm: bool,
    /// SLURM partition in which the studies run
    #[arg(long, value_name = "NAME", requires = "slurm")]
    partition: Option<String>,
    /// Resources that a study needs of a node: `gpu:1`
    #[arg(long, value_name = "LIST", requires = "slurm")]
    gres: Option<String>,
    /// Features that a node must have: `A4000`
    #[arg(long, value_name = "FEATURES", requires = "slurm")]
    constraint: Option<String>,
    /// Time limit of a study in one job, in SLURM's format: minutes, or `H:MM:SS`. A study stops a
    /// minute before the limit and continues when it is submitted again
    #[arg(long, value_name = "TIME", requires = "slurm", value_parser = checked_time)]
    time_limit: Option<(String, Margin)>,
    /// Most studies that run at the same time
    #[arg(long, value_name = "N", requires = "slurm", value_parser = clap::value_parser!(u32).range(1..))]
    array_limit: Option<u32>,
    /// A further option of `sbatch`, such as `--sbatch=--exclusive` (repeatable); it replaces
    /// autobench's own value
    #[arg(long, value_name = "OPTION", requires = "slurm", value_parser = checked_option)]
    sbatch: Vec<String>,
    /// Wait until all studies have ended, and submit studies again that died
    #[arg(long, requires = "slurm")]
    pub(super) wait: bool,
    /// Cancel the queued and running jobs of the suite in this folder; `resume` continues with it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["suite", "print"])]
    pub(in crate::suite) cancel: Option<PathBuf>,
    /// Run this study of the suite in a folder, as an element of a job array.
    #[arg(long, hide = true, conflicts_with = "slurm")]
    pub(in crate::suite) element: Option<usize>,
    /// Let the element continue although something has changed.
    #[arg(long, hide = true, requires = "element")]
    pub(super) accept_changes: bool,
}

impl SlurmArgs {
    /// The record of how to submit: options, program and working directory.
    pub(super) fn record(&self) -> Result<SlurmRecord, Failure> {
        let program = std::env::current_exe().map_err(Failure::bug)?;
        let directory = absolute(Path::new(".")).map_err(Failure::bug)?;
        let mut record = SlurmRecord::new(program, directory);
        record.array_limit = self.array_limit;
        if let Some((_, Margin(seconds))) = self.time_limit {
            record.margin = seconds;
        }
        let named = [
            ("partition", &self.partition),
            ("gres", &self.gres),
            ("constraint", &self.constraint),
            ("time", &self.time_limit.as_ref().map(|(text, _)| text.clone())),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                record
                    .options
                    .push(checked_option(&format!("--{name}={value}")).map_err(Failure::settings)?);
            }
        }
        record.options.extend(self.sbatch.iter().cloned());
        Ok(record)
    }
}

/// Warnings, as sentences, about settings that may fail on the nodes.
pub(super) fn doubts(slurm: &SlurmRecord, suite: &SuiteRecord, folder: &Path) -> Vec<String> {
    let mut doubts = Vec::new();
    let on_gpu = suite.studies.iter().find(|study| {
        study
            .argv
            .iter()
            .any(|word| word.starts_with("--device=cuda") || word.starts_with("--device=hip"))
    });
    let asked =
        slurm.options.iter().any(|option| FOR_GPUS.iter().any(|gpus| option.starts_with(gpus)));
    if let Some(study) = on_gpu.filter(|_| !asked) {
        doubts.push(format!(
            "`{}` measures on a GPU, and SLURM is asked for none; give --gres gpu:1 where GPUs have to be asked for",
            study.label
        ));
    }
    for path in [folder, &slurm.program] {
        if ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|local| path.starts_with(local)) {
            doubts.push(format!(
                "`{}` is in a folder that nodes seldom share, and they need it",
                path.display()
            ));
        }
    }
    doubts
}

fn checked_option(text: &str) -> Result<String, String> {
    if text.chars().any(char::is_control) {
        return Err("an option of sbatch is one line".to_owned());
    }
    match text.starts_with('-') {
        true => Ok(text.to_owned()),
        false => Err("write it as sbatch reads it: --sbatch=--exclusive".to_owned()),
    }
}

fn checked_time(text: &str) -> Result<(String, Margin), String> {
    time_limit(text).map(|seconds| (text.to_owned(), Margin::under(seconds)))
}
