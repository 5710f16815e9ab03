//! What no answer may contradict, in studies of many simulated devices.

use math::seeded;
use rand::RngExt as _;
use records::{JournalEntry, StudyView};
use study::{Conclusion, StudyFault};

use crate::formula::{Broken, Formula, Work, concluded, exhaustive, plan, sound};

/// A device with this seed: any kind of work, noise, waiting, memory, and broken configurations.
fn device(seed: u64) -> Formula {
    let mut rng = seeded(seed, 11);
    let kinds =
        [Work::Vector, Work::Formats, Work::Roof, Work::Matrices, Work::Hump, Work::Formats];
    let one_in = |rng: &mut math::Rng, count: u32| rng.random_range(0..count) == 0;
    Formula {
        work: kinds[seed as usize % kinds.len()],
        noise: [0.0, 0.01, 0.05][rng.random_range(0..3)],
        memory: [0.0, 0.02, 0.08][rng.random_range(0..3)],
        taken: [0.0, 0.5, 20.0][rng.random_range(0..3)],
        shared: [0.0, 3.0, 1e9][rng.random_range(0..3)],
        broken: Broken { seed, percent: if one_in(&mut rng, 3) { 33 } else { 0 } },
        winners: one_in(&mut rng, 3)
            .then(|| (1.0 + 0.3 * rng.random::<f64>(), seed.is_multiple_of(2))),
        no_rounds: one_in(&mut rng, 8),
        compile: [0.0, 0.3][rng.random_range(0..2)],
        ..Formula::default()
    }
}

fn holds(within: (f64, f64), value: f64) -> bool {
    within.0 <= value * (1.0 + 1e-9) && value <= within.1 * (1.0 + 1e-9)
}

/// Checks all values of a study's answer against each other.
fn check(seed: u64, conclusion: &Conclusion, entries: &[JournalEntry]) {
    let view = StudyView::from_events(entries);
    let closed: Vec<_> = view.sizes.iter().filter_map(|point| point.closed.as_ref()).collect();
    for of in &closed {
        let at = format!("device {seed}, size {}", of.size);
        for figure in of.best.iter().chain(&of.default) {
            assert!(holds(figure.seconds.interval, figure.seconds.median), "{at}: {figure:?}");
            let metric = figure.metric.as_ref().expect("a rate");
            assert!(holds(metric.interval, metric.value), "{at}: {metric:?}");
        }
        let (Some(best), Some(other)) = (&of.best, &of.default) else { continue };
        assert!(best.seconds.median <= other.seconds.median * (1.0 + 1e-9), "{at}: {of:?}");
        let Some(gain) = of.gain else { continue };
        assert!(gain >= 1.0 - 1e-9, "{at}: gain {gain}");
        let ratio = other.seconds.median / best.seconds.median;
        assert!((ratio / gain - 1.0).abs() < 1e-6 || of.rounds == 0, "{at}: {ratio} {gain}");
        assert!(of.gain_interval.is_none_or(|within| holds(within, gain)), "{at}: {of:?}");
    }
    let chosen = closed.iter().find(|of| of.size == conclusion.chosen.size).expect("a size");
    assert_eq!(chosen.best, conclusion.chosen.best, "device {seed}");
    if let Some(precise) = &view.precise {
        // Never slower than the best in full precision by more than chance.
        assert!(precise.gain_interval.is_none_or(|of| of.1 >= 1.0), "device {seed}: {precise:?}");
    }
    for found in &conclusion.findings {
        let at = format!("device {seed}: {found:?}");
        let (Some(knee), Some(within)) = (found.knee, found.interval) else {
            assert!(found.knee.is_some() || found.confidence == "none", "{at}");
            continue;
        };
        assert!(holds(within, knee), "{at}");
        let settled = found.confidence == "settled";
        assert!(!settled || found.against.is_empty(), "{at}");
        assert!(!settled || found.probability.is_some_and(|of| of >= 0.95), "{at}");
        assert!(found.confidence != "weak" || !found.against.is_empty(), "{at}");
        assert!(closed.iter().any(|of| (of.size as f64 - knee).abs() < 0.5), "{at}");
    }
}

#[test]
fn no_two_values_of_an_answer_contradict_each_other() {
    let count = if exhaustive() { 200 } else { 24 };
    let mut in_full = 0;
    for seed in 0..count {
        let mut device = device(seed);
        let seconds = [8.0, 20.0, 60.0][seed as usize % 3];
        let (conclusion, entries) = concluded(&plan(8, seconds), &mut device, &[]);
        match conclusion {
            Ok(conclusion) => {
                check(seed, &conclusion, &entries);
                in_full += usize::from(conclusion.chosen.by_precision);
            }
            // Only if nothing that was measured is valid.
            Err(StudyFault::NothingValid(_)) => {
                let view = StudyView::from_events(&entries);
                let lost = |of: &u64| !sound(&entries, *of).is_empty();
                let lost = view.sizes.iter().map(|point| point.size).find(lost);
                assert_eq!(lost, None, "device {seed}: a valid answer was lost");
            }
            Err(fault) => panic!("device {seed}: {fault}"),
        }
    }
    assert!(in_full > 0, "none was faster in full precision");
}
