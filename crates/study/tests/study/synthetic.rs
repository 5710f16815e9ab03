//! Whole studies of a device that is a formula: the knee, rounds, budgets, and resumed studies.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::Utc;
use records::{
    Event, JournalEntry, KneeFinding, Named, Pace, Phase, RoundsPurpose, Trial, TrialEvent,
};
use space::Value;

use crate::formula::{
    COPY, Formula, HALF, SMALL, SMALL_BLOCK, Work, default, plan, plan_with, study,
};

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

/// The last figures of a size's winner.
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
fn an_answer_of_rounds_that_others_took_much_of_is_weak() {
    for (taken, confidence) in [(0.05, "settled"), (20.0, "weak")] {
        let mut device = Formula { taken, ..Formula::default() };
        // In case the others leave, all of the time is taken.
        let (conclusion, _) = study(&plan(24, 60.0), &mut device, &[]);
        let answer = &conclusion.findings[0];
        assert!(answer.knee.is_some() && answer.confidence == confidence, "{answer:?}");
        let said = answer.against.iter().any(|why| why.starts_with("others took "));
        assert_eq!(said, taken > 1.0, "{answer:?}");
    }
}

/// The answer of a study that may wait, the seconds of its rounds, and its journal.
fn waiting(
    shared: f64,
    overtime: Option<f64>,
    from: &[JournalEntry],
) -> (KneeFinding, f64, Vec<JournalEntry>) {
    let plan = plan_with(12, 20.0, |settings| settings.budget.overtime = overtime);
    let mut device = Formula { shared, ..Formula::default() };
    let (conclusion, entries) = study(&plan, &mut device, from);
    (conclusion.findings[0].clone(), device.in_rounds, entries)
}

#[test]
fn a_study_that_was_cut_after_its_rounds_takes_no_more_of_them() {
    let pace = Pace { seconds: COPY, studies: 4, ..Pace::default() };
    let known = [JournalEntry { seq: 1, utc: Utc::now(), event: Event::Pace(pace) }];
    let (whole, _, entries) = waiting(1e6, Some(4.0), &known);
    let is_answer = |entry: &JournalEntry| matches!(&entry.event, Event::Rounds(event) if event.purpose == RoundsPurpose::Answer);
    let last = entries.iter().rposition(is_answer).expect("rounds");
    // In a machine that is slow for good, more time would be waited for.
    for kept in (last + 2..entries.len()).step_by(9) {
        let (again, seconds, _) = waiting(1e6, Some(60.0), &entries[..kept]);
        assert_eq!((&again, seconds), (&whole, 0.0), "cut at {kept} of {}", entries.len());
    }
}

#[test]
fn rounds_go_on_until_others_leave_the_memory_that_was_faster_before() {
    let known = |studies: u64| {
        let pace = Pace { seconds: COPY, studies, ..Pace::default() };
        vec![JournalEntry { seq: 1, utc: Utc::now(), event: Event::Pace(pace) }]
    };
    let answer = |shared: f64, overtime: Option<f64>, from: &[JournalEntry]| {
        let (finding, seconds, _) = waiting(shared, overtime, from);
        (finding, seconds)
    };
    let (alone, seconds_alone) = answer(0.0, Some(30.0), &known(4));
    assert!(alone.confidence == "settled" && seconds_alone < 20.0, "{seconds_alone} {alone:?}");
    let (left, seconds) = answer(25.0, Some(30.0), &known(4));
    assert!(
        (25.0..45.0).contains(&seconds),
        "not before they leave, and not to the end: {seconds}"
    );
    let apart = left.knee.expect("a knee") / alone.knee.expect("a knee");
    assert!(left.confidence == "settled" && (0.6..1.6).contains(&apart), "{left:?} {alone:?}");
    // What the rounds before they left say by themselves is told beside it.
    let slower = left.when_slower.expect("a knee");
    assert!(alone.when_slower.is_none(), "{alone:?}");
    let (stayed, _) = answer(1e6, None, &known(4));
    let apart = slower.knee / stayed.knee.expect("a knee");
    assert!((0.7..1.5).contains(&apart), "{slower:?} {stayed:?} {left:?}");
    for (overtime, least, most) in [(None, 0.0, 20.0), (Some(30.0), 35.0, 51.0)] {
        let (stayed, seconds) = answer(1e6, overtime, &known(4));
        assert!((least..most).contains(&seconds), "{seconds}");
        let said = stayed.against.iter().any(|why| why.contains("1.5 times slower than"));
        assert!(stayed.confidence == "weak" && said, "{stayed:?}");
    }
    // One that met it as slow a short while ago has waited in vain.
    let mut lately = known(4);
    let Event::Pace(pace) = &mut lately[0].event else { panic!("a pace") };
    pace.lately = Some(1.5 * COPY);
    let (stayed, seconds) = answer(1e6, Some(30.0), &lately);
    assert!(stayed.confidence == "weak" && seconds < 21.0, "{seconds} {stayed:?}");
    // Of a machine that may be faster nothing is known at first: it is watched for as long.
    let (first, seconds) = answer(1e6, Some(30.0), &known(0));
    assert!(first.confidence == "settled" && seconds > 35.0, "{seconds} {first:?}");
    let (_, seconds) = answer(1e6, Some(30.0), &[]);
    assert!(seconds < 20.0, "a machine of its own: {seconds}");
}

#[test]
fn a_knee_that_few_fast_rounds_do_not_settle_takes_more_of_them() {
    let crowded = |shared: f64, overtime: f64, taken: f64| {
        let plan = plan_with(12, 20.0, |settings| settings.budget.overtime = Some(overtime));
        let mut device = Formula { shared, taken, noise: 0.25, ..Formula::default() };
        let (conclusion, _) = study(&plan, &mut device, &[]);
        (conclusion.findings[0].clone(), device.in_rounds)
    };
    let answer = |shared: f64, overtime: f64| crowded(shared, overtime, 0.0);
    let (short, seconds) = answer(12.0, 0.0);
    assert!(short.confidence == "weak" && seconds < 20.0, "{seconds} {short:?}");
    let (longer, seconds) = answer(12.0, 120.0);
    assert!((20.0..135.0).contains(&seconds), "before overtime is over: {seconds} {longer:?}");
    let width = |finding: &KneeFinding| finding.interval.map(|(low, high)| high / low);
    assert!(
        longer.rounds > 2 * short.rounds && width(&longer) <= width(&short),
        "{longer:?} {short:?}"
    );
    let (_, seconds) = crowded(12.0, 60.0, 20.0);
    assert!(
        seconds < 20.0,
        "where others take the cores, waiting for memory helps little: {seconds}"
    );
    let (own, seconds) = answer(0.0, 60.0);
    assert!(seconds < 20.0, "that it is noisy for itself is no reason: {seconds} {own:?}");
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

#[test]
fn a_winner_of_a_larger_size_is_lent_to_the_smaller_ones_that_never_tried_it() {
    let (_, entries) = study(&plan(6, 1e6), &mut Formula::default(), &[]);
    let lent = entries.iter().filter(|e| match &e.event {
        Event::SizeClosed(closed) => closed.why.contains("another size lent its winner"),
        _ => false,
    });
    assert!(lent.count() > 0);
}

#[test]
fn what_wins_at_several_sizes_was_tried_at_all_of_them() {
    // Searches are short, and those sizes that begin to climb find less than those that go on with it.
    let device = || Formula { no_rounds: true, ..Formula::default() };
    let (_, entries) = study(&plan(3, 1e6), &mut device(), &[]);
    let trials = || {
        entries.iter().filter_map(|e| match &e.event {
            Event::Trial(event) => Some(&event.trial),
            _ => None,
        })
    };
    let default = |trial: &&Trial| trial.phase == Phase::Again && trial.configuration == default();
    let looks = trials().filter(default).map(|trial| trial.size);
    assert!(looks.clone().collect::<HashSet<u64>>().len() < looks.count(), "none had two looks");
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
    let looks = entries.iter().filter_map(|entry| match &entry.event {
        Event::Looks { looks } => Some(looks),
        _ => None,
    });
    let names = looks.flatten().flat_map(|look| {
        look.challengers.iter().map(|name| (look.size, name.get("block").cloned()))
    });
    let holds =
        |block: &Option<Value>| matches!(block, Some(Value::Int(block)) if *block <= SMALL_BLOCK);
    let (small, large): (Vec<_>, Vec<_>) = names.partition(|(size, _)| *size < SMALL);
    assert!(large.iter().any(|(_, block)| !holds(block)), "{large:?}");
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
fn looks_at_kernels_that_compile_slowly_leave_time_for_rounds() {
    // A size that met a slow machine dips.
    const SLOW: u64 = 7593;
    let looks_and_rounds = |compile: f64| {
        let slow = Some((SLOW, 1.5));
        let mut device = Formula { compile, slow, ..Formula::default() };
        let (_, entries) = study(&plan(8, 50.0), &mut device, &[]);
        let looks = entries.iter().filter_map(|entry| match &entry.event {
            Event::Trial(TrialEvent { trial, .. }) if trial.phase == Phase::Again => {
                Some(trial.outcome.costs.total())
            }
            _ => None,
        });
        let rounds = entries.iter().filter_map(|entry| match &entry.event {
            Event::Rounds(event) if event.purpose == RoundsPurpose::Answer => {
                Some(event.rounds.len())
            }
            _ => None,
        });
        (looks.sum::<f64>(), rounds.sum::<usize>())
    };
    for compile in [0.0, 0.5, 1.0, 2.0] {
        let (looks, rounds) = looks_and_rounds(compile);
        assert!(looks > 0.0 && looks < 15.0, "{compile}: {looks} s of looks");
        assert!(rounds >= 100, "{compile}: {rounds} rounds");
    }
}

#[test]
fn a_study_that_was_cut_anywhere_ends_like_one_that_was_not() {
    let plan_of = |seconds| {
        let mut plan = plan(8, seconds);
        // It is the same answer that is asked for here, and not how good it is.
        plan.detector_settings.resamples = 40;
        plan
    };
    let plan = plan_of(1e6);
    // A size that met a slow machine dips, and gets a second look.
    let (_, grown) = study(&plan, &mut Formula::default(), &[]);
    let mut sizes = grown.iter().filter_map(|entry| match &entry.event {
        Event::SizeOpened(opened) => Some(opened.size),
        _ => None,
    });
    let dips = sizes.nth(5).map(|size| (size, 1.5));
    // Where kernels compile slowly, some looks have no time.
    for (slow, seconds, compile) in [(None, 1e6, 0.0), (dips, 1e6, 0.0), (dips, 20.0, 1.0)] {
        let plan = plan_of(seconds);
        let device = || Formula { slow, compile, ..Formula::default() };
        let (whole, entries) = study(&plan, &mut device(), &[]);
        let had_no_time = entries.iter().any(|entry| match &entry.event {
            Event::SizeClosed(closed) => closed.why.contains("no time to look again"),
            _ => false,
        });
        assert_eq!(had_no_time, compile > 0.0);
        let again = |at: usize| match &entries[at].event {
            Event::Looks { .. } => true,
            Event::Trial(t) => t.trial.phase == Phase::Again,
            _ => false,
        };
        // Trials measured together are written together.
        let together = |at: usize| match (&entries[at - 1].event, &entries[at].event) {
            (Event::Trial(a), Event::Trial(b)) => {
                let phase = a.trial.phase;
                phase == b.trial.phase && phase.is_contest()
            }
            _ => false,
        };
        for cut in 1..entries.len() {
            let near = (again(cut - 1) || again(cut)) && (!together(cut) || cut % 5 == 0);
            if (slow.is_some() && !near) || (slow.is_none() && cut % 9 > 0) {
                continue;
            }
            // The device has compiled and measured what was before the cut already.
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

/// Nothing is measured twice for the same purpose before its size closes.
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

#[test]
fn a_study_that_was_cut_between_looks_at_a_size_makes_the_later_ones_anew() {
    let device = || Formula { no_rounds: true, ..Formula::default() };
    let plan = plan(3, 1e6);
    let (whole, entries) = study(&plan, &mut device(), &[]);
    let is_look = |entry: &JournalEntry| matches!(entry.event, Event::Looks { .. });
    let first = entries.iter().position(is_look).expect("looks");
    let after_looks = |at: &usize| is_look(&entries[at - 1]);
    let cuts = (first..entries.len()).step_by(9);
    for cut in cuts.chain((first + 1..entries.len()).filter(after_looks)) {
        let mut device = device();
        // Whatever is measured in turn from now on is no final.
        for entry in &entries[..cut] {
            if let Event::SizeOpened(opened) = &entry.event {
                device.asked.insert((opened.size, "final", String::new()), 1);
            }
        }
        let (conclusion, resumed) = study(&plan, &mut device, &entries[..cut]);
        assert_eq!(conclusion.chosen.best, whole.chosen.best, "cut at {cut}");
        assert_measured_once(&resumed, cut);
        let kinds = |entries: &[JournalEntry]| -> Vec<(u64, Phase, Named)> {
            let trials = entries.iter().filter_map(|entry| match &entry.event {
                Event::Trial(event) => Some(&event.trial),
                _ => None,
            });
            let mut kinds: Vec<_> = trials
                .map(|trial| (trial.size, trial.phase, trial.configuration.clone()))
                .collect();
            kinds.sort_by_key(|(size, phase, name)| (*size, format!("{phase:?}"), name.key()));
            kinds
        };
        assert_eq!(kinds(&resumed), kinds(&entries), "cut at {cut}");
    }
}
