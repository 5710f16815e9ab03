//! The first submission of a suite, and its dry run.

use std::path::{Path, absolute};

use batch::suites::{
    SuiteFolder, SuiteRecord,
    slurm::{self, JobArray, SlurmRecord, arrays, script},
};
use records::slug;
use serde_json::json;

use super::{arguments::doubts, refusal::failed, round::Round, waiting};
use crate::{
    suite::arguments::SuiteArgs,
    terminal::{Failure, output},
};

/// Submits all studies of a suite.
pub(in crate::suite) fn begin(suite: SuiteRecord, arguments: &SuiteArgs) -> Result<(), Failure> {
    let slurm = arguments.slurm.record()?;
    let out = absolute(&arguments.out).map_err(Failure::bug)?;
    let all: Vec<usize> = suite.numbered().map(|(number, _)| number).collect();
    if arguments.dry_run {
        let name = format!("TIME_{}_suite", slug(&suite.suite));
        let arrays = arrays(&suite, &all, |_| false);
        return rehearse(&slurm, &suite, &out.join(name), &arrays, arguments);
    }
    slurm::check().map_err(failed)?;
    let screen = arguments.screen;
    if !screen.quiet {
        for doubt in doubts(&slurm, &suite, &out) {
            output::note(&format!("note: {doubt}"));
        }
    }
    let folder = SuiteFolder::create(&out, &suite).map_err(Failure::stored)?;
    let path = folder.path();
    slurm.write(path).map_err(Failure::stored)?;
    let mut round = Round::open(path, false, screen)?;
    let submitted = match round.submit(&all) {
        Ok(submitted) => submitted,
        Err(failure) if round.run.told.jobs.is_empty() => {
            // No job was submitted, so the folder is removed, as after any other wrong setting.
            let _ = std::fs::remove_dir_all(path);
            return Err(failure);
        }
        Err(failure) => {
            let rest = format!("`autobench resume {}` submits the rest", path.display());
            return Err(failure.hint(rest));
        }
    };
    drop(round);
    if screen.json && !arguments.slurm.wait {
        let document = json!({ "suite": suite.suite, "folder": path, "submitted": submitted });
        return output::json(&format!("{document:#}"));
    }
    if !(screen.quiet || screen.json) {
        for job in &submitted {
            output::line(&format!("submitted {job}"))?;
        }
        output::line(&format!("results   {}", path.display()))?;
    }
    if arguments.slurm.wait {
        return waiting::wait(path, false, screen);
    }
    if !screen.quiet {
        let path = path.display();
        output::line(&format!("look      autobench show {path}"))?;
        output::line(&format!("gather    autobench resume {path}"))?;
        output::line(&format!("cancel    autobench suite --cancel {path}"))?;
    }
    Ok(())
}

/// Prints each script after the command that would submit it.
fn rehearse(
    slurm: &SlurmRecord,
    suite: &SuiteRecord,
    folder: &Path,
    arrays: &[JobArray],
    arguments: &SuiteArgs,
) -> Result<(), Failure> {
    let scripts = arrays.iter().map(|array| (array, script(slurm, suite, folder, array, false)));
    if arguments.screen.json {
        let scripts = scripts.map(|(array, script)| {
            json!({ "studies": array.studies, "after": array.after, "script": script })
        });
        return output::json(&format!("{:#}", json!(scripts.collect::<Vec<_>>())));
    }
    for (array, script) in scripts {
        let after = match array.after.is_empty() {
            true => String::new(),
            false => {
                let numbers: Vec<String> = array.after.iter().map(usize::to_string).collect();
                format!(" --dependency=afterany:<elements of studies {}>", numbers.join(", "))
            }
        };
        output::line(&format!("# sbatch --parsable{after}"))?;
        output::text(&script)?;
    }
    Ok(())
}
