//! What a finished run hands to a study that tunes where the device is saturated: a size, and the
//! trials there. `--sizes-from DIR` looks for runs in a folder; `size_of` names one of the suite.

use std::{
    fs,
    path::{Path, PathBuf, absolute},
};

use chrono::{DateTime, Utc};
use records::{
    Figure, FileFault, JOURNAL_FILE, Progress, StudyFolder, StudyRecord, StudyView, read_journal,
    settings::{DeviceSpec, Goal, Ordinals},
};
use report::exporters::{knee_answer::KneeAnswer, quantities::grouped};
use serde::{Deserialize, Serialize};

/// Studies are looked for this deep: `DIR/STUDY` and `DIR/SUITE/STUDY`.
const DEPTH: usize = 2;

/// From this share of the best throughput on, a size of a run without a knee is as good as the best.
const AS_GOOD: f64 = 0.95;

/// A size that another study found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeFrom {
    /// The size.
    pub size: u64,
    /// What it is to that study, in words.
    pub why: String,
    /// The folder of that study.
    pub folder: PathBuf,
}

/// A finished run.
#[derive(Debug, Clone, PartialEq)]
struct EarlierRun {
    benchmark: String,
    /// Backend, number and name of the device.
    device: (String, usize, String),
    support: Support,
    size: SizeFrom,
}

/// How well a run supports its size; more is better.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Support {
    /// A knee counts more than none, and a settled one most.
    knee: u8,
    /// Lower end of the knee's interval as a share of the upper end.
    narrow: f64,
    started: DateTime<Utc>,
}

/// The runs in a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierRuns {
    folder: PathBuf,
    found: Vec<EarlierRun>,
}

impl EarlierRuns {
    /// Reads all finished runs in a folder. The folder itself may be one.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn read(folder: &Path) -> Result<Self, FileFault> {
        fs::read_dir(folder).map(drop).map_err(FileFault::reading(folder))?;
        let mut found = Vec::new();
        // A suite that is resumed elsewhere must find the runs again.
        let whole = absolute(folder).unwrap_or_else(|_| folder.to_owned());
        gather(&whole, DEPTH, &mut found);
        Ok(Self { folder: folder.to_owned(), found })
    }

    /// The size of the best supported run of a benchmark on a device: a settled knee counts more
    /// than a weak one, then the narrower interval, then the later run.
    ///
    /// # Errors
    /// If there is none, or the runs belong to several device models. The error is one sentence.
    pub fn of(&self, benchmark: &str, device: &DeviceSpec) -> Result<&SizeFrom, String> {
        let place = self.folder.display();
        let step = "measure it with `autobench run`, or leave the study out with --only";
        let named: Vec<&EarlierRun> =
            self.found.iter().filter(|run| run.benchmark == benchmark).collect();
        if named.is_empty() {
            return Err(format!("`{place}` holds no finished run of `{benchmark}`; {step}"));
        }
        let on: Vec<&EarlierRun> =
            named.into_iter().filter(|run| is_on(device, &run.device)).collect();
        let best = on.iter().copied().reduce(|a, b| if b.support > a.support { b } else { a });
        let Some(best) = best else {
            return Err(format!(
                "`{place}` holds no finished run of `{benchmark}` on `{device}`; {step}"
            ));
        };
        if let Some(other) = on.iter().find(|run| run.device.2 != best.device.2) {
            return Err(format!(
                "`{place}` holds runs of `{benchmark}` on `{}` and on `{}`; name a folder with one of them",
                best.device.2, other.device.2
            ));
        }
        Ok(&best.size)
    }
}

impl SizeFrom {
    /// The size that a finished run hands on: the first measured one from the upper end of the knee's
    /// interval on. Without a knee, the smallest that is as good as the best: the largest where
    /// throughput still climbs, and a cheap one where it never did. `None` if it measured nothing.
    #[must_use]
    pub fn of(folder: &Path, record: &StudyRecord, view: &StudyView) -> Option<Self> {
        let measured = view.sizes.iter().filter(|point| point.best().is_some());
        let mut measured = measured.map(|point| point.size);
        let folder = folder.to_owned();
        let Some(knee) = view.accepted.as_ref().map(|knee| knee.size) else {
            let good = AS_GOOD * view.best_metric().unwrap_or_default();
            let is_good = |figure: &Figure| figure.metric.as_ref().is_some_and(|m| m.value >= good);
            let first = view.measured().find(|(_, figure)| is_good(figure));
            let size = first.map(|(point, _)| point.size).or(measured.next_back())?;
            let why = "the smallest size as good as the best, as there is no knee".to_owned();
            return Some(Self { size, why, folder });
        };
        let answer = KneeAnswer::of(record, view)?;
        let upper = interval(&answer).map_or(knee as f64, |(_, upper)| upper);
        let largest = measured.clone().next_back()?;
        // An end is a real number; a size within rounding of it counts.
        let size = measured.find(|size| *size as f64 >= upper.floor()).unwrap_or(largest);
        let confidence = answer.word().map(|word| format!("{word} ")).unwrap_or_default();
        let why = format!("at the upper end of a {confidence}knee at {}", grouped(knee));
        Some(Self { size, why, folder })
    }
}

fn interval(answer: &KneeAnswer<'_>) -> Option<(f64, f64)> {
    answer.finding?.interval
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

fn gather(folder: &Path, depth: usize, found: &mut Vec<EarlierRun>) {
    if let Some(run) = finished(folder) {
        found.push(run);
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

/// Reads a finished run. Other or unreadable folders are none.
fn finished(path: &Path) -> Option<EarlierRun> {
    let folder = StudyFolder::open(path).ok()?;
    let record = folder.read_study().ok()?;
    if record.settings.goal != Goal::Saturate {
        return None;
    }
    let entries = read_journal(&folder.file(JOURNAL_FILE)).ok()?.entries;
    let view = StudyView::from_events(&entries);
    if !matches!(view.progress, Progress::Finished(_)) {
        return None;
    }
    let size = SizeFrom::of(path, &record, &view)?;
    let answer = KneeAnswer::of(&record, &view);
    let knee = match answer.as_ref().and_then(KneeAnswer::word) {
        _ if view.accepted.is_none() => 0,
        Some("settled") => 2,
        _ => 1,
    };
    // Nothing is known of a knee without an interval.
    let narrow = answer.as_ref().and_then(interval).map_or(0.0, |(low, high)| low / high);
    let device = record.device;
    Some(EarlierRun {
        benchmark: record.benchmark.name,
        device: (device.backend, device.ordinal, device.name),
        support: Support { knee, narrow, started: record.started },
        size,
    })
}

#[cfg(test)]
mod tests {
    use records::{
        BenchmarkRecord, DeviceRecord, Event, Figure, Host, Journal, KneeFinding, Named,
        SizeClosed, StudyRecord, Summary, settings::StudySettings,
    };

    use super::*;

    /// A knee with the upper end of its interval, and the confidence.
    type Knee = (u64, f64, &'static str);

    /// Writes a finished run whose sizes are 32, 64 and 128.
    fn run(out: &Path, benchmark: &str, device: (&str, usize, &str), knee: Option<Knee>) {
        let benchmark =
            BenchmarkRecord { name: benchmark.to_owned(), ..BenchmarkRecord::default() };
        let device = DeviceRecord {
            backend: device.0.to_owned(),
            ordinal: device.1,
            name: device.2.to_owned(),
            ..DeviceRecord::default()
        };
        let settings =
            StudySettings { detectors: vec!["kneedle".to_owned()], ..StudySettings::default() };
        let record = StudyRecord::new(vec![], Host::default(), device, benchmark, settings);
        let folder = StudyFolder::create(out, record.started, "a", "b", "c").expect("made");
        folder.write_study(&record).expect("written");
        let mut journal = Journal::create(&folder).expect("begun");
        for size in [32, 64, 128] {
            let best = Figure {
                configuration: Named::default(),
                seconds: Summary::of(&[1e-3]).expect("a sample"),
                metric: None,
                error: None,
                unsettled: false,
                metrics: [].into(),
            };
            let best = Some(best);
            let closed = SizeClosed { size, best, ..SizeClosed::default() };
            journal.append(Event::SizeClosed(closed)).expect("written");
        }
        if let Some((size, upper, confidence)) = knee {
            let detector = "kneedle".to_owned();
            let finding = KneeFinding {
                detector: detector.clone(),
                knee: Some(size as f64),
                interval: Some((size as f64, upper)),
                confidence: confidence.to_owned(),
                ..KneeFinding::default()
            };
            journal.append(Event::Knee(finding)).expect("written");
            let accepted =
                Event::KneeAccepted { detector, size, why: String::new(), confirmed: true };
            journal.append(accepted).expect("written");
        }
        journal.append(Event::Finished { seconds: 1.0 }).expect("written");
    }

    fn told(runs: &EarlierRuns, benchmark: &str, device: &str) -> String {
        match runs.of(benchmark, &device.parse().expect("a device")) {
            Ok(SizeFrom { size, why, .. }) => format!("{size} {why}"),
            Err(why) => why,
        }
    }

    #[test]
    fn a_run_gives_the_upper_end_of_its_knee_or_its_largest_size() {
        let out = tempfile::tempdir().expect("a folder");
        let suite = out.path().join("suite");
        fs::create_dir(&suite).expect("made");
        fs::create_dir(out.path().join("something")).expect("made");
        run(&suite, "gemm", ("cpu", 0, "C"), Some((32, 50.0, "weak")));
        run(out.path(), "gemm", ("cuda", 1, "A100"), Some((64, 64.0, "settled")));
        run(out.path(), "gemm", ("cuda", 2, "H100"), Some((64, 700.0, "settled")));
        run(out.path(), "vecadd", ("cpu", 0, "C"), None);
        let runs = EarlierRuns::read(out.path()).expect("read");
        for (benchmark, device, words) in [
            ("gemm", "cpu", "64 at the upper end of a weak knee at 32"),
            ("gemm", "cuda:1", "64 at the upper end of a settled knee at 64"),
            ("gemm", "cuda:2", "128 at"),
            ("gemm", "cuda:all", "holds runs of `gemm` on `"),
            ("gemm", "cuda", "no finished run of `gemm` on `cuda`"),
            ("vecadd", "cpu", "128 the smallest size as good as the best, as there is no knee"),
            ("stencil", "cpu", "no finished run of `stencil`;"),
        ] {
            let told = told(&runs, benchmark, device);
            assert!(told.contains(words), "{benchmark} on {device}: {told}");
        }
        assert!(EarlierRuns::read(&out.path().join("nowhere")).is_err());
    }

    #[test]
    fn the_best_supported_run_counts_and_not_the_latest() {
        let out = tempfile::tempdir().expect("a folder");
        let of = |knees: &[Option<Knee>]| {
            let out = tempfile::tempdir_in(out.path()).expect("a folder");
            knees.iter().for_each(|knee| run(out.path(), "gemm", ("cpu", 0, "C"), *knee));
            let runs = EarlierRuns::read(out.path()).expect("read");
            runs.of("gemm", &"cpu".parse().expect("a device")).expect("a run").size
        };
        let (settled, weak) = ((32, 60.0, "settled"), (32, 120.0, "weak"));
        assert_eq!(of(&[Some(settled), Some(weak), None]), 64);
        assert_eq!(of(&[Some(settled), Some((32, 32.0, "settled")), Some(weak)]), 32);
        assert_eq!(of(&[None, Some(weak)]), 128);
        assert_eq!(of(&[Some((64, 64.0, "weak")), None]), 64);
    }
}
