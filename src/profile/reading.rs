//! Reads the ceilings from the folder of a profile.

use std::path::Path;

use batch::suites::{SuiteFolder, Told};
use records::{
    CEILINGS_FORMAT, CEILINGS_VERSION, CeilingsRecord, JOURNAL_FILE, Progress, StudyFolder,
    StudyView, read_journal,
};
use report::ceilings::{Profiled, measured};

use crate::terminal::Failure;

/// The built-in suite that measures ceilings.
pub(super) const PROFILE: &str = "profile";

/// Reads the ceilings that the finished studies of a suite reached.
pub(super) fn read(path: &Path) -> Result<CeilingsRecord, Failure> {
    let folder = SuiteFolder::at(path);
    let suite = folder.read().map_err(Failure::stored)?;
    if suite.origin != PROFILE {
        let path = path.display();
        return Err(Failure::settings(format!(
            "`{path}` is no profile: its suite is `{}`",
            suite.suite
        ))
        .hint("`autobench profile` makes one; other studies do not show what a device can do"));
    }
    let told = Told::by(&folder.entries().map_err(Failure::stored)?);
    let mut studies = Vec::new();
    for name in told.folders.values() {
        // A study that failed or was interrupted leaves its ceiling unknown.
        let Ok(study) = StudyFolder::open(&path.join(name)) else { continue };
        let record = study.read_study().map_err(Failure::stored)?;
        let entries = read_journal(&study.file(JOURNAL_FILE)).map_err(Failure::stored)?.entries;
        let view = StudyView::from_events(&entries);
        if matches!(view.progress, Progress::Finished(_)) {
            studies.push(Profiled { folder: name.clone(), record, view });
        }
    }
    let ceilings = measured(&studies);
    let Some(first) = studies.first().filter(|_| !ceilings.is_empty()) else {
        return Err(Failure::nothing(format!(
            "`{}` holds no finished study that reaches a ceiling",
            path.display()
        ))
        .hint("`autobench profile` makes such studies; `autobench resume` finishes them"));
    };
    let own = |study: &Profiled| {
        let (host, device) = (&study.record.host, &study.record.device);
        (CeilingsRecord::file_name(host, device), format!("{} of {}", device.name, host.name))
    };
    let (known_as, one) = own(first);
    if let Some((_, other)) = studies.iter().map(own).find(|(file, _)| *file != known_as) {
        return Err(Failure::settings(format!(
            "`{}` holds studies of {one} and of {other}, and ceilings are those of one device",
            path.display()
        ))
        .hint("make a profile of each"));
    }
    Ok(CeilingsRecord {
        format: CEILINGS_FORMAT.to_owned(),
        version: CEILINGS_VERSION,
        autobench: suite.autobench,
        measured: suite.started,
        profile: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        host: first.record.host.clone(),
        device: first.record.device.clone(),
        ceilings,
    })
}
