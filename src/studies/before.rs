//! What the study before this one answered, so that whoever repeats a study sees how far the answers agree.

use std::{fs, path::Path};

use records::{StudyFolder, StudyRecord, StudyView, Tempos, settings::Goal};
use report::{
    comparison::Studied,
    exporters::quantities::{grouped, significant},
};

/// The machine copies this much faster or slower, from which on it is said.
const NOTABLE: f64 = 1.15;

/// What the latest finished study of the same plan beside this one answered.
pub(crate) struct Before {
    /// Its knee.
    knee: String,
    /// How much earlier it began.
    earlier: String,
    /// How fast the machine's memory was then, if it was not as fast as now.
    pace: Option<String>,
    /// Whether the knees of the two do not agree.
    apart: bool,
}

impl Before {
    pub(crate) fn of(folder: &StudyFolder, record: &StudyRecord, view: &StudyView) -> Option<Self> {
        if record.settings.goal != Goal::Saturate || record.is_replayed() {
            return None;
        }
        let before = latest(folder, record)?;
        let said = match knee(&before.view) {
            Some((size, Some((low, high)))) => {
                format!("{} ({} to {})", grouped(size), grouped(low as u64), grouped(high as u64))
            }
            Some((size, None)) => grouped(size),
            None => "no knee".to_owned(),
        };
        let apart = match (knee(&before.view), knee(view)) {
            (Some((_, Some(a))), Some((_, Some(b)))) => a.1 < b.0 || b.1 < a.0,
            (a, b) => a.is_some() != b.is_some(),
        };
        let earlier = duration((record.started - before.record.started).num_minutes());
        Some(Self { knee: said, earlier, pace: pace(&before.view, view), apart })
    }

    /// All of it, in a line.
    pub(crate) fn line(&self) -> String {
        let mut text = format!("{}, begun {} earlier", self.knee, self.earlier);
        if let Some(pace) = &self.pace {
            text += &format!("; {pace}");
        }
        if self.apart {
            text +=
                ": the two do not agree, `--repeat 5` shows how far answers of this machine hold";
        }
        text
    }

    /// A warning if the two do not agree.
    pub(crate) fn disagreement(&self) -> Option<String> {
        let Self { knee, earlier, .. } = self;
        self.apart.then(|| format!("a study {earlier} earlier found {knee}; try `--repeat 5`"))
    }
}

/// The latest finished study of the same plan on the same device, in the same folder of results.
fn latest(folder: &StudyFolder, record: &StudyRecord) -> Option<Studied> {
    let own = folder.path().file_name()?.to_str()?;
    // Names are a time and what was studied; those of a time are numbered.
    let kind = |name: &str| Some(name.split_once('_')?.1.to_owned());
    let of_kind = kind(own)?;
    let entries = fs::read_dir(folder.path().parent()?).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter(|name| name.as_str() < own && kind(name).as_ref() == Some(&of_kind)).collect();
    names.sort_unstable();
    names.iter().rev().find_map(|name| alike(&folder.path().with_file_name(name), record))
}

/// The study of a folder, if it is a finished one of the same plan on the same device.
fn alike(path: &Path, record: &StudyRecord) -> Option<Studied> {
    // A record is small; a journal is read only where it counts.
    let before = StudyFolder::open(path).ok()?.read_study().ok()?;
    let is_same = before.host.name == record.host.name
        && before.device.name == record.device.name
        && before.request() == record.request();
    is_same.then(|| Studied::read(path).ok())?.filter(Studied::is_finished)
}

fn knee(view: &StudyView) -> Option<(u64, Option<(f64, f64)>)> {
    let accepted = view.accepted.as_ref()?;
    Some((accepted.size, view.deciding().and_then(|finding| finding.interval)))
}

/// How fast the machine's memory was then, if it was not as fast as now.
fn pace(before: &StudyView, now: &StudyView) -> Option<String> {
    let seconds = |view: &StudyView| Tempos::copy_seconds(view.answer_rounds());
    let factor = seconds(before)? / seconds(now)?;
    match factor {
        factor if factor > NOTABLE => {
            Some(format!("the machine's memory was {}× slower then", significant(factor, 2)))
        }
        factor if factor < 1.0 / NOTABLE => {
            Some(format!("the machine's memory was {}× faster then", significant(1.0 / factor, 2)))
        }
        _ => None,
    }
}

fn duration(minutes: i64) -> String {
    match minutes {
        ..=1 => "a minute".to_owned(),
        2..=119 => format!("{minutes} minutes"),
        120..=2879 => format!("{} hours", minutes / 60),
        _ => format!("{} days", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use knees::Confidence;
    use records::{
        DeviceRecord, Event, Figure, Host, Journal, KneeFinding, Named, Round, RoundsEvent,
        SizeClosed, SizeOpened, Summary, settings::StudySettings,
    };

    use super::*;

    /// A finished study with this knee, on a machine that copies in so many seconds.
    fn study(
        out: &std::path::Path,
        minute: i64,
        knee: u64,
        copy: f64,
    ) -> (StudyFolder, StudyRecord, StudyView) {
        let settings = StudySettings { seed: minute as u64, ..StudySettings::default() };
        let device = DeviceRecord { name: "cpu".to_owned(), ..DeviceRecord::default() };
        let mut record =
            StudyRecord::new(vec![], Host::default(), device, Default::default(), settings);
        record.started = DateTime::from_timestamp(60 * minute, 0).expect("a time");
        let folder = StudyFolder::create(out, record.started, "sum", "cpu", "kneedle");
        let folder = folder.expect("a folder");
        folder.write_study(&record).expect("written");
        let mut journal = Journal::create(&folder).expect("a journal");
        let best = Figure {
            configuration: Named::default(),
            seconds: Summary::of(&[1e-3, 1.1e-3]).expect("samples"),
            metric: None,
            error: None,
            unsettled: false,
            metrics: Default::default(),
        };
        let (low, high) = (knee as f64 * 0.9, knee as f64 * 1.1);
        let rounds = vec![Round { sentinel: Some(copy), ..Round::default() }; 30];
        for event in [
            Event::SizeOpened(SizeOpened { size: knee, ..SizeOpened::default() }),
            Event::SizeClosed(SizeClosed { size: knee, best: Some(best), ..SizeClosed::default() }),
            Event::Rounds(RoundsEvent { first: 1, rounds, ..RoundsEvent::default() }),
            Event::Knee(KneeFinding {
                detector: "kneedle".to_owned(),
                knee: Some(knee as f64),
                interval: Some((low, high)),
                confidence: Confidence::Settled.word().to_owned(),
                ..KneeFinding::default()
            }),
            Event::KneeAccepted {
                detector: "kneedle".to_owned(),
                size: knee,
                why: String::new(),
                confirmed: true,
            },
            Event::Finished { seconds: 1.0 },
        ] {
            journal.append(event).expect("appended");
        }
        let read = Studied::read(folder.path()).expect("readable");
        (folder, record, read.view)
    }

    #[test]
    fn the_study_before_is_told_with_how_far_the_two_agree() {
        let out = tempfile::tempdir().expect("a folder");
        let (folder, record, view) = study(out.path(), 0, 1000, 5e-4);
        assert!(Before::of(&folder, &record, &view).is_none(), "nothing is before the first");
        let (folder, record, view) = study(out.path(), 5, 1050, 5e-4);
        let before = Before::of(&folder, &record, &view).expect("one before");
        assert_eq!(before.disagreement(), None);
        assert_eq!(before.line(), "1000 (900 to 1100), begun 5 minutes earlier");
        let (folder, record, view) = study(out.path(), 125, 4000, 3e-4);
        let before = Before::of(&folder, &record, &view).expect("one before");
        let said = before.line();
        assert!(said.starts_with("1050 (945 to 1155), begun 2 hours earlier; "), "{said}");
        assert!(said.contains("memory was 1.7× slower then") && said.contains("do not agree"));
        let warned = "a study 2 hours earlier found 1050 (945 to 1155); try `--repeat 5`";
        assert_eq!(before.disagreement().as_deref(), Some(warned));
        // What was asked for otherwise is no study before.
        let mut other = record.clone();
        other.settings.max_error = Some(1e-3);
        assert!(Before::of(&folder, &other, &view).is_none());
    }
}
