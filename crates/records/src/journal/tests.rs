//! Journals that are reread, torn, damaged, locked, or on a full disk.

use std::fs;

use chrono::Utc;

use super::*;
use crate::{Costs, Exit, GrowthEnd, Measurement, Named, Outcome, Phase, Status, Summary};

fn folder() -> (tempfile::TempDir, StudyFolder) {
    let out = tempfile::tempdir().expect("a folder");
    let folder = StudyFolder::create(out.path(), Utc::now(), "a", "b", "c").expect("a study");
    (out, folder)
}

fn trial(size: u64, samples: usize) -> Trial {
    let mut outcome = Outcome::failed(Status::Crashed, "signal 11", Costs::default());
    outcome.measurement = Some(Measurement {
        seconds: Summary::of(&[1.0]).expect("a sample"),
        samples: vec![1.0; samples],
        exit: Exit::Precise,
        batch: 1,
        cold: Some(true),
        disturbed: Vec::new(),
        beside: None,
        flushed: false,
        error: Some(f64::NAN),
        metrics: [("speed".to_owned(), f64::INFINITY)].into(),
    });
    Trial {
        size,
        phase: Phase::Search,
        configuration: Named::default(),
        outcome,
        score: Some(f64::NAN),
    }
}

fn ended(why: &str) -> Event {
    Event::GrowthEnded { why: why.to_owned(), confirmed: false, by: None }
}

#[test]
fn what_was_appended_is_read_again() {
    let (_out, folder) = folder();
    let mut journal = Journal::create(&folder).expect("made");
    let first = journal.append(ended("a\nb")).expect("written");
    let mut both = journal.append_trials([trial(7, 2), trial(8, 1)]).expect("written");
    let (third, second) = (both.pop().expect("two"), both.pop().expect("two"));
    let read = read_journal(&folder.file(JOURNAL_FILE)).expect("read");
    assert_eq!(read.entries, [first, second, third.clone()]);
    let Event::Trial(last) = third.event else { panic!("a trial") };
    assert_eq!((last.samples_offset, last.samples_count), (2, 1));
    assert_eq!(fs::read(folder.file(SAMPLES_FILE)).expect("read").len(), 12);
}

#[test]
fn a_torn_last_line_is_cut_wherever_it_was_torn() {
    let (_out, folder) = folder();
    let mut journal = Journal::create(&folder).expect("made");
    journal.append_trials([trial(7, 1)]).expect("written");
    let kept = fs::read(folder.file(JOURNAL_FILE)).expect("read");
    journal.append_trials([trial(8, 2)]).expect("written");
    drop(journal);
    let whole = fs::read(folder.file(JOURNAL_FILE)).expect("read");
    for end in kept.len()..whole.len() {
        fs::write(folder.file(JOURNAL_FILE), &whole[..end]).expect("torn");
        fs::write(folder.file(SAMPLES_FILE), [0; 11]).expect("torn");
        let (mut journal, entries) = Journal::resume(&folder).expect("resumed");
        assert_eq!(entries.len(), 1);
        assert_eq!(fs::metadata(folder.file(SAMPLES_FILE)).expect("there").len(), 4);
        assert_eq!(journal.append(ended("on")).expect("written").seq, 2);
    }
    assert_eq!(read_journal(&folder.file(JOURNAL_FILE)).expect("read").torn_bytes, 0);
}

#[test]
fn damage_before_the_last_line_is_refused_with_its_line() {
    let (_out, folder) = folder();
    let path = folder.file(JOURNAL_FILE);
    let mut journal = Journal::create(&folder).expect("made");
    for text in ["one", "two", "three"] {
        journal.append(ended(text)).expect("written");
    }
    let text = fs::read_to_string(&path).expect("read");
    for (from, to) in [("two\"", "two"), ("\"seq\":2", "\"seq\":9"), ("growth-ended", "nonsense")] {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[1] = lines[1].replace(from, to);
        fs::write(&path, lines.join("\n") + "\n").expect("damaged");
        let error = read_journal(&path).expect_err("damaged").to_string();
        assert!(error.contains("line 2 of"), "{error}");
    }
}

#[test]
fn a_flipped_bit_is_noticed_wherever_it_is() {
    let (_out, folder) = folder();
    let path = folder.file(JOURNAL_FILE);
    let mut journal = Journal::create(&folder).expect("made");
    journal.append_trials([trial(7, 1)]).expect("written");
    journal.append(ended("on")).expect("written");
    let whole = fs::read(&path).expect("read");
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            let read = parse_journal(&path, &damaged);
            // A lost newline joins two lines, or leaves the last line torn.
            let torn = read.as_ref().is_ok_and(|read| read.torn_bytes > 0);
            assert!(read.is_err() || torn, "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn journals_without_checksums_are_read_and_gone_on_with() {
    let (_out, folder) = folder();
    let path = folder.file(JOURNAL_FILE);
    let mut journal = Journal::create(&folder).expect("made");
    journal.append(ended("one")).expect("written");
    drop(journal);
    let line = fs::read_to_string(&path).expect("read");
    let (before, _) = line.split_once(",\"sum\"").expect("a sum");
    fs::write(&path, format!("{before}}}\n")).expect("as older versions wrote it");
    let (mut journal, entries) = Journal::resume(&folder).expect("resumed");
    assert_eq!(entries.len(), 1);
    journal.append(ended("two")).expect("written");
    assert_eq!(read_journal(&path).expect("read").entries.len(), 2);
    let text = fs::read_to_string(&path).expect("read");
    let (before, _) = text.rsplit_once(",\"sum\"").expect("a sum");
    fs::write(&path, format!("{text}{}\n", before.lines().last().expect("a line")))
        .expect("written");
    assert!(read_journal(&path).is_err(), "what has no sum among those that have one");
}

#[test]
fn lost_samples_stay_lost() {
    let (_out, folder) = folder();
    let mut journal = Journal::create(&folder).expect("made");
    journal.append_trials([trial(7, 3)]).expect("written");
    drop(journal);
    fs::write(folder.file(SAMPLES_FILE), [0; 5]).expect("cut short");
    let (mut journal, _) = Journal::resume(&folder).expect("resumed");
    assert_eq!(journal.lost_samples(), 2);
    let entries = journal.append_trials([trial(8, 1)]).expect("written");
    let Event::Trial(next) = &entries[0].event else { panic!("a trial") };
    assert_eq!(next.samples_offset, 3);
    let samples = fs::read(folder.file(SAMPLES_FILE)).expect("read");
    let second = f32::from_le_bytes([samples[4], samples[5], samples[6], samples[7]]);
    assert!(samples.len() == 16 && second.is_nan());
}

#[test]
fn a_study_has_one_writer() {
    let (_out, folder) = folder();
    let first = Journal::create(&folder).expect("made");
    assert!(matches!(Journal::resume(&folder), Err(JournalError::Busy(_))));
    drop(first);
    assert!(Journal::resume(&folder).is_ok());
}

#[test]
fn a_full_disk_gives_one_sentence() {
    let full = Path::new("/dev/full");
    let mut file = Appended::open(full.to_owned()).expect("Linux has it");
    let error = file.append(b"line\n").expect_err("full").to_string();
    assert!(error.starts_with("cannot write `/dev/full`"), "{error}");
}

#[test]
fn growth_ends_for_the_reason_that_was_written_or_that_an_old_sentence_gives() {
    let end = |json: &str| serde_json::from_str::<Event>(json).expect("an event").growth_end();
    let old = |why: &str| end(&format!(r#"{{"event":"growth-ended","why":"{why}"}}"#));
    assert_eq!(old("49 s are spent; raise it with --time"), Some(GrowthEnd::OutOfTime));
    assert_eq!(old("the largest size was reached"), Some(GrowthEnd::NoLarger));
    let confirmed = r#"{"event":"growth-ended","why":"stood still","confirmed":true}"#;
    assert_eq!(end(confirmed), Some(GrowthEnd::Confirmed));
    let quoted = r#"{"event":"growth-ended","why":"unknown flag --time","by":"no-larger"}"#;
    assert_eq!(end(quoted), Some(GrowthEnd::NoLarger));
    for by in [GrowthEnd::Confirmed, GrowthEnd::OutOfTime, GrowthEnd::NoLarger] {
        let event = Event::GrowthEnded { why: String::new(), confirmed: false, by: Some(by) };
        assert_eq!(end(&serde_json::to_string(&event).expect("JSON")), Some(by));
    }
}
