//! `--sizes-from DIR`: uses the knees of earlier studies as the sizes of new studies.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use records::{
    FileFault, JOURNAL_FILE, Progress, StudyFolder, StudyView, read_journal,
    settings::{DeviceSpec, Goal, Ordinals},
};

/// Studies are looked for this deep: `DIR/STUDY` and `DIR/SUITE/STUDY`.
const DEPTH: usize = 2;

/// A finished study that searched for a knee.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierKnee {
    /// The study's folder.
    pub folder: PathBuf,
    /// Name of the benchmark.
    pub benchmark: String,
    /// Backend, number and name of the device.
    pub device: (String, usize, String),
    /// The knee that the study accepted.
    pub knee: Option<u64>,
    started: DateTime<Utc>,
}

/// The knees of earlier studies.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierKnees {
    folder: PathBuf,
    found: Vec<EarlierKnee>,
}

impl EarlierKnees {
    /// Reads all finished studies in a folder. The folder itself may be a study.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn read(folder: &Path) -> Result<Self, FileFault> {
        fs::read_dir(folder).map(drop).map_err(FileFault::reading(folder))?;
        let mut found = Vec::new();
        gather(folder, DEPTH, &mut found);
        found.sort_by_key(|knee: &EarlierKnee| std::cmp::Reverse(knee.started));
        Ok(Self { folder: folder.to_owned(), found })
    }

    /// Returns the latest knee of a benchmark on a device.
    ///
    /// # Errors
    /// If there is none, or the knees belong to several device models. The error is one sentence.
    pub fn of(&self, benchmark: &str, device: &DeviceSpec) -> Result<&EarlierKnee, String> {
        let place = self.folder.display();
        let step = "measure it with `autobench run`, or give the study a `size`";
        let named: Vec<&EarlierKnee> =
            self.found.iter().filter(|knee| knee.benchmark == benchmark).collect();
        if named.is_empty() {
            return Err(format!("`{place}` holds no finished run of `{benchmark}`; {step}"));
        }
        let on: Vec<&EarlierKnee> =
            named.into_iter().filter(|knee| is_on(device, &knee.device)).collect();
        if on.is_empty() {
            return Err(format!(
                "`{place}` holds no finished run of `{benchmark}` on `{device}`; {step}"
            ));
        }
        let known: Vec<&EarlierKnee> = on.into_iter().filter(|knee| knee.knee.is_some()).collect();
        let Some(latest) = known.first() else {
            return Err(format!("no run of `{benchmark}` in `{place}` found a knee; {step}"));
        };
        if let Some(other) = known.iter().find(|knee| knee.device.2 != latest.device.2) {
            return Err(format!(
                "`{place}` holds knees of `{benchmark}` on `{}` and on `{}`; name a folder with one of them",
                latest.device.2, other.device.2
            ));
        }
        Ok(latest)
    }
}

fn is_on(device: &DeviceSpec, of: &(String, usize, String)) -> bool {
    match device {
        DeviceSpec::Backend { name, ordinals } => {
            *name == of.0
                && match ordinals {
                    Ordinals::These(numbers) => numbers.contains(&of.1),
                    Ordinals::First => of.1 == 0,
                    Ordinals::All => true,
                }
        }
        DeviceSpec::Recorded(_) => false,
    }
}

fn gather(folder: &Path, depth: usize, found: &mut Vec<EarlierKnee>) {
    if let Some(knee) = finished(folder) {
        found.push(knee);
        return;
    }
    if depth == 0 {
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| path.is_dir()) {
        gather(&path, depth - 1, found);
    }
}

/// Returns the knee of a finished study. Other or unreadable folders have none.
fn finished(path: &Path) -> Option<EarlierKnee> {
    let folder = StudyFolder::open(path).ok()?;
    let record = folder.read_study().ok()?;
    if record.settings.goal != Goal::Saturate {
        return None;
    }
    let entries = read_journal(&folder.file(JOURNAL_FILE)).ok()?.entries;
    let view = StudyView::from_events(&entries);
    let device = &record.device;
    matches!(view.progress, Progress::Finished(_)).then(|| EarlierKnee {
        folder: path.to_owned(),
        benchmark: record.benchmark.name.clone(),
        device: (device.backend.clone(), device.ordinal, device.name.clone()),
        knee: view.accepted.as_ref().map(|knee| knee.size),
        started: record.started,
    })
}

#[cfg(test)]
mod tests {
    use records::{
        BenchmarkRecord, DeviceRecord, Event, Host, Journal, StudyRecord, settings::StudySettings,
    };

    use super::*;

    fn study(out: &Path, benchmark: &str, device: (&str, usize, &str), knee: Option<u64>) {
        let benchmark =
            BenchmarkRecord { name: benchmark.to_owned(), ..BenchmarkRecord::default() };
        let device = DeviceRecord {
            backend: device.0.to_owned(),
            ordinal: device.1,
            name: device.2.to_owned(),
            ..DeviceRecord::default()
        };
        let settings = StudySettings::default();
        let record = StudyRecord::new(vec![], Host::default(), device, benchmark, settings);
        let folder = StudyFolder::create(out, record.started, "a", "b", "c").expect("made");
        folder.write_study(&record).expect("written");
        let mut journal = Journal::create(&folder).expect("begun");
        if let Some(size) = knee {
            let (detector, why) = ("kneedle".to_owned(), String::new());
            let accepted = Event::KneeAccepted { detector, size, why, confirmed: true };
            journal.append(accepted).expect("written");
        }
        journal.append(Event::Finished { seconds: 1.0 }).expect("written");
    }

    fn told(knees: &EarlierKnees, benchmark: &str, device: &str) -> String {
        match knees.of(benchmark, &device.parse().expect("a device")) {
            Ok(knee) => knee.knee.map(|size| size.to_string()).unwrap_or_default(),
            Err(why) => why,
        }
    }

    #[test]
    fn the_latest_knee_of_a_benchmark_and_device_is_found_in_studies_and_suites() {
        let out = tempfile::tempdir().expect("a folder");
        let suite = out.path().join("suite");
        fs::create_dir(&suite).expect("made");
        fs::create_dir(out.path().join("something")).expect("made");
        study(out.path(), "gemm", ("cpu", 0, "C"), Some(64));
        study(out.path(), "gemm", ("cuda", 1, "A100"), Some(1024));
        study(out.path(), "gemm", ("cuda", 2, "H100"), Some(2048));
        study(out.path(), "vecadd", ("cpu", 0, "C"), None);
        study(&suite, "gemm", ("cpu", 0, "C"), Some(128));
        let knees = EarlierKnees::read(out.path()).expect("read");
        for (benchmark, device, words) in [
            ("gemm", "cpu", "128"),
            ("gemm", "cuda:1", "1024"),
            ("gemm", "cuda:all", "on `H100` and on `A100`"),
            ("gemm", "cuda", "no finished run of `gemm` on `cuda`"),
            ("vecadd", "cpu", "no run of `vecadd` in"),
            ("stencil", "cpu", "no finished run of `stencil`;"),
        ] {
            let told = told(&knees, benchmark, device);
            assert!(told.contains(words), "{benchmark} on {device}: {told}");
        }
        assert!(EarlierKnees::read(&out.path().join("nowhere")).is_err());
    }
}
