//! Whole studies with settings that adapt to measurements: strides over the ladder, the least run
//! time, and detectors that confirm each other.

use records::{
    Event, GrowthEnd, JournalEntry, Purpose,
    settings::{FixedOrAuto, StudySettings},
};
use study::{Conclusion, Plan};

use crate::formula::{Formula, Work, plan_with, study};

const WORKS: [Work; 5] = [Work::Vector, Work::Launches, Work::Roof, Work::Matrices, Work::Hump];

fn of(work: Work) -> Formula {
    Formula { work, ..Formula::default() }
}

/// Returns a plan with small searches, and time for growth and some hundred rounds.
fn planned(change: impl FnOnce(&mut StudySettings)) -> Plan {
    plan_with(3, 60.0, change)
}

fn strided(settings: &mut StudySettings) {
    settings.sizes.factor = FixedOrAuto::Auto;
}

/// Returns the sizes opened for a purpose, in order.
fn opened(entries: &[JournalEntry], purpose: Purpose) -> Vec<u64> {
    let of = |entry: &JournalEntry| match &entry.event {
        Event::SizeOpened(opened) if opened.purpose == purpose => Some(opened.size),
        _ => None,
    };
    entries.iter().filter_map(of).collect()
}

fn growth_end(entries: &[JournalEntry]) -> Option<GrowthEnd> {
    entries.iter().find_map(|entry| entry.event.growth_end())
}

fn knee(conclusion: &Conclusion) -> f64 {
    assert!(conclusion.knee, "{conclusion:?}");
    conclusion.chosen.size as f64
}

#[test]
fn strides_find_the_same_knee_within_a_step_in_fewer_sizes_which_are_rungs() {
    for work in WORKS {
        let (plain, all) = study(&planned(|_| ()), &mut of(work), &[]);
        let (conclusion, some) = study(&planned(strided), &mut of(work), &[]);
        let at = knee(&conclusion);
        let steps = |size: u64| (size as f64 / at).ln().abs() / 1.5_f64.ln();
        assert!(steps(plain.chosen.size) < 1.1, "{work:?}: {at} and {}", plain.chosen.size);
        assert!(conclusion.confirmed && plain.confirmed, "{work:?}");

        let (rungs, sizes) = (opened(&all, Purpose::Growth), opened(&some, Purpose::Growth));
        let fewer = rungs.len() as f64 - sizes.len() as f64;
        let least = if work == Work::Matrices { 0.0 } else { 2.0 };
        assert!(fewer >= least, "{work:?}: {rungs:?} {sizes:?}");

        let end = rungs.last().copied().expect("sizes");
        assert!(sizes.iter().all(|size| *size > end || rungs.contains(size)), "{work:?} {sizes:?}");
        let mut largest = 0;
        for size in &sizes {
            assert!(*size > largest || steps(*size) < 3.1, "{work:?}: {size} in {sizes:?}");
            largest = largest.max(*size);
        }
        let mut once = sizes;
        once.sort_unstable();
        let before = once.len();
        once.dedup();
        assert_eq!(once.len(), before, "{work:?}: none is measured twice");
        assert!(once.windows(2).all(|pair| pair[1] as f64 <= 4.0 * pair[0] as f64), "{once:?}");
        let beside = once.iter().filter(|size| steps(**size) < 2.2).count();
        assert!(beside >= 4, "{work:?}: the knee keeps its resolution, {once:?}");
    }
}

#[test]
fn the_largest_size_that_was_asked_for_is_visited_and_never_passed() {
    for largest in [5_000, 300_000] {
        let plan = planned(|settings| {
            strided(settings);
            settings.sizes.largest = Some(largest);
            settings.sizes.min_run_seconds = FixedOrAuto::Fixed(1e3);
        });
        let (_, entries) = study(&plan, &mut of(Work::Vector), &[]);
        let sizes = opened(&entries, Purpose::Growth);
        assert_eq!(growth_end(&entries), Some(GrowthEnd::NoLarger));
        let last = *sizes.iter().max().expect("sizes");
        assert!(last <= largest && last * 3 / 2 + 1 >= largest, "{last} of {largest}");
    }
}

#[test]
fn a_least_run_time_that_follows_launches_ends_growth_sooner_where_they_are_short() {
    let (fixed, all) = study(&planned(|_| ()), &mut of(Work::Roof), &[]);
    let plan = planned(|settings| settings.sizes.min_run_seconds = FixedOrAuto::Auto);
    let (auto, some) = study(&plan, &mut of(Work::Roof), &[]);
    let ratio = knee(&auto) / knee(&fixed);
    assert!((1.0 / 1.51..1.51).contains(&ratio), "{ratio}");
    let longest = |entries: &[JournalEntry]| {
        opened(entries, Purpose::Growth).into_iter().max().expect("sizes") as f64 / 1e9
    };
    assert!(longest(&all) >= 0.9e-3, "a millisecond");
    assert!((27e-6..300e-6).contains(&longest(&some)), "ten launches of 3 µs: {}", longest(&some));
}

#[test]
fn a_proposal_that_others_confirm_is_settled_and_names_them() {
    let plan = planned(|settings| settings.knee.confirm_by = vec!["triangle".to_owned()]);
    let (conclusion, entries) = study(&plan, &mut of(Work::Vector), &[]);
    let (plain, _) = study(&planned(|_| ()), &mut of(Work::Vector), &[]);
    assert_eq!(conclusion.chosen.size, plain.chosen.size);
    assert_eq!(conclusion.findings.len(), 2);
    assert_eq!(conclusion.findings[0].confirmed_by, ["triangle"]);
    assert_eq!(conclusion.findings[0].confidence, "settled", "{:?}", conclusion.findings[0]);
    let why = entries.iter().find_map(|entry| match &entry.event {
        Event::GrowthEnded { why, confirmed: true, .. } => Some(why.as_str()),
        _ => None,
    });
    assert_eq!(why, Some("larger sizes left the knee where it was, confirmed by triangle"));
}

#[test]
fn where_nobody_confirms_sizes_grow_to_the_largest_and_the_answer_is_weak() {
    let plan = planned(|settings| {
        // Hockney's model bends more gently than this device, so it does not confirm.
        settings.knee.confirm_by = vec!["hockney".to_owned()];
        settings.sizes.largest = Some(1_000_000);
    });
    let (conclusion, entries) = study(&plan, &mut of(Work::Roof), &[]);
    assert_eq!(growth_end(&entries), Some(GrowthEnd::NoLarger));
    let first = &conclusion.findings[0];
    assert!(conclusion.knee && first.confirmed_by.is_empty(), "{conclusion:?}");
    assert_eq!(first.confidence, "weak");
    assert!(first.against.iter().any(|why| why.starts_with("hockney, which should")), "{first:?}");
}

#[test]
fn a_study_with_strides_that_was_cut_anywhere_takes_the_same_sizes() {
    let plan = planned(|settings| {
        strided(settings);
        settings.sizes.min_run_seconds = FixedOrAuto::Auto;
        settings.knee.confirm_by = vec!["triangle".to_owned()];
    });
    let (whole, entries) = study(&plan, &mut of(Work::Roof), &[]);
    let sizes = |entries: &[JournalEntry]| {
        (opened(entries, Purpose::Growth), opened(entries, Purpose::Refinement))
    };
    let is_decision = |entry: &JournalEntry| {
        matches!(
            entry.event,
            Event::SizeOpened(_)
                | Event::SizeClosed(_)
                | Event::Rounds(_)
                | Event::GrowthEnded { .. }
                | Event::Refined { .. }
        )
    };
    let grown = entries.iter().position(|entry| entry.event.growth_end().is_some());
    let mut cuts = 0;
    for cut in 1..=grown.expect("growth ends") + 1 {
        if !is_decision(&entries[cut - 1]) {
            continue;
        }
        cuts += 1;
        if cuts % 5 > 0 {
            continue;
        }
        let (resumed, again) = study(&plan, &mut of(Work::Roof), &entries[..cut]);
        assert_eq!(sizes(&again), sizes(&entries), "cut at {cut}");
        assert_eq!(resumed.chosen.size, whole.chosen.size, "cut at {cut}");
    }
    assert!(cuts > 20, "{cuts}");
}

#[test]
fn a_study_that_ran_out_of_time_for_larger_sizes_is_resumed_without_any() {
    let plan = plan_with(6, 100.0, |settings| {
        settings.sizes.min_run_seconds = FixedOrAuto::Fixed(1e3);
    });
    let device = || Formula { charge: 1e-6, ..of(Work::Vector) };
    let (_, entries) = study(&plan, &mut device(), &[]);
    assert_eq!(growth_end(&entries), Some(GrowthEnd::OutOfTime));
    let refined = |entry: &JournalEntry| matches!(entry.event, Event::Refined { .. });
    assert!(entries.iter().any(refined), "sizes around the knee are added");
    let last = |entry: &JournalEntry| matches!(entry.event, Event::SizeOpened(_));
    let cut = entries.iter().rposition(last).expect("sizes") + 1;
    let (_, again) = study(&plan, &mut device(), &entries[..cut]);
    assert_eq!(opened(&again, Purpose::Growth), opened(&entries, Purpose::Growth));
}
