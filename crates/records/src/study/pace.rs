//! How fast the memory of a machine has been, as studies of the past saw it. Where others use it, a machine
//! has another curve and another knee, and a study that meets it at that tempo alone cannot know.
//!
//! The sentinel's copy finds the memory as the kernels beside it leave it, so studies of one
//! benchmark are held against each other, and against the faster ones among several: the single fastest
//! is an accident.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use math::{quantile, sorted};
use serde::{Deserialize, Serialize};

use crate::{FolderError, RoundsEvent, StudyRecord, Tempos, read_record, write_record};

/// Word that marks a file as paces.
const PACES_FORMAT: &str = "autobench-paces";
/// Version of the format that this program writes. Before the second the copy lay in one place, where a large cache
/// held it in studies of few sizes.
const PACES_VERSION: u32 = 2;
/// Studies that are remembered.
const MOST: usize = 20;
/// Quantile of their copies that the machine is known by: a machine that is slowed down for most of an hour is
/// known by the few studies that met it alone.
const FASTER: f64 = 0.1;
/// A copy takes this many times as long as known, from which on the machine is another one. A study's copy is known
/// better than those of single rounds, which are told apart from 1.2 on: at 1.17 `vecadd` settled on 13,824
/// elements where the eight that had seen the machine faster had settled on 38,094 to 69,984.
const SLOWER: f64 = 1.1;
/// From the smallest to the largest knee that studies settled on, where they say the same: two steps of sizes that grow
/// by half, as an answer's own interval may span.
const AGREED: f64 = 2.25;
/// What a study met holds for the next one that begins within so many minutes.
const LATELY: i64 = 60;
/// After so many days, the machine may have become another one for good.
const DAYS: i64 = 30;

/// What the faster ones of earlier studies saw; of no studies, that nothing is known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Pace {
    /// Seconds of the copy: a tenth of the studies saw no longer ones.
    pub seconds: f64,
    /// Number of the studies.
    pub studies: u64,
    /// Seconds of the copy in the last one of them that could wait for a faster machine, if it was a short while ago.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lately: Option<f64>,
    /// What those of the same plan that saw the machine as fast as that settled on, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<u64>,
    /// When the last of those began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_settled: Option<DateTime<Utc>>,
}

/// The knee that earlier studies of the same plan settled on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettledKnee {
    /// The middle one of their sizes; of two in the middle the smaller.
    pub size: u64,
    /// The smallest one.
    pub least: u64,
    /// The largest one.
    pub most: u64,
    /// Number of the studies.
    pub studies: usize,
    /// When the last of them began; unknown in records of before.
    pub last: Option<DateTime<Utc>>,
}

/// What one study saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Seen {
    /// Seconds of the copy.
    seconds: f64,
    /// When the study began.
    measured: DateTime<Utc>,
    /// Name of its folder.
    study: String,
    /// Whether it had time to wait until the machine is faster.
    #[serde(default)]
    may_wait: bool,
    /// Tells what it was asked for, and of what, from other studies of the benchmark.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    plan: String,
    /// Size of the knee that it settled on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settled: Option<u64>,
}

/// The last studies of a benchmark on a device, the newest last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Paces {
    format: String,
    version: u32,
    seen: Vec<Seen>,
}

impl Default for Paces {
    fn default() -> Self {
        Self { format: PACES_FORMAT.to_owned(), version: PACES_VERSION, seen: Vec::new() }
    }
}

impl Paces {
    /// Reads them; none of a version whose copies were others.
    ///
    /// # Errors
    /// If the file cannot be read, is something else, or is of a later version.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        let read: Self = read_record(path, PACES_FORMAT, PACES_VERSION)?;
        Ok(if read.version < PACES_VERSION { Self::default() } else { read })
    }

    /// Writes them.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FolderError> {
        write_record(path, self)
    }

    /// Adds what a study saw in its rounds, and the knee that it settled on; whether anybody watched.
    pub fn add<'a>(
        &mut self,
        record: &StudyRecord,
        study: &str,
        rounds: impl Iterator<Item = &'a RoundsEvent> + Clone,
        settled: Option<u64>,
    ) -> bool {
        let Some(seconds) = Tempos::copy_seconds(rounds) else { return false };
        // Repeats are numbered: those of several plans have the same names.
        self.seen.retain(|seen| (seen.study.as_str(), seen.measured) != (study, record.started));
        let (study, measured) = (study.to_owned(), record.started);
        let may_wait = record.settings.budget.overtime.is_some_and(|seconds| seconds > 0.0);
        self.seen.push(Seen { seconds, measured, study, may_wait, plan: record.plan(), settled });
        self.seen.drain(..self.seen.len().saturating_sub(MOST));
        true
    }

    /// How fast the machine is known to be when a study begins.
    #[must_use]
    pub fn known_to(&self, record: &StudyRecord) -> Option<Pace> {
        let holds = |seen: &&Seen| (record.started - seen.measured).num_days().abs() < DAYS;
        let seen: Vec<&Seen> = self.seen.iter().filter(holds).collect();
        let all: Vec<f64> = seen.iter().map(|seen| seen.seconds).collect();
        if all.is_empty() {
            return None;
        }
        let seconds = quantile(&sorted(&all), FASTER);
        let tempo = seconds / SLOWER..=SLOWER * seconds;
        let is_late = |seen: &&&Seen| {
            let since = record.started - seen.measured;
            seen.may_wait && since >= TimeDelta::zero() && since < TimeDelta::minutes(LATELY)
        };
        let last = seen.iter().filter(is_late).max_by_key(|seen| seen.measured);
        let lately = last.map(|seen| seen.seconds);
        let plan = record.plan();
        let as_fast = seen.iter().filter(|seen| tempo.contains(&seen.seconds) && seen.plan == plan);
        let (settled, times): (Vec<u64>, Vec<DateTime<Utc>>) =
            as_fast.filter_map(|seen| Some((seen.settled?, seen.measured))).unzip();
        let last_settled = times.into_iter().max();
        Some(Pace { seconds, studies: all.len() as u64, lately, settled, last_settled })
    }
}

impl SettledKnee {
    /// Whether they say the same, so that the middle one stands for them.
    #[must_use]
    pub fn is_agreed(&self) -> bool {
        self.most as f64 <= AGREED * self.least as f64
    }
}

impl Pace {
    /// That of a machine on which nothing was measured, although others may use its memory.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.studies == 0
    }

    /// What those of the same plan settled on, if any did.
    #[must_use]
    pub fn settled_knee(&self) -> Option<SettledKnee> {
        let mut sizes = self.settled.clone();
        sizes.sort_unstable();
        let (least, most) = (*sizes.first()?, *sizes.last()?);
        let (size, last) = (sizes[(sizes.len() - 1) / 2], self.last_settled);
        Some(SettledKnee { size, least, most, studies: sizes.len(), last })
    }

    /// How many times slower these rounds found the machine, if by so much that it is another one.
    #[must_use]
    pub fn slower<'a>(&self, rounds: impl Iterator<Item = &'a RoundsEvent> + Clone) -> Option<f64> {
        if self.is_unknown() {
            return None;
        }
        let factor = Tempos::copy_seconds(rounds)? / self.seconds;
        (factor > SLOWER).then_some(factor)
    }

    /// Whether the machine, which these rounds found slower than it is known, is likely to become faster while a study
    /// waits: not where the study before met it as slow, and could have waited.
    #[must_use]
    pub fn may_recover<'a>(&self, rounds: impl Iterator<Item = &'a RoundsEvent> + Clone) -> bool {
        let copy = Tempos::copy_seconds(rounds.clone());
        let was_as_slow = |copy: f64| self.lately.is_some_and(|lately| copy < SLOWER * lately);
        self.slower(rounds).is_some() && !copy.is_some_and(was_as_slow)
    }

    /// Whether these rounds found the machine faster than it is known: what was settled is of a slower one.
    #[must_use]
    pub fn is_outrun<'a>(&self, rounds: impl Iterator<Item = &'a RoundsEvent> + Clone) -> bool {
        Tempos::copy_seconds(rounds).is_some_and(|seconds| SLOWER * seconds < self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceRecord, Host, Round, settings::StudySettings};

    fn rounds(seconds: f64) -> [RoundsEvent; 1] {
        let round = Round { sentinel: Some(seconds), ..Round::default() };
        [RoundsEvent { first: 1, rounds: vec![round; 9], ..RoundsEvent::default() }]
    }

    fn record() -> StudyRecord {
        let (host, device) = (Host::default(), DeviceRecord::default());
        let mut settings = StudySettings::default();
        settings.budget.overtime = Some(60.0);
        StudyRecord::new(vec![], host, device, Default::default(), settings)
    }

    #[test]
    fn a_machine_is_another_one_where_its_copies_take_much_longer_than_known() {
        let pace = Pace { seconds: 1e-4, studies: 4, ..Pace::default() };
        assert_eq!(pace.slower(rounds(1.08e-4).iter()), None);
        assert!(pace.slower(rounds(1.12e-4).iter()).is_some());
        assert_eq!(pace.slower(rounds(0.5e-4).iter()), None);
        let is_outrun = |seconds: f64| pace.is_outrun(rounds(seconds).iter());
        assert!(is_outrun(0.9e-4) && !is_outrun(0.92e-4) && !is_outrun(2e-4));
        assert!(!pace.is_outrun([RoundsEvent::default()].iter()), "nobody watched");
        let slower = pace.slower(rounds(2e-4).iter()).expect("slower");
        assert!((slower - 2.0).abs() < 1e-9, "{slower}");
        assert_eq!(pace.slower([RoundsEvent::default()].iter()), None, "nobody watched");
        let recovers = |lately: Option<f64>, seconds: f64| {
            Pace { lately, ..pace.clone() }.may_recover(rounds(seconds).iter())
        };
        assert!(recovers(None, 2e-4) && recovers(Some(1e-4), 2e-4) && recovers(Some(1.7e-4), 2e-4));
        assert!(!recovers(Some(2e-4), 2e-4) && !recovers(Some(1.9e-4), 2e-4), "waited in vain");
        assert!(!recovers(None, 1e-4), "as fast as known");
        let unknown = Pace::default();
        assert!(unknown.is_unknown() && unknown.slower(rounds(2e-4).iter()).is_none());
    }

    #[test]
    fn a_single_fast_study_makes_no_other_machine_of_all_that_follow() {
        let (mut paces, record) = (Paces::default(), record());
        assert!(paces.add(&record, "lucky", rounds(1e-4).iter(), Some(5)));
        for at in 0..9 {
            assert!(paces.add(&record, &format!("usual {at}"), rounds(2e-4).iter(), Some(9)));
        }
        let pace = paces.known_to(&record).expect("known");
        assert_eq!((pace.studies, pace.slower(rounds(2e-4).iter())), (10, None));
        assert!(pace.slower(rounds(3e-4).iter()).is_some());
        assert_eq!((&pace.settled, pace.last_settled), (&vec![9; 9], Some(record.started)));
        assert!(!paces.add(&record, "unwatched", [RoundsEvent::default()].iter(), Some(9)));
        // What is old is forgotten, and so are those before the last twenty.
        let started = record.started + chrono::Days::new(40);
        assert_eq!(paces.known_to(&StudyRecord { started, ..record.clone() }), None);
        for at in 0..30 {
            paces.add(&record, &format!("later {at}"), rounds(4e-4).iter(), None);
        }
        let pace = paces.known_to(&record).expect("known");
        assert_eq!((pace.studies, pace.seconds), (20, 4e-4));
    }

    #[test]
    fn a_machine_that_is_slow_most_of_the_time_is_known_by_its_fast_studies() {
        let (mut paces, record) = (Paces::default(), record());
        let mut see = |record: &StudyRecord, study: &str, seconds, settled| {
            assert!(paces.add(record, study, rounds(seconds).iter(), settled));
        };
        for (at, seconds) in [5.2e-4, 5.3e-4, 5.3e-4, 3.9e-4, 4.8e-4].into_iter().enumerate() {
            see(&record, &format!("study {at}"), seconds, Some(at as u64));
        }
        // Neither a weak answer counts, nor that of another plan.
        see(&record, "weak", 3.9e-4, None);
        let mut other = record.clone();
        other.hashes.insert("kernel".to_owned(), "other".to_owned());
        see(&other, "other", 3.9e-4, Some(7));
        let pace = paces.known_to(&record).expect("known");
        assert!(pace.slower(rounds(4.8e-4).iter()).is_some(), "{pace:?}");
        assert_eq!((pace.studies, pace.settled.as_slice()), (7, [3].as_slice()));
        assert_eq!(pace.lately, Some(3.9e-4));
        let begun = |minutes: i64| StudyRecord {
            started: record.started + TimeDelta::minutes(minutes),
            ..record.clone()
        };
        for minutes in [-1, 60, 90] {
            let after = paces.known_to(&begun(minutes)).expect("known");
            assert_eq!((after.lately, after.seconds), (None, pace.seconds), "{minutes}");
        }
        let mut hurried = begun(30);
        hurried.settings.budget.overtime = Some(0.0);
        let mut with = paces.clone();
        assert!(with.add(&hurried, "hurried", rounds(9e-4).iter(), None));
        let told = with.known_to(&begun(59)).expect("known");
        assert_eq!(told.lately, Some(3.9e-4), "it could not wait");
        let text = serde_json::to_string(&told).expect("text");
        assert_eq!(serde_json::from_str::<Pace>(&text).expect("a pace"), told);
        assert_eq!(paces.known_to(&other).expect("known").settled, [7]);
        let later =
            StudyRecord { started: record.started + chrono::Days::new(1), ..record.clone() };
        assert!(paces.add(&later, "later", rounds(3.9e-4).iter(), Some(6)));
        assert!(paces.add(&record, "earlier", rounds(3.9e-4).iter(), Some(9)));
        let pace = paces.known_to(&later).expect("known");
        assert_eq!(
            (pace.settled.as_slice(), pace.last_settled),
            ([3, 6, 9].as_slice(), Some(later.started))
        );
        let knee = pace.settled_knee().expect("settled");
        assert_eq!((knee.size, knee.least, knee.most, knee.studies), (6, 3, 9, 3));
        assert!(!knee.is_agreed() && SettledKnee { least: 4, ..knee }.is_agreed());
        assert_eq!(Pace { settled: vec![8, 4], ..pace }.settled_knee().expect("settled").size, 4);
        assert_eq!(pace.slower(rounds(4.1e-4).iter()), None);
    }

    #[test]
    fn paces_are_read_as_they_were_written_and_another_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("paces.json");
        let mut paces = Paces::default();
        paces.add(&record(), "s", rounds(3e-4).iter(), Some(5));
        paces.write(&path).expect("written");
        assert_eq!(Paces::read(&path).expect("read"), paces);
        std::fs::write(&path, "{\"format\": \"autobench-ceilings\", \"version\": 1}")
            .expect("written");
        assert!(Paces::read(&path).is_err());
        let before: Pace =
            serde_json::from_str(r#"{"seconds": 3e-4, "studies": 2, "as_fast": ["s"]}"#)
                .expect("a pace of before answers were kept");
        assert_eq!((before.studies, before.settled.len()), (2, 0));
        let before = r#"{"format": "autobench-paces", "version": 1,
            "seen": [{"seconds": 3e-4, "measured": "2026-01-01T00:00:00Z", "study": "s"}]}"#;
        std::fs::write(&path, before).expect("written");
        assert_eq!(Paces::read(&path).expect("read"), Paces::default(), "their copies were others");
    }
}
