//! Promises of the detectors on generated saturation curves of many shapes: where they find the
//! knee, and how far noise moves it. Everything is seeded. `AUTOBENCH_KNEE_CURVES` widens the
//! sample, and `cargo test -p autobench-knees --test knees generated -- --nocapture` prints the
//! values.

#![expect(clippy::print_stderr, reason = "the figures are what the test is for")]

use knees::{Confirmation, Curve, DETECTORS, DetectorSettings, Preparation, confirm, find};
use math::{Rng, seeded};

use crate::curves::{Family, Later, Truth, family, regression, with_hump};

/// Seeds of independent samples of curves.
const SEEDS: [u64; 3] = [1, 20, 300];

/// Factors between neighbouring sizes.
const FACTORS: [f64; 2] = [1.5, 2.0];

fn curves() -> usize {
    std::env::var("AUTOBENCH_KNEE_CURVES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

fn settings() -> DetectorSettings {
    DetectorSettings { resamples: 0, ..DetectorSettings::default() }
}

fn knee(name: &str, curve: &Curve) -> Option<usize> {
    let detector = DETECTORS.find(name).expect("registered");
    find(detector, curve, &settings(), Preparation::Prepared).knee.map(|k| k.index)
}

fn in_window(truth: &Truth, index: usize) -> bool {
    (0.80..=0.995).contains(&truth.share[index])
}

/// Percentage of the curves, over all seeds and factors, for which something holds.
fn percent(what: &str, noise: f64, mut holds: impl FnMut(&mut Rng, f64) -> bool) -> f64 {
    let mut cells = Vec::new();
    for factor in FACTORS {
        let mut good = 0;
        for seed in SEEDS {
            let mut rng = seeded(seed, 1);
            good += (0..curves()).filter(|_| holds(&mut rng, factor)).count();
        }
        cells.push(100.0 * good as f64 / (SEEDS.len() * curves()) as f64);
    }
    eprintln!("{what:<58} noise {noise}: {:5.1} % by 1.5, {:5.1} % by 2", cells[0], cells[1]);
    (cells[0] + cells[1]) / 2.0
}

fn later(rng: &mut Rng, falls: bool) -> Later {
    if falls { regression(rng) } else { Later::Nothing }
}

fn window(name: &str, falls: bool, noise: f64) -> f64 {
    let what = format!("{name} in the window{}", if falls { ", a regression later" } else { "" });
    percent(&what, noise, |rng, factor| {
        let (family, later) = (family(rng), later(rng, falls));
        let truth = Truth::draw(rng, family, later, factor);
        knee(name, &truth.measured(rng, noise)).is_some_and(|k| in_window(&truth, k))
    })
}

fn moves(name: &str, falls: bool, noise: f64, near: impl Fn(&Truth, usize, usize) -> bool) -> f64 {
    let what = format!("{name} near its own{}", if falls { ", a regression later" } else { "" });
    percent(&what, noise, |rng, factor| {
        let (family, later) = (family(rng), later(rng, falls));
        let truth = Truth::draw(rng, family, later, factor);
        let clean = knee(name, &truth.measured(rng, 0.0));
        let noisy = knee(name, &truth.measured(rng, noise));
        clean.zip(noisy).is_some_and(|(a, b)| near(&truth, a, b))
    })
}

#[test]
fn prepared_detectors_answer_where_the_plateau_is_nearly_reached() {
    for name in ["triangle", "kneedle"] {
        for falls in [false, true] {
            assert!(window(name, falls, 0.01) >= 97.0);
            assert!(window(name, falls, 0.05) >= 90.0);
        }
    }
}

#[test]
fn noise_moves_an_answer_by_little() {
    for name in ["triangle", "kneedle"] {
        for falls in [false, true] {
            assert!(moves(name, falls, 0.01, |_, a, b| a.abs_diff(b) <= 1) >= 95.0);
            let two_octaves =
                |t: &Truth, a: usize, b: usize| (t.x[a] / t.x[b]).log2().abs() <= 2.0 + 1e-9;
            assert!(moves(name, falls, 0.05, two_octaves) >= 90.0);
        }
    }
}

#[test]
fn hockney_knows_its_own_curve_and_no_other() {
    let own = percent("hockney within a step of 9 n_half", 0.05, |rng, factor| {
        let truth = Truth::draw(rng, Family::Hyperbola, Later::Nothing, factor);
        let wanted = 9.0 * truth.bend;
        knee("hockney", &truth.measured(rng, 0.05))
            .is_some_and(|k| (truth.x[k] / wanted).log2().abs() <= factor.log2())
    });
    assert!(own >= 95.0);
    for noise in [0.01, 0.05] {
        let other = percent("hockney says `not this model` of others", noise, |rng, factor| {
            let family = loop {
                let family = family(rng);
                if family != Family::Hyperbola {
                    break family;
                }
            };
            let curve = Truth::draw(rng, family, Later::Nothing, factor).measured(rng, noise);
            let hockney = DETECTORS.find("hockney").expect("registered");
            let found = find(hockney, &curve, &settings(), Preparation::Prepared);
            found.knee.is_none() && found.why.contains("not this model")
        });
        assert!(other >= 90.0);
    }
}

#[test]
fn plateau_answers_where_the_level_is_held() {
    for (noise, least) in [(0.01, 97.0), (0.05, 90.0)] {
        assert!(window("plateau", false, noise) >= least);
        assert!(window("plateau", true, noise) >= least);
    }
}

#[test]
fn before_a_cache_hump_is_the_rise_and_behind_it_the_plateau() {
    for (noise, least) in [(0.01, 97.0), (0.05, 80.0)] {
        let settled = percent("plateau where a hump has settled", noise, |rng, factor| {
            let truth = with_hump(rng, factor);
            let Later::Hump { until, within, .. } = truth.later else { return false };
            let level = truth.y[truth.y.len() - 1];
            knee("plateau", &truth.measured(rng, noise)).is_some_and(|k| {
                let octaves = (truth.x[k] / truth.bend).log2();
                (truth.y[k] / level - 1.0).abs() < 0.12
                    && octaves > until
                    && octaves <= until + within + 2.0
            })
        });
        assert!(settled >= least);
    }
    for name in ["triangle", "kneedle"] {
        for noise in [0.01, 0.05] {
            let what = format!("{name} on the rise of a hump");
            let rising = percent(&what, noise, |rng, factor| {
                let truth = with_hump(rng, factor);
                let highest = truth.y.iter().copied().fold(0.0, f64::max);
                let top = truth.y.iter().rposition(|y| *y >= 0.99 * highest).unwrap_or(0);
                knee(name, &truth.measured(rng, noise))
                    .is_some_and(|k| k <= top && truth.y[k] > 0.5 * highest)
            });
            assert!(rising >= 95.0);
        }
    }
}

/// Adds sizes one by one until the knee is accepted; returns the indices of the knee and of the
/// last size.
fn grow(name: &str, curve: &Curve) -> Option<(usize, usize)> {
    let detector = DETECTORS.find(name).expect("registered");
    let confirmation = Confirmation::default();
    (1..=curve.len()).find_map(|points| {
        let so_far = Curve::new(&curve.x()[..points], &curve.y()[..points]).expect("a part");
        let prepared = Preparation::Prepared;
        let stands = confirm(detector, &so_far, 1.0, &confirmation, &settings(), prepared);
        stands.and_then(|_| knee(name, &so_far)).map(|knee| (knee, points - 1))
    })
}

#[test]
fn sizes_fed_one_by_one_stop_in_time_with_a_knee_in_the_window() {
    for name in ["triangle", "kneedle"] {
        for falls in [false, true] {
            for (noise, least) in [(0.01, 93.0), (0.05, 80.0)] {
                let mut good = 0;
                let count = SEEDS.len() * curves();
                for seed in SEEDS {
                    let mut rng = seeded(seed, 2);
                    for _ in 0..curves() {
                        let (family, later) = (family(&mut rng), later(&mut rng, falls));
                        let truth = Truth::draw(&mut rng, family, later, 1.5);
                        let reached = truth.share.iter().position(|s| *s >= 0.99);
                        let stop = grow(name, &truth.measured(&mut rng, noise));
                        good += usize::from(stop.is_some_and(|(knee, last)| {
                            in_window(&truth, knee) && reached.is_none_or(|r| last <= r + 6)
                        }));
                    }
                }
                let share = 100.0 * good as f64 / count as f64;
                eprintln!(
                    "{name} fed by 1.5, a regression later: {falls}, noise {noise}: {share:.1} %"
                );
                assert!(share >= least);
            }
        }
    }
}

/// How a detector with one of its knobs set does on curves with steps of a factor: the share of those
/// that saturate with a knee in the window, and of those that never saturate without a knee, in percent.
fn calibrated(name: &str, knob: &str, value: f64, factor: f64) -> (f64, f64) {
    let given = [(knob.to_owned(), value.to_string())].into();
    let settings = settings().with_knobs(&given).expect("a knob");
    let detector = DETECTORS.find(name).expect("registered");
    let find = |curve: &Curve| find(detector, curve, &settings, Preparation::Prepared).knee;
    let (mut right, mut silent) = (0, 0);
    let mut rng = seeded(7, 1);
    for _ in 0..curves() {
        let family = family(&mut rng);
        let truth = Truth::draw(&mut rng, family, Later::Nothing, factor);
        let found = find(&truth.measured(&mut rng, 0.05));
        right += usize::from(found.is_some_and(|knee| in_window(&truth, knee.index)));
        // The same machine in sizes that all lie below its bend: nothing saturates there.
        let below = truth.x.iter().filter(|x| **x < truth.bend / 8.0).count();
        let measured = truth.measured(&mut rng, 0.05);
        let curve = Curve::new(&measured.x()[..below], &measured.y()[..below]);
        silent += usize::from(curve.is_ok_and(|curve| find(&curve).is_none()));
    }
    let percent = |count: usize| 100.0 * count as f64 / curves() as f64;
    (percent(right), percent(silent))
}

/// The defaults of the detectors' own knobs are those that do best in the worse of both regards, over
/// three step factors; the table is printed.
#[test]
fn the_defaults_of_sensitivity_and_threshold_are_the_best_on_known_curves() {
    let knobs = [
        ("kneedle", "sensitivity", 1.0, [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]),
        ("triangle", "threshold", 0.1, [0.02, 0.05, 0.1, 0.15, 0.2, 0.3]),
    ];
    for (name, knob, default, values) in knobs {
        let worst = |value: f64| {
            let each = [1.1, 1.5, 2.0].map(|factor| {
                let (right, silent) = calibrated(name, knob, value, factor);
                eprintln!(
                    "{name} {knob} {value:5}, steps of {factor}: knee in the window {right:5.1} %, \
                     none where nothing saturates {silent:5.1} %"
                );
                right.min(silent)
            });
            each.into_iter().fold(f64::INFINITY, f64::min)
        };
        let all = values.map(|value| (value, worst(value)));
        let best = all.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        let own =
            all.iter().find(|(value, _)| value.total_cmp(&default).is_eq()).expect("the default").1;
        assert!(
            own >= best - 2.0,
            "{name}: {own:.1} % with the default, at best {best:.1} %: {all:?}"
        );
    }
}
