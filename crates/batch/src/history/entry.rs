//! A study in the index: how it stands, and what lists, trends and tables need of it.

use std::{collections::BTreeMap, path::Path};

use chrono::{DateTime, Utc};
use records::{
    JOURNAL_FILE, Progress, StudyFolder, StudyRecord, StudyState, StudyView, read_journal,
};
use report::comparison::{Calm, Level, Studied};
use serde::{Deserialize, Serialize};

use super::scan::{Found, Stamp};

/// How a study stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It has its answer.
    Finished,
    /// It runs, was interrupted or killed, or has not begun.
    Unfinished,
    /// Its files cannot be read.
    Damaged,
}

impl State {
    /// The word in tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Unfinished => "unfinished",
            Self::Damaged => "damaged",
        }
    }
}

/// A study of a folder of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its folder, from the folder of results on, with `/` between the parts.
    pub folder: String,
    /// The result that it belongs to: its own folder, or that of its repeats or suite.
    pub result: String,
    /// How it stands.
    pub state: State,
    /// Why it is not finished, in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What its record says, if that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<StudyFacts>,
    /// Its tags: those of its record and those of the folders around it.
    #[serde(skip)]
    pub tags: Vec<String>,
    /// What its files were when they were read.
    pub(super) stamp: Stamp,
}

/// What a study is, and what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyFacts {
    /// What it is a study of: its benchmark, and what is special about it. Only studies of the same
    /// subject are compared.
    pub subject: String,
    /// Name of the benchmark.
    pub benchmark: String,
    /// Name of the device.
    pub device: String,
    /// Name of the host.
    pub host: String,
    /// Version of the driver, if the device has one.
    pub driver: String,
    /// When it started.
    pub started: DateTime<Utc>,
    /// Tags of its record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Recorded conditions that may change its figures, by name.
    pub conditions: BTreeMap<String, String>,
    /// What it answers with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The run time of the best configuration at every size that is compared.
    pub sizes: Vec<SizeLevel>,
}

/// The figure that a study answers with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its size.
    pub size: u64,
    /// Whether that is an accepted knee.
    pub knee: bool,
    /// The best configuration.
    pub configuration: String,
    /// Its run time.
    pub seconds: f64,
    /// 95 % interval of it.
    pub interval: (f64, f64),
    /// The secondary metric, if the benchmark has one.
    pub metric: Option<f64>,
    /// Its unit.
    pub unit: String,
}

/// A size of a study.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SizeLevel {
    /// The size.
    pub size: u64,
    /// How fast it was, as comparisons see it.
    #[serde(flatten)]
    pub level: Level,
}

impl Entry {
    /// Reads a study's folder.
    pub(super) fn read(root: &Path, found: &Found) -> Self {
        let (state, reason, study) = read(&root.join(&found.folder), found);
        let (folder, result) = (found.folder.clone(), found.result.clone());
        let mut entry =
            Self { folder, result, state, reason, study, tags: Vec::new(), stamp: found.stamp };
        entry.tag(&found.tags);
        entry
    }

    /// Adds the tags of the folders around it to those of its record.
    pub(super) fn tag(&mut self, around: &[String]) {
        let own = self.study.iter().flat_map(|study| &study.tags);
        self.tags = own.chain(around).cloned().collect();
        self.tags.sort();
        self.tags.dedup();
    }

    /// When it started; of one whose record cannot be read, unknown.
    #[must_use]
    pub fn started(&self) -> Option<DateTime<Utc>> {
        Some(self.study.as_ref()?.started)
    }
}

/// How the study in a folder stands, why it is not finished, and what its record says.
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
            size: point.size,
            knee: view.accepted.is_some(),
            configuration: figure.configuration.to_string(),
            seconds: figure.seconds.median,
            interval: figure.seconds.interval,
            metric: figure.metric.as_ref().map(|metric| metric.value),
            unit: record.benchmark.secondary.unit.clone(),
        });
        // What is not finished may still change, and is no point of a trend.
        let finished = matches!(view.progress, Progress::Finished(_));
        let held = view.held().filter(|_| finished);
        let sizes = held.filter_map(|(point, _)| {
            let level = Level::of(study, &[point.size], &Calm::of(&[study], &[point.size]))?;
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

/// What may change the figures of a study from one to the next.
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
