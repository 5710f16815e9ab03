//! Promises of the interval on unsteady machines: it contains the knee, and is no wider than
//! needed. The true knee is the same detector's answer on the curve without noise. Everything is
//! seeded. `AUTOBENCH_KNEE_CURVES` widens the sample, and `cargo test -p autobench-knees --test
//! knees rounds -- --nocapture` prints the values.

#![expect(clippy::print_stderr, reason = "the figures are what the test is for")]

use knees::{Confidence, DETECTORS, DetectorSettings, Preparation, find_repeated};
use math::{median, seeded};

use crate::curves::{
    Later, Truth, family,
    noise::{Weather, measured},
    regression,
};

/// Whether everything is tried, as `scripts/nightly` asks for, and not a fixed sample of it.
fn exhaustive() -> bool {
    std::env::var_os("AUTOBENCH_EXHAUSTIVE").is_some()
}

fn curves() -> u64 {
    std::env::var("AUTOBENCH_KNEE_CURVES").ok().and_then(|n| n.parse().ok()).unwrap_or(30)
}

/// Counts over a hundred answers.
#[derive(Debug, Default)]
struct Tally {
    asked: usize,
    /// Intervals that contain the true knee, or miss it by at most one step.
    covered: usize,
    /// Intervals that contain the true knee.
    strictly: usize,
    /// Answers within one step of the true knee.
    near: usize,
    settled: usize,
    /// Settled answers that are more than one step away from the true knee.
    misled: usize,
    widths: Vec<f64>,
}

fn tally(name: &str, rounds: u64, noise: f64, weather: Weather, falls: bool) -> Tally {
    let detector = DETECTORS.find(name).expect("registered");
    let (settings, prepared) =
        (DetectorSettings { resamples: 100, ..DetectorSettings::default() }, Preparation::Prepared);
    let mut tally = Tally::default();
    for seed in 0..curves() {
        let mut rng = seeded(seed, 11);
        let family = family(&mut rng);
        let later = if falls { regression(&mut rng) } else { Later::Nothing };
        let truth = Truth::draw(&mut rng, family, later, 1.5);
        let clean = measured(&truth, 1, 0.0, Weather::Still, &mut seeded(0, 0));
        let Some(knee) = find_repeated(detector, &clean, &settings, prepared).knee else {
            continue;
        };
        tally.asked += 1;
        let repeated = measured(&truth, rounds, noise, weather, &mut rng);
        let found = find_repeated(detector, &repeated, &settings, prepared);
        let Some((low, high)) = found.interval else { continue };
        // Sizes inside the interval; its ends lie halfway to the next sizes.
        let low = truth.x.iter().position(|x| *x >= low).expect("a size");
        let high = truth.x.iter().rposition(|x| *x <= high).expect("a size");
        tally.covered += usize::from(low <= knee.index + 1 && knee.index <= high + 1);
        tally.strictly += usize::from(low <= knee.index && knee.index <= high);
        let near = found.knee.is_some_and(|found| found.index.abs_diff(knee.index) <= 1);
        tally.near += usize::from(near);
        let settled = found.confidence == Confidence::Settled;
        tally.settled += usize::from(settled);
        tally.misled += usize::from(settled && !near);
        tally.widths.push((high - low) as f64);
    }
    let percent = |count: usize| 100.0 * count as f64 / tally.asked as f64;
    eprintln!(
        "{name:<9} {weather:<13?} {rounds:>3} rounds, noise {noise:<4}: {:>3} curves, covered {:5.1} %, strictly {:5.1} %, \
         near {:5.1} %, settled {:5.1} %, width {:.1}",
        tally.asked,
        percent(tally.covered),
        percent(tally.strictly),
        percent(tally.near),
        percent(tally.settled),
        median(&tally.widths)
    );
    tally
}

fn holds(tally: &Tally, what: &str) {
    assert!(tally.asked > 0, "{what}");
    assert!(tally.covered * 10 >= tally.asked * 9, "{what}: {tally:?}");
    assert!(tally.misled * 20 <= tally.asked, "{what}: {tally:?}");
}

#[test]
fn intervals_hold_the_knee_whatever_the_weather() {
    for weather in Weather::ALL {
        let noises: &[f64] = if exhaustive() { &[0.01, 0.05] } else { &[0.05] };
        for noise in noises.iter().copied() {
            for name in ["kneedle", "plateau"] {
                holds(
                    &tally(name, 100, noise, weather, false),
                    &format!("{name} {weather:?} {noise}"),
                );
            }
        }
    }
}

#[test]
fn intervals_hold_the_knee_of_curves_that_fall_later() {
    for name in ["triangle", "plateau"] {
        for weather in [Weather::Still, Weather::Everything] {
            holds(&tally(name, 100, 0.02, weather, true), &format!("{name} {weather:?}"));
        }
    }
}

#[test]
fn few_rounds_of_much_noise_are_told_by_wide_intervals_and_little_confidence() {
    for (rounds, noise) in [(12, 0.1), (30, 0.2)] {
        let tally = tally("kneedle", rounds, noise, Weather::Everything, false);
        holds(&tally, &format!("{rounds} {noise}"));
    }
}

#[test]
fn a_hundred_quiet_rounds_leave_two_steps_at_most() {
    for name in ["kneedle", "triangle", "plateau"] {
        let tally = tally(name, 100, 0.01, Weather::Still, false);
        assert!(median(&tally.widths) <= 2.0, "{tally:?}");
        assert!(tally.settled * 10 >= tally.asked * 9, "{tally:?}");
    }
}

#[test]
fn hockney_holds_on_its_own_curve() {
    for weather in [Weather::Still, Weather::Everything] {
        let found = tally("hockney", 100, 0.02, weather, false);
        assert!(found.covered * 10 >= found.asked * 9, "{found:?}");
    }
}
