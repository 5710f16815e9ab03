//! Prepares a study of a recorded space.

use std::path::Path;

use exchange::{SpaceFormat, read_space_at};
use records::{
    BenchmarkRecord, DeviceRecord, FileFault, JOURNAL_FILE, MetricRecord, REPLAY, StudyRecord,
    settings::{DeviceSpec, StudySettings},
};

use super::{
    fault::PrepareFault,
    provenance::{argv, hash, host, with_script},
    study::{Study, StudySource},
};
use crate::{Plan, Replayed};

pub(super) fn prepare(file: &Path, mut settings: StudySettings) -> Result<Study, PrepareFault> {
    if !settings.stage.is_empty() {
        return Err(PrepareFault::StageOfRecorded);
    }
    if !settings.controls.is_empty() {
        return Err(PrepareFault::ControlOfRecorded);
    }
    let size = settings.sizes.list.as_ref().and_then(|sizes| sizes.first().copied());
    let space = read_space_at(file, size)?;
    settings.benchmark.clone_from(&space.kernel);
    // The study may be resumed from another folder.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    settings.device = DeviceSpec::Recorded(file.clone());
    let facts = Replayed::facts(&space);
    let device = DeviceRecord {
        backend: REPLAY.to_owned(),
        name: space.device.clone(),
        ..DeviceRecord::default()
    };
    let benchmark = BenchmarkRecord {
        name: space.kernel.clone(),
        about: format!("recorded, problem size {}", space.problem_size),
        size_meaning: match space.format {
            SpaceFormat::Study => "the recorded size".to_owned(),
            SpaceFormat::KernelTuner | SpaceFormat::T4 => String::new(),
        },
        secondary: MetricRecord {
            name: facts.secondary.clone(),
            unit: "runs/s".to_owned(),
            sense: facts.sense(&facts.secondary).unwrap_or_default(),
        },
        reference: "recorded".to_owned(),
        error: space.error_metric(),
        ..BenchmarkRecord::default()
    };
    let plan = Plan::resolve(settings, &facts)?;
    let settings = plan.settings.clone();
    let mut record = StudyRecord::new(argv(), host(), device, benchmark, settings);
    let content = if file.is_dir() { file.join(JOURNAL_FILE) } else { file };
    let bytes = std::fs::read(&content).map_err(FileFault::reading(&content))?;
    record.hashes.insert("recorded space".to_owned(), hash(&bytes));
    let source = StudySource::Recorded(Box::new(space));
    Ok(Study { plan, record: with_script(record), source })
}
