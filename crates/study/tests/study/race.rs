//! Studies whose rounds do not confirm the winners of the searches.

use std::collections::BTreeMap;

use records::{Event, Gain, JournalEntry, Named, SizeClosed, StudyView, settings::Goal};
use space::Value;
use study::StudyFault;

use crate::formula::{
    Broken, Formula, concluded, default, exhaustive, plan, plan_with, sound, study,
};

/// Returns the last closing event of every size.
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
fn a_candidate_that_outruns_the_winner_in_rounds_is_the_best() {
    let other = Named(vec![("block".into(), Value::Int(64)), ("unroll".into(), Value::Int(4))]);
    let device = || Formula { swift: Some((other.clone(), 1.3)), ..Formula::default() };
    let (conclusion, entries) = study(&plan(64, 1e6), &mut device(), &[]);
    let taken_over =
        |closed: &&SizeClosed| closed.why.contains("another candidate was faster in rounds");
    let all = closed(&entries);
    let new: Vec<&SizeClosed> = all.iter().filter(taken_over).collect();
    assert!(new.len() * 2 > all.len(), "{} of {}", new.len(), all.len());
    for closed in new {
        let best = closed.best.as_ref().expect("measured");
        assert_eq!(best.configuration, other, "size {}: {}", closed.size, closed.why);
        assert!(closed.gain.is_some_and(|gain| gain > 1.3), "{closed:?}");
        let speed = best.metric.as_ref().expect("a rate").value;
        assert!((speed * best.seconds.median / closed.size as f64 - 1.0).abs() < 1e-6, "{best:?}");
    }
    assert!(conclusion.knee, "{conclusion:?}");
    // Killed at any moment after the first rounds, the study ends the same.
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

/// Any subset of the configurations fails in finals, checks or rounds, by any status.
#[test]
fn whatever_fails_at_any_stage_the_best_of_the_rest_is_the_answer() {
    let count = if exhaustive() { 200 } else { 28 };
    for seed in 0..count {
        let percent = [30, 60, 90, 97][seed as usize % 4];
        let broken = Broken { seed, percent };
        let no_rounds = seed % 5 == 4;
        let mut device = Formula { broken, no_rounds, ..Formula::default() };
        let plan = plan_with(24, 1e6, |settings| {
            if seed % 3 == 2 {
                settings.goal = Goal::Tune;
            }
        });
        let (conclusion, entries) = concluded(&plan, &mut device, &[]);
        let mut valid = false;
        for closed in closed(&entries) {
            let at = format!("{broken:?}, size {}: {}", closed.size, closed.why);
            let rest = sound(&entries, closed.size);
            valid |= !rest.is_empty();
            let Some(best) = &closed.best else {
                assert!(rest.is_empty(), "{at}: a valid answer was lost");
                continue;
            };
            assert!(rest.contains(&&best.configuration), "{at}: {best:?}");
            let times = |name: &Named| device.seconds(closed.size, name);
            let least = rest.into_iter().map(times).fold(f64::MAX, f64::min);
            assert!(times(&best.configuration) < 1.05 * least, "{at}: {best:?}");
        }
        match conclusion {
            Ok(conclusion) => assert!(conclusion.chosen.best.is_some(), "{broken:?}"),
            Err(StudyFault::NothingValid(why)) => assert!(!valid, "{broken:?}: {why}"),
            Err(fault) => panic!("{broken:?}: {fault}"),
        }
    }
}

/// Returns how often sizes exchanged their memory.
fn moves(entries: &[JournalEntry]) -> u64 {
    let moved = |e: &&JournalEntry| matches!(&e.event, Event::Rounds(rounds) if rounds.moved);
    entries.iter().filter(moved).count() as u64
}

#[test]
fn what_memory_does_to_single_sizes_averages_out() {
    let speeds = |entries: &[JournalEntry]| -> BTreeMap<u64, f64> {
        let speed = |of: SizeClosed| Some((of.size, of.best?.metric?.value.ln()));
        closed(entries).into_iter().filter_map(speed).collect()
    };
    let (_, entries) = study(&plan(24, 1e6), &mut Formula::default(), &[]);
    let usual = speeds(&entries);
    let device = |moves| Formula { memory: 0.03, moves, ..Formula::default() };
    let (conclusion, entries) = study(&plan(24, 1e6), &mut device(0), &[]);
    assert!(moves(&entries) >= 4, "{} moves", moves(&entries));
    let found = speeds(&entries);
    let apart = found.iter().filter_map(|(size, own)| Some(own - usual.get(size)?));
    let apart = math::standard_deviation(&apart.collect::<Vec<f64>>());
    assert!(apart < 0.02, "sizes are {apart} apart");
    // Killed at any moment, the study ends the same.
    let first = entries.iter().position(|e| matches!(e.event, Event::Rounds(_))).expect("rounds");
    for cut in (first..entries.len()).step_by(17) {
        let so_far = &entries[..cut];
        let (again, all) = study(&plan(24, 1e6), &mut device(moves(so_far)), so_far);
        assert_eq!(moves(&all), moves(&entries), "cut at {cut}");
        assert_eq!(again.chosen.best, conclusion.chosen.best, "cut at {cut}");
    }
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
