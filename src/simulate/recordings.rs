//! Writes what each run evaluated as a recorded space.

use std::path::Path;

use exchange::{RecordedSpace, SpaceFormat, read_space_file};
use records::{FileFault, Named, slug, write_whole};
use report::exporters::EXPORTERS;
use scoring::Simulated;

use super::simulated_runs::SimulatedRuns;
use crate::terminal::Failure;

/// Format of the written files: most other programs can read Kernel Tuner's.
const FORMAT: &str = "kernel-tuner";

/// Writes a file for every run. Creates the folder if it is missing.
pub(super) fn write(outcome: &SimulatedRuns, space: &Path, folder: &Path) -> Result<(), Failure> {
    let recorded = read_space_file(space).map_err(Failure::settings)?;
    std::fs::create_dir_all(folder)
        .map_err(FileFault::creating(folder))
        .map_err(Failure::settings)?;
    let format = EXPORTERS.find(FORMAT).and_then(|exporter| exporter.recorded);
    let Some(format) = format else {
        return Err(Failure::bug("there is no format for recorded spaces"));
    };
    // A study is named by kernel, device and size together, which may be too long for a file name.
    let size = match recorded.format {
        SpaceFormat::Study => format!("_{}", slug(&recorded.problem_size)),
        SpaceFormat::KernelTuner | SpaceFormat::T4 => String::new(),
    };
    for (at, run) in outcome.runs.iter().enumerate() {
        let seed = outcome.first_seed.wrapping_add(at as u64);
        let (of, by) = (&outcome.landscape.name, &outcome.scored_strategy.label);
        let name = format!("{}{size}_{}_{seed}.json", slug(of), slug(by));
        let bytes = format(&evaluated(outcome, &recorded, run)).map_err(Failure::bug)?;
        write_whole(&folder.join(name), &bytes).map_err(Failure::settings)?;
    }
    Ok(())
}

/// The rows that a run evaluated, in the order of evaluation.
fn evaluated(outcome: &SimulatedRuns, whole: &RecordedSpace, run: &Simulated) -> RecordedSpace {
    let mut part = RecordedSpace::new(whole.parameters.clone());
    part.format = whole.format;
    part.device.clone_from(&whole.device);
    part.kernel.clone_from(&whole.kernel);
    part.problem_size.clone_from(&whole.problem_size);
    part.objective.clone_from(&whole.objective);
    part.header.clone_from(&whole.header);
    part.units.clone_from(&whole.units);
    for id in &run.order {
        let configuration = Named::of(&outcome.landscape.space, *id);
        if let Some(trial) = whole.get(&configuration) {
            part.insert(configuration, trial.clone());
        }
    }
    part
}
