//! Calls SLURM's programs `sbatch`, `squeue` and `scancel`. Not `sacct`: many clusters have no
//! accounting.

use std::{
    io,
    path::Path,
    process::{Command, Output},
};

use super::queue::Queue;

/// Why SLURM did not do what was requested.
#[derive(Debug, thiserror::Error)]
pub enum SlurmFault {
    /// The program is not installed.
    #[error("there is no `{program}` in PATH, so nothing can be asked of SLURM here")]
    Absent {
        /// The program's name.
        program: &'static str,
    },
    /// The program cannot be started.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// The program's name.
        program: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The program rejected the request.
    #[error("`{program}` refuses: {said}")]
    Refused {
        /// The program's name.
        program: &'static str,
        /// The program's error message.
        said: String,
    },
}

fn ask(program: &'static str, arguments: &[&str]) -> Result<String, SlurmFault> {
    let output = Command::new(program).args(arguments).output();
    let Output { status, stdout, stderr } = output.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => SlurmFault::Absent { program },
        _ => SlurmFault::Start { program, source },
    })?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&stdout).into_owned());
    }
    let prefix = format!("{program}: error: ");
    let stderr = String::from_utf8_lossy(&stderr);
    let said: Vec<&str> =
        stderr.lines().map(|line| line.strip_prefix(&prefix).unwrap_or(line)).collect();
    Err(SlurmFault::Refused { program, said: said.join("; ") })
}

/// Whether jobs can be submitted from here.
///
/// # Errors
/// If `sbatch` is missing or does not start.
pub fn check() -> Result<(), SlurmFault> {
    ask("sbatch", &["--version"]).map(drop)
}

/// Submits a script and returns its job's number. The job begins once the elements in `after` have
/// ended, with or without success.
///
/// # Errors
/// If SLURM rejects the script.
pub fn submit(script: &Path, after: &[(String, usize)]) -> Result<String, SlurmFault> {
    let script = script.display().to_string();
    let after = dependency(after);
    let mut arguments = vec!["--parsable"];
    arguments.extend(after.as_deref());
    arguments.push(&script);
    let said = ask("sbatch", &arguments)?;
    // With several clusters, `sbatch` adds the cluster's name after a semicolon.
    let job = said.trim().split(';').next().unwrap_or_default();
    match !job.is_empty() && job.chars().all(|c| c.is_ascii_digit()) {
        true => Ok(job.to_owned()),
        false => Err(SlurmFault::Refused {
            program: "sbatch",
            said: format!("`{}` is no number of a job", said.trim()),
        }),
    }
}

/// The option that makes a job wait for elements.
fn dependency(after: &[(String, usize)]) -> Option<String> {
    if after.is_empty() {
        return None;
    }
    let elements: Vec<String> = after
        .iter()
        .map(|(job, study)| format!("{job}_{}", super::arrays::index(*study)))
        .collect();
    Some(format!("--dependency=afterany:{}", elements.join(":")))
}

/// The elements of these jobs that have not ended.
///
/// # Errors
/// If SLURM does not answer.
pub fn queue(jobs: &[&str]) -> Result<Queue, SlurmFault> {
    if jobs.is_empty() {
        return Ok(Queue::default());
    }
    let jobs = format!("--jobs={}", jobs.join(","));
    let format = format!("--format={}", Queue::FORMAT);
    match ask("squeue", &["--noheader", "--array", &jobs, &format]) {
        Ok(text) => Ok(Queue::parse(&text)),
        // SLURM forgets jobs some minutes after their end.
        Err(SlurmFault::Refused { said, .. }) if said.contains("Invalid job id") => {
            Ok(Queue::default())
        }
        Err(fault) => Err(fault),
    }
}

/// Cancels these jobs, pending and running.
///
/// # Errors
/// If SLURM does not cancel them.
pub fn cancel(jobs: &[&str]) -> Result<(), SlurmFault> {
    match ask("scancel", jobs) {
        Err(SlurmFault::Refused { said, .. }) if said.contains("Invalid job id") => Ok(()),
        answer => answer.map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_waits_for_elements_and_not_for_whole_jobs() {
        let after = [("7".to_owned(), 3), ("8".to_owned(), 1001)];
        assert_eq!(dependency(&after).as_deref(), Some("--dependency=afterany:7_3:8_1"));
        assert_eq!(dependency(&[]), None);
    }
}
