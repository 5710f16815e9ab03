//! A study in the index: its state, and the data for lists, trends and tables.

use std::{collections::BTreeMap, path::Path};

use chrono::{DateTime, Utc};
use records::{
    JOURNAL_FILE, Progress, StudyFolder, StudyRecord, StudyState, StudyView, read_journal,
};
use report::comparison::{Calm, Judged, Level, Studied};
use serde::{Deserialize, Serialize};

use super::scan::{Found, Stamp};

/// State of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The study has an answer.
    Finished,
    /// The study is running, was interrupted or killed, or has not begun.
    Unfinished,
    /// The study's files cannot be read.
    Damaged,
}

impl State {
    /// The state's name in tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Unfinished => "unfinished",
            Self::Damaged => "damaged",
        }
    }
}

/// A study in a folder of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The study's folder relative to the folder of results, with `/` between the parts.
    pub folder: String,
    /// The result to which the study belongs: its own folder, or that of its repeats or suite.
    pub result: String,
    /// The study's state.
    pub state: State,
    /// Why the study is not finished, in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The data of the study's record, if that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<StudyFacts>,
    /// Tags of the study's record and of the folders that contain the study.
    #[serde(skip)]
    pub tags: Vec<String>,
    /// Times and lengths of the study's files when they were read.
    pub(super) stamp: Stamp,
}

/// What a study measured, and what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyFacts {
    /// The benchmark, and all settings that make its results comparable only to the same settings.
    pub subject: String,
    /// Name of the benchmark.
    pub benchmark: String,
    /// Name of the device.
    pub device: String,
    /// Name of the host.
    pub host: String,
    /// Version of the driver, if the device has one.
    pub driver: String,
    /// When the study started.
    pub started: DateTime<Utc>,
    /// Tags in the study's record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Recorded conditions that may change the results, by name.
    pub conditions: BTreeMap<String, String>,
    /// The study's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Run times of the best configurations at all sizes that are compared.
    pub sizes: Vec<SizeLevel>,
}

/// The answer of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Size of the answer; `None` if sizes are no numbers.
    pub size: Option<u64>,
    /// Whether the size is an accepted knee.
    pub knee: bool,
    /// The best configuration.
    pub configuration: String,
    /// Run time of the best configuration.
    pub seconds: f64,
    /// 95 % interval of the run time.
    pub interval: (f64, f64),
    /// Value of the secondary metric, if the benchmark has one.
    pub metric: Option<f64>,
    /// Unit of the secondary metric.
    pub unit: String,
}

/// A size of a study, with its run time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SizeLevel {
    /// The size.
    pub size: u64,
    /// The logarithm of the run time, as comparisons use it.
    #[serde(flatten)]
    pub level: Level,
}

impl Entry {
    /// Reads the study in a folder.
    pub(super) fn read(root: &Path, found: &Found) -> Self {
        let (state, reason, study) = read(&root.join(&found.folder), found);
        let (folder, result) = (found.folder.clone(), found.result.clone());
        let mut entry =
            Self { folder, result, state, reason, study, tags: Vec::new(), stamp: found.stamp };
        entry.tag(&found.tags);
        entry
    }

    /// Sets the tags to those of the record and of the containing folders.
    pub(super) fn tag(&mut self, around: &[String]) {
        let own = self.study.iter().flat_map(|study| &study.tags);
        self.tags = own.chain(around).cloned().collect();
        self.tags.sort();
        self.tags.dedup();
    }

    /// When the study started; `None` if its record cannot be read.
    #[must_use]
    pub fn started(&self) -> Option<DateTime<Utc>> {
        Some(self.study.as_ref()?.started)
    }
}

/// Reads a study's state, why it is not finished, and the data of its record.
fn read(path: &Path, found: &Found) -> (State, String, Option<StudyFacts>) {
    if let Some(why) = found.half_written {
        return (State::Unfinished, why.to_owned(), None);
    }
    let record = StudyFolder::open(path).and_then(|folder| folder.read_study());
    let record = match record {
        Ok(record) => record,
        Err(error) => return (State::Damaged, error.to_string(), None),
    };
    let journal = path.join(JOURNAL_FILE);
    let (state, reason, view) = match read_journal(&journal) {
        Ok(read) => {
            let view = StudyView::from_events(&read.entries);
            let state = StudyState::of(&view.progress);
            let word = match state {
                StudyState::Finished => State::Finished,
                _ => State::Unfinished,
            };
            (word, state.reason().to_owned(), view)
        }
        Err(_) if !journal.exists() => {
            let why = "it has not begun, or was killed at its beginning";
            (State::Unfinished, why.to_owned(), StudyView::default())
        }
        Err(error) => (State::Damaged, error.to_string(), StudyView::default()),
    };
    let facts = StudyFacts::of(&Studied { path: path.to_owned(), record, view });
    (state, reason, Some(facts))
}

impl StudyFacts {
    fn of(study: &Studied) -> Self {
        let Studied { record, view, .. } = study;
        let answer = view.winner().map(|(point, figure)| Answer {
            size: record.size(point.size),
            knee: view.accepted.is_some(),
            configuration: figure.configuration.to_string(),
            seconds: figure.seconds.median,
            interval: figure.seconds.interval,
            metric: figure.metric.as_ref().map(|metric| metric.value),
            unit: record.benchmark.secondary.unit.clone(),
        });
        // An unfinished study may still change, so it is no point of a trend.
        let finished = matches!(view.progress, Progress::Finished(_));
        let held = view.held().filter(|_| finished);
        let sizes = held.filter_map(|(point, _)| {
            let size = [point.size];
            let calm = Calm::of(&[study], &size, Judged::winners());
            let level = Level::of(study, &size, &calm)?;
            let usable =
                [level.value, level.deviation, level.freedom].iter().all(|v| v.is_finite());
            usable.then_some(SizeLevel { size: point.size, level })
        });
        Self {
            subject: study.subject(),
            benchmark: record.benchmark.name.clone(),
            device: record.device.name.clone(),
            host: record.host.name.clone(),
            driver: record.device.facts.get("driver").cloned().unwrap_or_default(),
            started: record.started,
            tags: record.settings.tags.clone(),
            conditions: conditions(record),
            answer,
            sizes: sizes.collect(),
        }
    }
}

/// Conditions that may change a study's results.
fn conditions(record: &StudyRecord) -> BTreeMap<String, String> {
    let device = &record.device;
    let fact = |name: &str| device.facts.get(name).cloned().unwrap_or_default();
    let short = |hash: &String| hash.chars().take(12).collect::<String>();
    let all = [
        ("autobench", record.autobench.clone()),
        ("compiler", device.compiler.clone()),
        ("driver", fact("driver")),
        ("host", record.host.name.clone()),
        ("system", record.host.system.clone()),
    ];
    let hashes = record.hashes.iter().map(|(kind, hash)| (kind.clone(), short(hash)));
    let all = all.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(hashes);
    all.filter(|(_, value)| !value.is_empty()).collect()
}
