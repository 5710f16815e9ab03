//! Steps that follow what is measured against steps of one factor, on generated curves of many shapes: the
//! same knee, in fewer sizes. `cargo test -p autobench-study --test study generated -- --nocapture` prints the values;
//! `AUTOBENCH_KNEE_CURVES` widens the sample.

#![expect(clippy::print_stderr, reason = "the figures are what the test is for")]

use knees::{Confirmation, Curve, DETECTORS, Detector, DetectorSettings, Preparation, confirm};
use math::{Rng, normal, seeded};
use study::scaling::{MeasuredSize, left_out, stride};

use crate::curves::{Later, Truth, family, regression, with_hump};

/// Seeds of independent rounds.
const SEEDS: [u64; 3] = [4, 50, 600];

fn curves() -> usize {
    std::env::var("AUTOBENCH_KNEE_CURVES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// A curve as growth measures it. A size has the same noise whenever it is visited.
struct Met {
    ladder: Vec<u64>,
    all: Vec<MeasuredSize>,
}

impl Met {
    fn of(truth: &Truth, noise: f64, rng: &mut Rng) -> Self {
        let measured = |(x, y): (&f64, &f64)| {
            let rate = y * (1.0 + noise * normal(rng)).max(0.05);
            MeasuredSize { size: x.round() as u64, seconds: x / rate, rate }
        };
        let all: Vec<MeasuredSize> = truth.x.iter().zip(&truth.y).map(measured).collect();
        Self { ladder: all.iter().map(|point| point.size).collect(), all }
    }
}

/// The result of growth.
#[derive(Debug, Clone, Copy)]
struct Ended {
    /// Index of the knee's rung.
    knee: Option<usize>,
    sizes: usize,
    last: usize,
    confirmed: bool,
}

/// Grows sizes as a study does, without a least run time.
fn grow(detector: &Detector, met: &Met, strides: bool) -> Ended {
    let settings = DetectorSettings { resamples: 0, ..DetectorSettings::default() };
    let mut visited: Vec<usize> = Vec::new();
    loop {
        let points: Vec<MeasuredSize> = visited.iter().map(|at| met.all[*at]).collect();
        let sizes: Vec<u64> = points.iter().map(|point| point.size).collect();
        let last = visited.last().copied();
        let curve = {
            let x: Vec<f64> = sizes.iter().map(|size| *size as f64).collect();
            let y: Vec<f64> = points.iter().map(|point| point.rate).collect();
            Curve::new(&x, &y).ok()
        };
        let confirmation = Confirmation::default();
        let prepared = Preparation::Prepared;
        let knee = curve
            .as_ref()
            .and_then(|curve| confirm(detector, curve, 1.0, &confirmation, &settings, prepared));
        let rung = |size: u64| met.ladder.binary_search(&size).ok();
        let mut near = Vec::new();
        let mut ended = knee.map(|knee| (knee.x.round() as u64, true));
        let ahead = &met.ladder[last.map_or(0, |last| last + 1)..];
        if ended.is_none() && ahead.is_empty() {
            // Like a study that reached its largest size and refines the knee.
            let found = curve
                .as_ref()
                .and_then(|curve| knees::find(detector, curve, &settings, prepared).knee);
            let Some(found) = found else {
                return Ended {
                    knee: None,
                    sizes: sizes.len(),
                    last: last.unwrap_or(0),
                    confirmed: false,
                };
            };
            ended = Some((found.x.round() as u64, false));
        }
        if let Some((knee, confirmed)) = ended {
            near = left_out(&met.ladder, &sizes, knee);
            if near.is_empty() {
                let last = last.unwrap_or(0);
                return Ended { knee: rung(knee), sizes: sizes.len(), last, confirmed };
            }
        }
        match near.first().and_then(|size| rung(*size)) {
            Some(at) => visited.push(at),
            None => {
                let rungs = if strides { stride(&points, ahead) } else { 1 };
                visited.push(last.map_or(0, |last| (last + rungs).min(met.ladder.len() - 1)));
            }
        }
        visited.sort_unstable();
    }
}

/// Shares of curves in percent, and means over them.
#[derive(Debug, Default)]
struct Compared {
    same: f64,
    /// Good knees with steps of one factor, and with strides.
    good: (f64, f64),
    sizes: (f64, f64),
    confirmed: (f64, f64),
    octaves_further: f64,
}

fn compared(
    name: &str,
    noise: f64,
    draw: impl Fn(&mut Rng) -> Truth,
    good: impl Fn(&Truth, usize) -> bool,
) -> Compared {
    let detector = DETECTORS.find(name).expect("registered");
    let mut sum = Compared::default();
    let mut count = 0.0;
    for seed in SEEDS {
        let rng = &mut seeded(seed, 3);
        for _ in 0..curves() {
            let truth = draw(rng);
            let met = Met::of(&truth, noise, rng);
            let (plain, strides) = (grow(detector, &met, false), grow(detector, &met, true));
            let one = |holds: bool| f64::from(u8::from(holds));
            let knees = plain.knee.zip(strides.knee);
            let same = knees.is_some_and(|(a, b)| a.abs_diff(b) <= 1) || plain.knee == strides.knee;
            sum.same += one(same);
            sum.good.0 += one(plain.knee.is_some_and(|knee| good(&truth, knee)));
            sum.good.1 += one(strides.knee.is_some_and(|knee| good(&truth, knee)));
            sum.sizes.0 += plain.sizes as f64;
            sum.sizes.1 += strides.sizes as f64;
            sum.confirmed.0 += one(plain.confirmed);
            sum.confirmed.1 += one(strides.confirmed);
            sum.octaves_further += (truth.x[strides.last] / truth.x[plain.last]).log2();
            count += 1.0;
        }
    }
    let percent = |sum: f64| 100.0 * sum / count;
    Compared {
        same: percent(sum.same),
        good: (percent(sum.good.0), percent(sum.good.1)),
        sizes: (sum.sizes.0 / count, sum.sizes.1 / count),
        confirmed: (percent(sum.confirmed.0), percent(sum.confirmed.1)),
        octaves_further: sum.octaves_further / count,
    }
}

fn tell(what: &str, noise: f64, found: &Compared) {
    eprintln!(
        "{what:<44} noise {noise}: same {:5.1} %, good {:5.1} / {:5.1} %, confirmed {:5.1} / {:5.1} %, \
         sizes {:.1} / {:.1}, {:+.2} octaves",
        found.same,
        found.good.0,
        found.good.1,
        found.confirmed.0,
        found.confirmed.1,
        found.sizes.0,
        found.sizes.1,
        found.octaves_further
    );
}

#[test]
fn steps_that_follow_the_curve_find_the_same_knee_in_fewer_sizes() {
    for name in ["kneedle", "triangle", "plateau"] {
        for falls in [false, true] {
            for (noise, least) in [(0.01, 90.0), (0.05, 75.0)] {
                let draw = |rng: &mut Rng| {
                    let family = family(rng);
                    let later = if falls { regression(rng) } else { Later::Nothing };
                    Truth::draw(rng, family, later, 1.5)
                };
                let in_window =
                    |truth: &Truth, knee: usize| (0.80..=0.995).contains(&truth.share[knee]);
                let found = compared(name, noise, draw, in_window);
                let what = format!("{name}{}", if falls { ", a regression later" } else { "" });
                tell(&what, noise, &found);
                assert!(found.same >= least, "{found:?}");
                assert!(found.good.1 >= found.good.0 - 3.0, "{found:?}");
                assert!(found.sizes.1 < 0.9 * found.sizes.0, "{found:?}");
            }
        }
    }
}

#[test]
fn steps_that_follow_the_curve_stay_on_the_rise_of_a_hump() {
    for name in ["kneedle", "triangle"] {
        for noise in [0.01, 0.05] {
            let rising = |truth: &Truth, knee: usize| {
                let highest = truth.y.iter().copied().fold(0.0, f64::max);
                let top = truth.y.iter().rposition(|y| *y >= 0.99 * highest).unwrap_or(0);
                knee <= top && truth.y[knee] > 0.5 * highest
            };
            let found = compared(name, noise, |rng| with_hump(rng, 1.5), rising);
            tell(&format!("{name} on a hump"), noise, &found);
            assert!(found.good.1 >= found.good.0 - 3.0, "{found:?}");
            assert!(found.sizes.1 < found.sizes.0, "{found:?}");
        }
    }
}
