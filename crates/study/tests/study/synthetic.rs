//! Whole studies of a device with formula run times: the knee, rounds, budgets, resumed studies.

use std::collections::{BTreeMap, HashMap, HashSet};

use records::{Event, JournalEntry, Named, Phase, RoundsPurpose, Trial, TrialEvent};
use space::Value;

use crate::formula::{Formula, HALF, SMALL, SMALL_BLOCK, Work, exhaustive, plan, study};

#[test]
fn a_study_ends_with_a_confirmed_knee_its_interval_and_a_gain() {
    let (conclusion, entries) = study(&plan(24, 1e6), &mut Formula::default(), &[]);
    assert!(conclusion.knee, "{conclusion:?}");
    let knee = conclusion.findings[0].knee.expect("a knee");
    assert!((0.3..30.0).contains(&(knee / HALF)), "{knee}");
    let (low, high) = conclusion.findings[0].interval.expect("an interval");
    assert!(low <= knee && knee <= high && high / low < 2.0, "{low} {high}");
    assert_eq!(conclusion.findings[0].confidence, "settled", "{:?}", conclusion.findings[0]);
    assert!(conclusion.chosen.gain.is_some_and(|gain| gain > 1.05), "{:?}", conclusion.chosen);
    let sizes = entries.iter().filter_map(|e| match &e.event {
        Event::SizeOpened(opened) => Some(opened.size as f64),
        _ => None,
    });
    assert!(sizes.filter(|size| *size < knee).count() >= 4);
    assert!(conclusion.sizes < 30, "the device is 2^33 bytes large; it need not be filled");
}

/// Returns the last reported run time of a size's winner, in seconds.
fn seconds(entries: &[JournalEntry], size: u64) -> f64 {
    let closed = entries.iter().rev().find_map(|e| match &e.event {
        Event::SizeClosed(closed) if closed.size == size => closed.best.clone(),
        _ => None,
    });
    closed.expect("measured").seconds.median
}

#[test]
fn a_size_that_met_a_slow_machine_is_measured_with_all_others_in_rounds() {
    let (_, quiet) = study(&plan(24, 1e6), &mut Formula::default(), &[]);
    let mut sizes = quiet.iter().filter_map(|e| match &e.event {
        Event::SizeOpened(opened) => Some(opened.size),
        _ => None,
    });
    let slow = sizes.nth(6).expect("a size of the schedule");
    let met = || Formula { slow: Some((slow, 3.0)), ..Formula::default() };
    let (conclusion, entries) = study(&plan(24, 1e6), &mut met(), &[]);
    let usual = seconds(&quiet, slow);
    assert!((seconds(&entries, slow) / usual - 1.0).abs() < 0.1);
    assert!(conclusion.knee);
    let mut without = Formula { no_rounds: true, ..met() };
    let (_, entries) = study(&plan(24, 1e6), &mut without, &[]);
    assert!(seconds(&entries, slow) > 2.0 * usual, "nothing else would have seen it");
}

#[test]
fn rounds_that_others_took_much_of_count_by_their_weight() {
    let answer = |taken: f64| {
        let mut device = Formula { taken, ..Formula::default() };
        study(&plan(24, 60.0), &mut device, &[]).0.findings[0].clone()
    };
    let (calm, crowded) = (answer(0.05), answer(20.0));
    assert!(calm.confidence == "settled" && calm.probability >= Some(0.95), "{calm:?}");
    let apart = crowded.knee.expect("a knee") / calm.knee.expect("a knee");
    assert!((0.6..1.6).contains(&apart), "{crowded:?} {calm:?}");
}

#[test]
fn rounds_in_which_others_slowed_the_memory_down_do_not_count() {
    let answer = |shared: f64| {
        let mut device = Formula { shared, ..Formula::default() };
        study(&plan(12, 20.0), &mut device, &[]).0.findings[0].clone()
    };
    let (alone, slowed) = (answer(0.0), answer(6.0));
    assert_eq!([&alone, &slowed].map(|found| found.confidence.as_str()), ["settled"; 2]);
    let apart = slowed.knee.expect("a knee") / alone.knee.expect("a knee");
    assert!((0.6..1.6).contains(&apart), "{slowed:?} {alone:?}");
}

#[test]
fn where_there_are_no_rounds_finals_are_the_answer() {
    let mut device = Formula { no_rounds: true, ..Formula::default() };
    let (conclusion, entries) = study(&plan(24, 1e6), &mut device, &[]);
    assert!(conclusion.knee && conclusion.findings[0].rounds == 0, "{conclusion:?}");
    assert!(!entries.iter().any(|entry| matches!(entry.event, Event::Rounds(_))));
}

#[test]
fn every_round_has_every_size_once_in_an_order_of_its_own() {
    let (_, entries) = study(&plan(8, 1e6), &mut Formula::default(), &[]);
    let events: Vec<_> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Rounds(event) if event.purpose == RoundsPurpose::Answer => Some(event),
            _ => None,
        })
        .collect();
    let mut next = 1;
    let mut orders = Vec::new();
    for event in &events {
        assert_eq!(event.first, next);
        next += event.rounds.len() as u64;
        for round in &event.rounds {
            let order: Vec<usize> = round.samples.iter().map(|sample| sample.0).collect();
            let mut once = order.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), order.len(), "nobody twice");
            orders.push(order);
        }
    }
    assert!(next > 30);
    let same = orders.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert_eq!(same, 0, "orders are drawn anew");
}

/// Returns the trials of searches after their sizes had closed: winners of other sizes.
fn lent(entries: &[JournalEntry]) -> Vec<&Trial> {
    let mut closed = HashSet::new();
    let mut found = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::SizeClosed(of) => drop(closed.insert(of.size)),
            Event::Trial(TrialEvent { trial, .. })
                if trial.phase == Phase::Search && closed.contains(&trial.size) =>
            {
                found.push(trial);
            }
            _ => {}
        }
    }
    found
}

#[test]
fn what_wins_at_most_sizes_was_tried_at_all_of_them() {
    // Searches are short, so early sizes find less than later ones, which start from their best.
    let mut device = Formula { no_rounds: true, ..Formula::default() };
    let (_, entries) = study(&plan(3, 1e6), &mut device, &[]);
    assert!(!lent(&entries).is_empty());
    let trials = || {
        entries.iter().filter_map(|e| match &e.event {
            Event::Trial(event) => Some(&event.trial),
            _ => None,
        })
    };
    let mut winners = BTreeMap::new();
    for entry in &entries {
        if let Event::SizeClosed(closed) = &entry.event {
            winners.insert(closed.size, closed.best.clone().expect("measured").configuration);
        }
    }
    let wins = |name: &Named| winners.values().filter(|winner| *winner == name).count();
    let most = winners.values().max_by_key(|name| wins(name)).expect("winners");
    for size in winners.keys() {
        let here = |trial: &Trial| trial.size == *size && trial.configuration == *most;
        assert!(trials().any(here), "{most} was never tried at {size}");
    }
}

#[test]
fn no_size_is_lent_what_its_space_does_not_hold() {
    let mut device = Formula { work: Work::Blocks, no_rounds: true, ..Formula::default() };
    let (_, entries) = study(&plan(3, 1e6), &mut device, &[]);
    let names = lent(&entries);
    let names = names.iter().map(|trial| (trial.size, trial.configuration.get("block").cloned()));
    let holds =
        |block: &Option<Value>| matches!(block, Some(Value::Int(block)) if *block <= SMALL_BLOCK);
    let small: Vec<_> = names.filter(|(size, _)| *size < SMALL).collect();
    assert!(!small.is_empty() && small.iter().all(|(_, block)| holds(block)), "{small:?}");
}

#[test]
fn sizes_that_cost_more_than_is_left_are_not_begun() {
    let mut device = Formula { charge: 1e-4, ..Formula::default() };
    let (conclusion, _) = study(&plan(24, 100.0), &mut device, &[]);
    let why = conclusion.why_ended.expect("growth ended");
    assert!(why.contains("--time"), "{why}");
    assert!(!conclusion.confirmed, "time was too short for larger sizes");
}

#[test]
fn kernels_that_compile_slowly_leave_time_for_rounds() {
    for compile in [0.0, 0.5, 1.0, 2.0] {
        let mut device = Formula { compile, ..Formula::default() };
        let (_, entries) = study(&plan(8, 50.0), &mut device, &[]);
        let rounds = entries.iter().filter_map(|entry| match &entry.event {
            Event::Rounds(event) if event.purpose == RoundsPurpose::Answer => {
                Some(event.rounds.len())
            }
            _ => None,
        });
        let rounds: usize = rounds.sum();
        assert!(rounds >= 100, "{compile}: {rounds} rounds");
    }
}

#[test]
fn a_study_that_was_cut_anywhere_ends_like_one_that_was_not() {
    let plan_of = |seconds| {
        let mut plan = plan(8, seconds);
        // This test compares answers, so few resamples are enough.
        plan.detector_settings.resamples = 40;
        plan
    };
    // If kernels compile slowly, there is no time to try winners of other sizes.
    for (seconds, compile) in [(1e6, 0.0), (20.0, 1.0)] {
        let plan = plan_of(seconds);
        let device = || Formula { compile, ..Formula::default() };
        let (whole, entries) = study(&plan, &mut device(), &[]);
        // Whether the cut separates trials that were measured together.
        let together = |at: usize| match (&entries[at - 1].event, &entries[at].event) {
            (Event::Trial(a), Event::Trial(b)) => {
                let phase = a.trial.phase;
                phase == b.trial.phase && phase.is_contest()
            }
            _ => false,
        };
        let out_of_time: HashSet<u64> = entries
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::SizeClosed(closed) => {
                    closed.why.contains("seconds were spent").then_some(closed.size)
                }
                _ => None,
            })
            .collect();
        // Whether the cut separates kernels that were compiled together when time was out: what is
        // compiled is still measured, and a resumed study does not know of it.
        let compiled_together = |at: usize| match (&entries[at - 1].event, &entries[at].event) {
            (Event::Trial(a), Event::Trial(b)) => {
                let (a, b) = (&a.trial, &b.trial);
                let search = a.phase == Phase::Search && b.phase == Phase::Search;
                search && a.size == b.size && out_of_time.contains(&a.size)
            }
            _ => false,
        };
        let mut places = 0;
        for cut in 1..entries.len() {
            if cut % 4 > 0 || compiled_together(cut) {
                continue;
            }
            places += 1;
            if places % 3 > 0 && !exhaustive() {
                continue;
            }
            // Before the cut, the device has compiled and measured these trials.
            let mut device = device();
            for entry in &entries[..cut] {
                let Event::Trial(TrialEvent { trial, .. }) = &entry.event else { continue };
                device.compiled.insert(trial.configuration.key());
                if trial.phase == Phase::Final {
                    device.asked.insert((trial.size, "final", String::new()), 1);
                }
            }
            let (conclusion, resumed) = study(&plan, &mut device, &entries[..cut]);
            assert_eq!(conclusion.chosen, whole.chosen, "cut at {cut}");
            let differs = resumed.iter().zip(&entries).position(|(a, b)| a.event != b.event);
            let same = differs.is_none() && resumed.len() == entries.len();
            assert!(same || together(cut), "cut at {cut}, differs at {differs:?}");
            assert_measured_once(&resumed, cut);
        }
    }
}

/// Checks that nothing is measured twice in the same phase until its size closes.
fn assert_measured_once(entries: &[JournalEntry], cut: usize) {
    let mut seen = HashSet::new();
    let mut closings: HashMap<u64, usize> = HashMap::new();
    for entry in entries {
        match &entry.event {
            Event::SizeClosed(closed) => *closings.entry(closed.size).or_default() += 1,
            Event::Trial(TrialEvent { trial, .. }) => {
                let closings = closings.get(&trial.size).copied().unwrap_or_default();
                let key = (trial.size, trial.phase, trial.configuration.key(), closings);
                assert!(seen.insert(key.clone()), "cut at {cut}: {key:?} is measured twice");
            }
            _ => {}
        }
    }
}
