//! How fast the memory of a machine has been, as studies of the past saw it. Where others use it, a machine
//! has another curve and another knee, and a study that meets it at that tempo alone cannot know.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::records::{FolderError, RoundsEvent, StudyRecord, Tempos, read_record, write_record};

/// Word that marks a file as a pace.
const PACE_FORMAT: &str = "autobench-pace";
/// Version of the format that this program writes.
const PACE_VERSION: u32 = 1;
/// A copy takes this many times as long as known, from which on the machine is another one.
const SLOWER: f64 = 1.3;
/// After so many days, the machine may have become another one for good.
const DAYS: i64 = 30;

/// The fastest sentinel of finished studies of a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Seconds of the copy.
    pub seconds: f64,
    /// When the study began that saw it.
    pub measured: DateTime<Utc>,
    /// Name of its folder.
    pub study: String,
}

/// A pace in a file of its own.
#[derive(Serialize, Deserialize)]
struct PaceRecord {
    format: String,
    version: u32,
    #[serde(flatten)]
    pace: Pace,
}

impl Pace {
    /// Reads a pace.
    ///
    /// # Errors
    /// If the file cannot be read, is something else, or is of a later version.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        let record: PaceRecord = read_record(path, PACE_FORMAT, PACE_VERSION)?;
        Ok(record.pace)
    }

    /// Writes it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FolderError> {
        let (format, version) = (PACE_FORMAT.to_owned(), PACE_VERSION);
        write_record(path, &PaceRecord { format, version, pace: self.clone() })
    }

    /// The pace that a study saw; `None` if nobody watched.
    #[must_use]
    pub fn of<'a>(
        record: &StudyRecord,
        study: &str,
        rounds: impl Iterator<Item = &'a RoundsEvent> + Clone,
    ) -> Option<Self> {
        let seconds = Tempos::copy_seconds(rounds)?;
        Some(Self { seconds, measured: record.started, study: study.to_owned() })
    }

    /// Whether it still says something at this time.
    #[must_use]
    pub fn holds_at(&self, time: DateTime<Utc>) -> bool {
        (time - self.measured).num_days().abs() < DAYS
    }

    /// How many times slower these rounds found the machine, if by so much that it is another one.
    #[must_use]
    pub fn slower<'a>(&self, rounds: impl Iterator<Item = &'a RoundsEvent> + Clone) -> Option<f64> {
        let factor = Tempos::copy_seconds(rounds)? / self.seconds;
        (factor > SLOWER).then_some(factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Round;

    #[test]
    fn a_machine_is_another_one_where_its_copies_take_much_longer_than_known() {
        let pace = Pace { seconds: 1e-4, measured: Utc::now(), study: "before".to_owned() };
        let rounds = |seconds: f64| {
            let round = Round { sentinel: Some(seconds), ..Round::default() };
            [RoundsEvent { first: 1, rounds: vec![round; 9], ..RoundsEvent::default() }]
        };
        assert_eq!(pace.slower(rounds(1.2e-4).iter()), None);
        assert_eq!(pace.slower(rounds(0.5e-4).iter()), None);
        let slower = pace.slower(rounds(2e-4).iter()).expect("slower");
        assert!((slower - 2.0).abs() < 1e-9, "{slower}");
        assert_eq!(pace.slower([RoundsEvent::default()].iter()), None, "nobody watched");
        assert!(pace.holds_at(Utc::now()) && !pace.holds_at(Utc::now() + chrono::Days::new(40)));
    }

    #[test]
    fn a_pace_is_read_as_it_was_written_and_another_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pace.json");
        let pace = Pace { seconds: 3e-4, measured: Utc::now(), study: "s".to_owned() };
        pace.write(&path).expect("written");
        assert_eq!(Pace::read(&path).expect("read"), pace);
        std::fs::write(&path, "{\"format\": \"autobench-ceilings\", \"version\": 1}")
            .expect("written");
        assert!(Pace::read(&path).is_err());
    }
}
