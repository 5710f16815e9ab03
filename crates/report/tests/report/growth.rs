//! Twice as many trials make at most twice as large files, and take at most twice the memory. Pictures
//! stay as small as they are.

use records::{Event, StudyView};
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
