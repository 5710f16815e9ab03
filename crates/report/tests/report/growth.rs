//! Twice as many trials make at most twice as large files, and take at most twice the memory, in
//! journals and in every format. Pictures stay as small as they are.

use records::{Event, Journal, StudyFolder, StudyView, read_journal};
use report::exporters::{EXPORTERS, Options};

use crate::{
    counted::{counted, grows_linearly},
    study::{events, record, view},
};

/// A study of one size with many trials, each of another configuration.
fn study(trials: usize) -> StudyView {
    let all = events(&[4096]);
    let is_trial = |event: &&Event| matches!(event, Event::Trial(_));
    let tried: Vec<&Event> = all.iter().filter(is_trial).collect();
    let many = (0..trials).map(|at| {
        let mut event = tried[at % tried.len()].clone();
        if let Event::Trial(one) = &mut event {
            one.trial.configuration.0[0].1 = (at as i64).into();
            if let Some(measurement) = &mut one.trial.outcome.measurement {
                measurement.seconds.median *= 1.0 + (at * 7919 % 1000) as f64 / 100.0;
            }
        }
        event
    });
    let first = all.iter().position(|event| is_trial(&event)).expect("a trial");
    let before = all[..first].iter().cloned();
    let after = all[first..].iter().filter(|event| !is_trial(event)).cloned();
    view(before.chain(many).chain(after).collect())
}

#[test]
fn every_format_takes_twice_the_memory_for_twice_the_trials() {
    let record = record();
    let studies = [2_000, 4_000, 8_000].map(study);
    for exporter in EXPORTERS.iter() {
        let made = studies.each_ref().map(|view| {
            let export = || (exporter.export)(&record, view, &Options::default());
            let (files, counted) = counted(export);
            let bytes: usize = files.iter().flatten().map(|(_, bytes)| bytes.len()).sum();
            (counted, bytes, files.unwrap_or_default())
        });
        let [(once, ..), (twice, ..), (four, bytes, files)] = &made;
        grows_linearly(exporter.name, [*once, *twice, *four]);
        // Pictures are painted in a few MiB.
        assert!(four.peak < 4 * bytes + (64 << 20), "{}: {four:?}, {bytes} bytes", exporter.name);
        if !exporter.name.contains("plot") {
            assert!(four.peak < 6 * bytes + (4 << 20), "{}: {four:?}, {bytes}", exporter.name);
        }
        for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".svg")) {
            let marks = String::from_utf8_lossy(bytes).matches("<circle").count();
            assert!(marks <= 5_000, "{name}: {marks} marks");
            assert!(bytes.len() < 2 << 20, "{name}: {} bytes", bytes.len());
        }
    }
}

#[test]
fn a_journal_is_written_read_and_resumed_with_memory_that_grows_with_its_trials() {
    let out = tempfile::tempdir().expect("a folder");
    let begun = |trials: usize| {
        let view = study(trials);
        let name = trials.to_string();
        let folder = StudyFolder::create(out.path(), record().started, &name, "b", "c");
        let folder = folder.expect("a folder");
        let mut journal = Journal::create(&folder).expect("a journal");
        let all = view.trials.into_iter().map(|row| row.event.trial);
        let (entries, written) = counted(|| journal.append_trials(all).expect("written"));
        assert_eq!(entries.len(), trials);
        (folder, written)
    };
    let (folders, written): (Vec<StudyFolder>, Vec<_>) =
        [2_000, 4_000, 8_000].map(begun).into_iter().unzip();
    grows_linearly("write", [0, 1, 2].map(|at| written[at]));
    let read = |folder: &StudyFolder| {
        let path = folder.file(records::JOURNAL_FILE);
        let read = || StudyView::from_events(&read_journal(&path).expect("read").entries);
        let (view, counted) = counted(read);
        assert!(view.trials.len() >= 2_000);
        // The text, its entries, and the view.
        let bytes = std::fs::metadata(&path).expect("a file").len() as usize;
        assert!(counted.peak < 8 * bytes, "{counted:?} of {bytes} bytes");
        counted
    };
    grows_linearly("read", [0, 1, 2].map(|at| read(&folders[at])));
    let resume = |folder| counted(|| Journal::resume(folder).expect("resumed")).1;
    grows_linearly("resume", [0, 1, 2].map(|at| resume(&folders[at])));
}
