//! Reports of studies whose rounds do not uphold their searches' winners.

use crate::study_formula::{Formula, default, plan, study};
use autobench::{
    records::{Event, Gain, JournalEntry, Named, SizeClosed, StudyView},
    space::Value,
};

/// The last closing event of every size.
fn closed(entries: &[JournalEntry]) -> Vec<SizeClosed> {
    let view = StudyView::from_events(entries);
    view.sizes.into_iter().filter_map(|point| point.closed).collect()
}

#[test]
fn a_default_that_outruns_the_winner_in_rounds_is_the_best() {
    let mut device = Formula { winners: Some((2.0, false)), ..Formula::default() };
    let (conclusion, entries) = study(&plan(24, 1e6), &mut device, &[]);
    assert_eq!(conclusion.chosen.gained(), Gain::Default, "{conclusion:?}");
    for closed in closed(&entries) {
        let best = closed.best.as_ref().expect("measured");
        assert_eq!(best.configuration, default(), "size {}: {}", closed.size, closed.why);
        assert!(closed.rounds > 0 && closed.why.contains("the default was faster in rounds"));
        assert!(closed.gain.is_some_and(|gain| (gain - 1.0).abs() < 1e-12), "{closed:?}");
    }
}

#[test]
fn a_rival_that_outruns_the_winner_in_rounds_is_the_best() {
    let rival = Named(vec![("block".into(), Value::Int(64)), ("unroll".into(), Value::Int(4))]);
    let device = || Formula { swift: Some((rival.clone(), 1.3)), ..Formula::default() };
    let (conclusion, entries) = study(&plan(64, 1e6), &mut device(), &[]);
    let taken_over = |closed: &&SizeClosed| closed.why.contains("a rival was faster in rounds");
    let all = closed(&entries);
    let new: Vec<&SizeClosed> = all.iter().filter(taken_over).collect();
    assert!(new.len() * 2 > all.len(), "{} of {}", new.len(), all.len());
    for closed in new {
        let best = closed.best.as_ref().expect("measured");
        assert_eq!(best.configuration, rival, "size {}: {}", closed.size, closed.why);
        assert!(closed.gain.is_some_and(|gain| gain > 1.3), "{closed:?}");
        let speed = best.metric.as_ref().expect("a rate").value;
        assert!((speed * best.seconds.median / closed.size as f64 - 1.0).abs() < 1e-6, "{best:?}");
    }
    assert!(conclusion.knee, "{conclusion:?}");
    // Killed at any moment after the first rounds, it ends the same.
    let first = entries.iter().position(|e| matches!(e.event, Event::Rounds(_))).expect("rounds");
    for cut in [first + 1, first + 3, entries.len() - 1] {
        let (again, _) = study(&plan(64, 1e6), &mut device(), &entries[..cut]);
        assert_eq!(again.chosen.best, conclusion.chosen.best, "cut at {cut}");
    }
}

#[test]
fn a_winner_that_fails_in_rounds_is_not_the_best() {
    let mut device = Formula { winners: Some((1.0, true)), ..Formula::default() };
    let (conclusion, entries) = study(&plan(24, 1e6), &mut device, &[]);
    let smallest = &closed(&entries)[0];
    let best = smallest.best.as_ref().expect("the default held");
    assert_eq!(best.configuration, default(), "{}", smallest.why);
    assert!(smallest.why.contains("the best failed in rounds: c[0] is 7"), "{}", smallest.why);
    assert!(conclusion.chosen.gain.is_some_and(|gain| gain > 1.05), "{conclusion:?}");
}

#[test]
fn what_rounds_uphold_stays() {
    let (conclusion, entries) = study(&plan(24, 1e6), &mut Formula::default(), &[]);
    let upheld =
        |e: &&JournalEntry| matches!(&e.event, Event::SizeClosed(c) if c.why.contains("rounds"));
    assert_eq!(entries.iter().filter(upheld).count(), 0);
    assert!(matches!(conclusion.chosen.gained(), Gain::Significant { .. }), "{conclusion:?}");
}

#[test]
fn a_study_that_was_cut_after_its_rounds_upholds_the_same() {
    let device = || Formula { winners: Some((2.0, false)), ..Formula::default() };
    let (whole, entries) = study(&plan(8, 1e6), &mut device(), &[]);
    let last = entries.iter().rposition(|e| matches!(e.event, Event::Rounds(_))).expect("rounds");
    for cut in [last + 1, last + 2, last + 5, entries.len() - 1] {
        let (again, _) = study(&plan(8, 1e6), &mut device(), &entries[..cut]);
        assert_eq!(again.chosen, whole.chosen, "cut at {cut}");
    }
}
