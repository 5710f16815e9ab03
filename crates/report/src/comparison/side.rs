//! A side of a comparison: studies of one device. They are read from the folder of a study or a
//! suite, or from any folder that holds such folders.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use records::{
    Figure, FileFault, JOURNAL_FILE, Named, Progress, STUDY_FILE, StudyFolder, StudyRecord,
    StudyView, read_journal,
    settings::{DEFAULT_STRATEGY, Goal},
};

/// How many levels of folders are searched for studies: `out`, a suite, its repeats, a study.
const DEEPEST: usize = 4;

/// A study that is compared.
#[derive(Debug, Clone)]
pub struct Studied {
    /// Its folder.
    pub path: PathBuf,
    /// Its settings, device and benchmark.
    pub record: StudyRecord,
    /// Its results.
    pub view: StudyView,
}

/// One side of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Side {
    /// The side's name in tables: that of its folder or of its device.
    pub name: String,
    /// Its studies, oldest first.
    pub studies: Vec<Studied>,
    /// Studies that were left out or are not finished, one sentence each.
    pub left_out: Vec<String>,
}

/// Why folders cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum SideError {
    /// A folder cannot be read.
    #[error(transparent)]
    File(#[from] FileFault),
    /// The folder holds no study that can be compared.
    #[error("`{path}` holds no study that can be compared: {why}", path = path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
        /// Why its studies cannot be compared, or that there are none, and the next step.
        why: String,
    },
    /// One of several folders holds studies of more than one device.
    #[error(
        "`{path}` holds studies of {count} devices ({devices}); compare one folder of each, or this folder alone",
        path = path.display()
    )]
    Devices {
        /// The folder.
        path: PathBuf,
        /// Number of devices.
        count: usize,
        /// Their names.
        devices: String,
    },
}

/// Returns the sides of these folders. A single folder becomes one side for each of its devices.
///
/// # Errors
/// If a folder cannot be read or holds no study, or if one of several folders holds studies of
/// several devices.
pub fn sides(paths: &[PathBuf]) -> Result<Vec<Side>, SideError> {
    if let [alone] = paths {
        return Ok(by_device(Side::read(alone)?));
    }
    let mut sides = Vec::new();
    for path in paths {
        let side = Side::read(path)?;
        let devices = side.devices();
        if devices.len() > 1 {
            let (count, devices) = (devices.len(), devices.join(", "));
            return Err(SideError::Devices { path: path.clone(), count, devices });
        }
        sides.push(side);
    }
    tell_apart(&mut sides);
    Ok(sides)
}

impl Side {
    /// Reads every study below a folder.
    ///
    /// # Errors
    /// If the folder cannot be read, or holds no study that can be compared.
    pub fn read(path: &Path) -> Result<Self, SideError> {
        let mut side = Self { name: name_of(path), ..Self::default() };
        fs::read_dir(path).map_err(FileFault::reading(path))?;
        let mut known = BTreeSet::new();
        for folder in study_folders(path, DEEPEST) {
            match Studied::read(&folder) {
                // A link or a copy is not a second measurement.
                Ok(study) if known.insert(study.identity()) => side.studies.push(study),
                Ok(_) => side.left_out.push(format!("`{}` is a copy of another", folder.display())),
                Err(why) => side.left_out.push(format!("`{}`: {why}", folder.display())),
            }
        }
        if side.studies.is_empty() {
            let none = || {
                format!("no folder in it has a `{STUDY_FILE}`; name one that `autobench run` made")
            };
            let why = side.left_out.into_iter().next().unwrap_or_else(none);
            return Err(SideError::Empty { path: path.to_owned(), why });
        }
        let unfinished = side.studies.iter().filter(|study| !study.is_finished());
        let unfinished: Vec<String> = unfinished
            .map(|study| format!("`{}` is not finished, and counts", study.path.display()))
            .collect();
        side.left_out.extend(unfinished);
        side.studies.sort_by_key(|study| study.record.started);
        Ok(side)
    }

    /// Returns the names of the side's devices, in the order of their first studies.
    #[must_use]
    pub fn devices(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for study in &self.studies {
            if !names.contains(&study.record.device.name) {
                names.push(study.record.device.name.clone());
            }
        }
        names
    }

    /// The side's benchmark, or the number of its benchmarks.
    fn benchmarks(&self) -> String {
        let names: BTreeSet<&str> =
            self.studies.iter().map(|study| study.record.benchmark.name.as_str()).collect();
        match names.first() {
            Some(only) if names.len() == 1 => (*only).to_owned(),
            _ => format!("{} benchmarks", names.len()),
        }
    }

    /// When the side's first study started.
    fn begun(&self) -> Option<String> {
        let first = self.studies.first()?;
        Some(first.record.started.format("%Y-%m-%d %H:%M").to_string())
    }

    /// Tags of the side's studies.
    fn tags(&self) -> Option<String> {
        let tags: BTreeSet<&str> = self
            .studies
            .iter()
            .flat_map(|study| study.record.settings.tags.iter().map(String::as_str))
            .collect();
        (!tags.is_empty()).then(|| tags.into_iter().collect::<Vec<_>>().join(" "))
    }

    /// Returns the side's studies by subject.
    pub(super) fn by_subject(&self) -> BTreeMap<String, Vec<&Studied>> {
        let mut subjects: BTreeMap<String, Vec<&Studied>> = BTreeMap::new();
        for study in &self.studies {
            subjects.entry(study.subject()).or_default().push(study);
        }
        subjects
    }
}

impl Studied {
    /// Returns the result of the best configuration of a size, if it has a run time.
    #[must_use]
    pub fn figure(&self, size: u64) -> Option<&Figure> {
        let (_, figure) = self.view.held().find(|(point, _)| point.size == size)?;
        Some(figure).filter(|figure| figure.seconds.median > 0.0)
    }

    /// Reads the study of a folder.
    ///
    /// # Errors
    /// A sentence, if the study cannot be read or has measured no size yet.
    pub fn read(path: &Path) -> Result<Self, String> {
        let said = |error: &dyn std::error::Error| error.to_string();
        let folder = StudyFolder::open(path).map_err(|error| said(&error))?;
        let record = folder.read_study().map_err(|error| said(&error))?;
        let journal = read_journal(&folder.file(JOURNAL_FILE)).map_err(|error| said(&error))?;
        let view = StudyView::from_events(&journal.entries);
        if view.held().next().is_none() {
            return Err("no size of it is measured yet".to_owned());
        }
        Ok(Self { path: path.to_owned(), record, view })
    }

    /// Returns what identifies a study: its start, host and benchmark.
    fn identity(&self) -> (DateTime<Utc>, String, String) {
        let record = &self.record;
        (record.started, record.host.name.clone(), record.benchmark.name.clone())
    }

    /// Whether the study has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self.view.progress, Progress::Finished(_))
    }

    /// Returns what it is a study of: the benchmark, and its strategy, objective, bounds,
    /// parameters, controls and kind of samples where these are not the defaults. Studies of
    /// different subjects are not compared.
    #[must_use]
    pub fn subject(&self) -> String {
        self.described(true)
    }

    /// Returns the same without what was narrowed. Studies of different kinds are not compared.
    pub(super) fn kind(&self) -> String {
        self.described(false)
    }

    /// Whether the search tried a configuration at a size.
    pub(super) fn tried(&self, size: u64, configuration: &Named) -> bool {
        let mut trials = self.view.trials.iter().map(|row| &row.event.trial);
        trials.any(|trial| trial.size == size && trial.configuration == *configuration)
    }

    fn described(&self, with_narrowed: bool) -> String {
        let settings = &self.record.settings;
        let mut subject = self.record.benchmark.name.clone();
        let hot = self.view.started.caches.as_ref().is_some_and(|caches| caches.kind == "hot");
        let objective = self.record.objective();
        let further = settings.further_objectives.iter().map(|o| o.metric.as_str());
        let objectives: Vec<&str> = std::iter::once(objective).chain(further).collect();
        if objectives != ["seconds"] {
            subject += &format!(" by {}", objectives.join(", "));
        }
        if let Some(bound) = settings.max_error {
            subject += &format!(" within {bound}");
        }
        for bound in &settings.bounds {
            subject += &format!(" within {bound}");
        }
        let narrowed = settings.parameters.iter().chain(&settings.restrictions);
        let mut narrowed: Vec<&String> = narrowed.chain(&settings.controls).collect();
        narrowed.sort();
        for narrowed in narrowed.into_iter().filter(|_| with_narrowed) {
            subject += &format!(" with {narrowed}");
        }
        if settings.goal == Goal::Tune && self.record.has_sizes() {
            let sizes: Vec<String> =
                self.view.sizes.iter().map(|point| point.size.to_string()).collect();
            subject += &format!(" at {}", sizes.join(", "));
        }
        if !["", DEFAULT_STRATEGY].contains(&settings.strategy.as_str()) {
            subject += &format!(" by {}", settings.strategy);
        }
        if self.record.is_replayed() {
            subject += " (replayed)";
        }
        if hot {
            subject += " (hot)";
        }
        subject
    }
}

/// Returns the folders of studies at or below a path, sorted by name.
fn study_folders(path: &Path, depth: usize) -> Vec<PathBuf> {
    if path.join(STUDY_FILE).is_file() {
        return vec![path.to_owned()];
    }
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().flat_map(|folder| study_folders(folder, depth)).collect()
}

fn by_device(side: Side) -> Vec<Side> {
    let devices = side.devices();
    if devices.len() < 2 {
        return vec![side];
    }
    let of = |device: &String| {
        let same = |study: &&Studied| study.record.device.name == *device;
        let studies = side.studies.iter().filter(same).cloned().collect();
        Side { name: device.clone(), studies, left_out: Vec::new() }
    };
    let mut sides: Vec<Side> = devices.iter().map(of).collect();
    sides[0].left_out = side.left_out;
    sides
}

/// Returns a title: benchmark, device, date and tags of the sides, the first side last. What all
/// sides share is said once.
#[must_use]
pub fn title(sides: &[Side]) -> String {
    let Some((first, others)) = sides.split_first() else { return String::new() };
    let shared = |of: fn(&Side) -> String| {
        let one = of(first);
        others.iter().all(|side| of(side) == one).then_some(one)
    };
    let (benchmarks, device) = (shared(Side::benchmarks), shared(|side| side.devices().join(", ")));
    let words = |side: &Side| {
        let benchmarks = benchmarks.is_none().then(|| side.benchmarks());
        let device = device.is_none().then(|| side.devices().join(", "));
        let words = benchmarks.into_iter().chain(device).chain(side.begun()).chain(side.tags());
        words.collect::<Vec<_>>().join(", ")
    };
    let same = |one: &Side| sides.iter().filter(|side| words(side) == words(one)).count() > 1;
    // Sides of the same minute are told apart by their names.
    let told = |side: &Side| match same(side) {
        true => format!("{}, {}", words(side), side.name),
        false => words(side),
    };
    let head = [benchmarks.clone(), device.clone()].into_iter().flatten();
    let head = head.collect::<Vec<_>>().join(" on ");
    let others: Vec<String> = others.iter().map(told).collect();
    let joint = if head.is_empty() { "" } else { ": " };
    format!("{head}{joint}{} compared with {}", others.join("; "), told(first))
}

fn name_of(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into())
}

/// Numbers the sides that have the same name.
fn tell_apart(sides: &mut [Side]) {
    let names: Vec<String> = sides.iter().map(|side| side.name.clone()).collect();
    for (at, side) in sides.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == side.name).count() > 1 {
            side.name = format!("{} ({})", side.name, at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use records::{BenchmarkRecord, DeviceRecord, Host, settings::StudySettings};

    use super::*;

    fn side(name: &str, (benchmark, device): (&str, &str), started: &str, tag: &str) -> Side {
        let (host, device_record) = (Host::default(), DeviceRecord::default());
        let about = BenchmarkRecord::default();
        let mut record =
            StudyRecord::new(vec![], host, device_record, about, StudySettings::default());
        record.started = started.parse().expect("a time");
        benchmark.clone_into(&mut record.benchmark.name);
        device.clone_into(&mut record.device.name);
        record.settings.tags = tag.split_whitespace().map(str::to_owned).collect();
        let study = Studied { path: PathBuf::new(), record, view: StudyView::default() };
        Side { name: name.to_owned(), studies: vec![study], left_out: Vec::new() }
    }

    #[test]
    fn a_title_is_benchmark_device_date_and_tags_and_says_once_what_sides_share() {
        let (noon, later) = ("2026-03-04T12:00:00Z", "2026-03-05T08:30:00Z");
        let first = side("one", ("gemm", "A100"), noon, "");
        let same = side("two", ("gemm", "A100"), later, "tuned v2");
        assert_eq!(
            title(&[first.clone(), same]),
            "gemm on A100: 2026-03-05 08:30, tuned v2 compared with 2026-03-04 12:00"
        );
        let device = side("two", ("gemm", "H100"), later, "");
        assert_eq!(
            title(&[first.clone(), device]),
            "gemm: H100, 2026-03-05 08:30 compared with A100, 2026-03-04 12:00"
        );
        let twin = side("two", ("gemm", "A100"), noon, "");
        assert_eq!(
            title(&[first, twin]),
            "gemm on A100: 2026-03-04 12:00, two compared with 2026-03-04 12:00, one"
        );
    }
}
