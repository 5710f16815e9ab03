//! Writes the script of a job array.

use std::path::Path;

use records::{shell_word, slug};

use super::{
    arrays::JobArray,
    record::{SLURM_FOLDER, SlurmRecord},
};
use crate::suites::SuiteRecord;

/// Shell lines that set CUDA's variables from SLURM's. On most clusters they change nothing.
const CUDA: &str = "\
# Where SLURM tells which GPUs are ours, but hides no others, only ours are used.
if [ -n \"${SLURM_JOB_GPUS:-}\" ] && [ -z \"${CUDA_VISIBLE_DEVICES:-}\" ]; then
  export CUDA_VISIBLE_DEVICES=$SLURM_JOB_GPUS
fi
";

/// Shell lines that keep one of HIP's variables: each numbers the devices that the others leave.
const HIP: &str = "\
# HIP also obeys CUDA's variable, and counts among the devices that ROCR_VISIBLE_DEVICES leaves.
if [ -n \"${ROCR_VISIBLE_DEVICES:-}\" ]; then
  unset CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL
elif [ -n \"${SLURM_JOB_GPUS:-}\" ] && [ -z \"${HIP_VISIBLE_DEVICES:-}${CUDA_VISIBLE_DEVICES:-}\" ]; then
  export ROCR_VISIBLE_DEVICES=$SLURM_JOB_GPUS
fi
";

/// Writes the script of an array of the suite in `folder`, which is an absolute path.
#[must_use]
pub fn script(
    slurm: &SlurmRecord,
    suite: &SuiteRecord,
    folder: &Path,
    array: &JobArray,
    accept_changes: bool,
) -> String {
    let limit = slurm.array_limit.map(|limit| format!("%{limit}")).unwrap_or_default();
    // SLURM replaces `%` patterns in the path of the log.
    let shown = folder.join(SLURM_FOLDER).display().to_string().replace('%', "%%");
    let own = [
        format!("--job-name=autobench-{}", slug(&suite.suite)),
        format!("--array={}{limit}", array.indices()),
        "--nodes=1".to_owned(),
        "--ntasks=1".to_owned(),
        format!("--output={shown}/study-{}%3a.log", array.offset() / 1000),
        "--open-mode=append".to_owned(),
        // The study stops in order before the time limit, and continues in another job.
        format!("--signal=B:TERM@{}", slurm.margin),
        // An element whose node failed continues from its journal.
        "--requeue".to_owned(),
        "--export=ALL".to_owned(),
        format!("--chdir={}", slurm.directory.display()),
    ];
    let mut text = format!(
        "#!/bin/bash\n# Studies of the suite {}, an element for each; written by autobench {}.\n",
        slug(&suite.suite),
        suite.autobench
    );
    for option in own.iter().chain(&slurm.options) {
        text += &format!("#SBATCH {}\n", option_quoted(option));
    }
    let devices = if array.is_hip { HIP } else { CUDA };
    let accept = if accept_changes { " --accept-changes" } else { "" };
    let visible = "CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-} ROCR_VISIBLE_DEVICES=${ROCR_VISIBLE_DEVICES:-}";
    text + devices
        + &format!(
            "study=$(({} + SLURM_ARRAY_TASK_ID))\n\
             echo \"study $study on $(hostname), job ${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}, {visible}\"\n\
             # The study takes the place of the shell, and so gets its signals.\n\
             exec {} suite {} --element \"$study\"{accept}\n",
            array.offset(),
            shell_word(&slurm.program.display().to_string()),
            shell_word(&folder.display().to_string()),
        )
}

/// Name of a study's log in [`SLURM_FOLDER`]. All its elements append to it.
#[must_use]
pub fn log_name(study: usize) -> String {
    format!("study-{study:04}.log")
}

/// Quotes an option for an `#SBATCH` line.
fn option_quoted(option: &str) -> String {
    let plain = |c: char| !(c.is_whitespace() || "\"'\\#".contains(c));
    if option.chars().all(plain) {
        return option.to_owned();
    }
    let (name, value) = option.split_once('=').unwrap_or(("", option));
    let equals = if name.is_empty() { "" } else { "=" };
    match value.contains('\'') {
        true => {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            format!("{name}{equals}\"{value}\"")
        }
        false => format!("{name}{equals}'{value}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_with_spaces_are_one_word_of_sbatch() {
        for (option, quoted) in [
            ("--gres=gpu:1", "--gres=gpu:1"),
            ("--chdir=/a b", "--chdir='/a b'"),
            ("--chdir=/it's \"b\"", "--chdir=\"/it's \\\"b\\\"\""),
            ("-C A4000", "'-C A4000'"),
        ] {
            assert_eq!(option_quoted(option), quoted);
        }
        assert_eq!(shell_word("it's"), "'it'\\''s'");
    }

    #[test]
    fn a_study_has_one_log_however_often_it_is_submitted() {
        assert_eq!(
            [7, 1234, 12_345].map(log_name).join(" "),
            "study-0007.log study-1234.log study-12345.log"
        );
    }
}
