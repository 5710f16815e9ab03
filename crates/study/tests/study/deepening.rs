//! Where time cuts the searches short, the size at the knee goes on, and all sizes try what it finds.

use std::collections::BTreeSet;

use records::{Event, JournalEntry, Named, Phase};

use crate::formula::{Formula, Work, concluded, exhaustive, plan};

fn device() -> Formula {
    Formula { work: Work::Matrices, compile: 0.4, noise: 0.01, ..Formula::default() }
}

/// The configurations that the search of a size tried, in order.
fn tried(entries: &[JournalEntry], size: u64) -> Vec<Named> {
    let trials = entries.iter().filter_map(|entry| match &entry.event {
        Event::Trial(event) => Some(&event.trial),
        _ => None,
    });
    let own = trials.filter(|trial| trial.size == size && trial.phase == Phase::Search);
    own.map(|trial| trial.configuration.clone()).collect()
}

#[test]
fn what_the_size_at_the_knee_finds_later_is_tried_at_all_sizes() {
    let (conclusion, entries) = concluded(&plan(24, 50.0), &mut device(), &[]);
    conclusion.expect("an answer");
    let ended = entries.iter().position(|e| matches!(e.event, Event::GrowthEnded { .. }));
    let (before, after) = entries.split_at(ended.expect("growth ends"));
    let sizes: BTreeSet<u64> = before
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::SizeClosed(closed) if closed.best.is_some() => Some(closed.size),
            _ => None,
        })
        .collect();
    // The first size that is closed again is the one that went on.
    let (deep, winner): (u64, &Named) = after
        .iter()
        .find_map(|entry| match &entry.event {
            Event::SizeClosed(closed) => Some((closed.size, &closed.best.as_ref()?.configuration)),
            _ => None,
        })
        .expect("a size goes on");
    let (first, further) = (tried(before, deep).len(), tried(after, deep).len());
    assert!(first < 24, "time cut the search at {deep} short: {first}");
    assert!((6..=24).contains(&further), "{further} more");
    for size in sizes {
        assert!(tried(&entries, size).contains(winner), "{winner} at {size}");
    }
}

#[test]
fn a_study_that_was_cut_while_a_size_goes_on_tries_the_same() {
    let plan = plan(24, 50.0);
    let (conclusion, entries) = concluded(&plan, &mut device(), &[]);
    let place = |is: fn(&Event) -> bool| entries.iter().rposition(|entry| is(&entry.event));
    let begin = place(|event| matches!(event, Event::GrowthEnded { .. })).expect("growth ends");
    let end = place(|event| matches!(event, Event::Refined { .. })).unwrap_or(entries.len());
    let sizes: BTreeSet<u64> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::SizeOpened(opened) => Some(opened.size),
            _ => None,
        })
        .collect();
    let best = conclusion.expect("an answer").chosen.best;
    let every = if exhaustive() { 1 } else { 5 };
    for cut in (begin..end).step_by(every) {
        let mut device = device();
        for entry in &entries[..cut] {
            if let Event::Trial(event) = &entry.event {
                device.compiled.insert(event.trial.configuration.key());
            }
        }
        let (again, resumed) = concluded(&plan, &mut device, &entries[..cut]);
        for size in &sizes {
            assert_eq!(tried(&resumed, *size), tried(&entries, *size), "cut at {cut}: {size}");
        }
        assert_eq!(again.expect("an answer").chosen.best, best, "cut at {cut}");
    }
}
