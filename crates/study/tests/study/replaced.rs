//! Studies whose rounds do not confirm the winners of the searches.

use records::{Event, Gain, JournalEntry, Named, SizeClosed, StudyView};
use space::Value;

use crate::formula::{Formula, default, plan, plan_with, study};

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

/// Returns the sizes whose buffers were moved to other memory, one entry per move.
fn with_other_memory(entries: &[JournalEntry]) -> Vec<u64> {
    let mut sizes = Vec::new();
    for entry in entries {
        if let Event::Rounds(rounds) = &entry.event {
            let mut own: Vec<u64> =
                rounds.entries.iter().filter(|of| of.anew).map(|of| of.size).collect();
            own.dedup();
            sizes.extend(own);
        }
    }
    sizes
}

#[test]
fn a_size_whose_memory_is_slow_has_other_memory_once_and_its_figure_is_of_that() {
    let (usual, entries) = study(&plan(24, 1e6), &mut Formula::default(), &[]);
    assert_eq!(with_other_memory(&entries), [0_u64; 0]);
    let sizes: Vec<u64> = closed(&entries).iter().map(|closed| closed.size).collect();
    let size = sizes[sizes.len() / 2];
    let device = || Formula { lies_badly: Some((size, 1.12)), ..Formula::default() };
    let (conclusion, entries) = study(&plan(24, 1e6), &mut device(), &[]);
    assert_eq!(with_other_memory(&entries), [size]);
    assert_eq!(
        conclusion.chosen.best.as_ref().map(|best| &best.configuration),
        usual.chosen.best.as_ref().map(|best| &best.configuration)
    );
    let speed = |entries: &[JournalEntry], size| {
        let closed = closed(entries);
        let of = closed.iter().find(|closed| closed.size == size).expect("a size");
        let best = of.best.as_ref().expect("measured");
        best.metric.as_ref().expect("a rate").value
    };
    let at = sizes.iter().position(|of| *of == size).expect("a size");
    let [before, own, behind] =
        [sizes[at - 1], size, sizes[at + 1]].map(|size| speed(&entries, size));
    assert!(before < own && own < behind, "{before} {own} {behind}");
    // Killed before or after the move, the study ends the same.
    let begins_anew = |e: &JournalEntry| !with_other_memory(std::slice::from_ref(e)).is_empty();
    let at = entries.iter().position(begins_anew).expect("it had other memory");
    for cut in [at, at + 1, entries.len() - 1] {
        let better = Formula { lies_badly: device().lies_badly.filter(|_| cut <= at), ..device() };
        let (again, all) = study(&plan(24, 1e6), &mut { better }, &entries[..cut]);
        assert_eq!(with_other_memory(&all), [size], "cut at {cut}");
        assert_eq!(again.chosen.best, conclusion.chosen.best, "cut at {cut}");
    }
}

#[test]
fn rounds_of_the_answer_before_a_size_had_other_memory_do_not_count_there() {
    let plan = plan_with(24, 1e6, |settings| settings.without.refinement = true);
    let (_, entries) = study(&plan, &mut Formula::default(), &[]);
    let sizes: Vec<u64> = closed(&entries).iter().map(|closed| closed.size).collect();
    let size = sizes[sizes.len() / 2];
    // Slow enough that even a tenth of the rounds would show it.
    let mut device = Formula { lies_badly: Some((size, 3.0)), ..Formula::default() };
    let (_, entries) = study(&plan, &mut device, &[]);
    assert_eq!(with_other_memory(&entries), [size]);
    let all = closed(&entries);
    let of = |size: u64| all.iter().find(|closed| closed.size == size).expect("a size");
    let neighbour = sizes[sizes.len() / 2 - 1];
    assert!(of(size).rounds < of(neighbour).rounds, "{} rounds", of(size).rounds);
    let best = of(size).best.as_ref().expect("measured");
    assert!(best.seconds.maximum < 2.0 * best.seconds.median, "{best:?}");
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
