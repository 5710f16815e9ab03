//! What the detectors promise, on generated saturation curves: where they answer, and how far
//! noise moves the answer. Everything is seeded; `AUTOBENCH_KNEE_CURVES` widens the sample.

mod knees_curves;

use autobench::knees::{
    Confirmation, Curve, Detector, Growth, Preparation, Settings, confirm, detector, find,
};
use autobench::numeric::{SeededRng, seeded};
use knees_curves::{Family, Later, Truth, between, family, regression};
use rand::RngExt;

fn curves() -> usize {
    std::env::var("AUTOBENCH_KNEE_CURVES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

fn settings() -> Settings {
    Settings { resamples: 0, ..Settings::default() }
}

fn knee(detector: &dyn Detector, curve: &Curve) -> Option<usize> {
    find(detector, curve, &settings(), Preparation::Prepared).knee.map(|k| k.index)
}

fn named(name: &str) -> &'static dyn Detector {
    detector(name).expect("registered")
}

fn in_window(truth: &Truth, index: usize) -> bool {
    (0.80..=0.995).contains(&truth.share[index])
}

/// Shares of curves, by what is asked of them.
#[derive(Debug, Default)]
struct Tally {
    asked: usize,
    window: usize,
    step: usize,
    octaves: usize,
    misses: Vec<String>,
}

impl Tally {
    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.asked as f64
    }
}

fn sweep(
    name: &str,
    seed: u64,
    factor: f64,
    noise: f64,
    draw: impl Fn(&mut SeededRng) -> (Family, Later),
) -> Tally {
    let detector = named(name);
    let mut rng = seeded(seed, 1);
    let mut tally = Tally::default();
    for _ in 0..curves() {
        let (family, later) = draw(&mut rng);
        let truth = Truth::draw(&mut rng, family, later, factor);
        let clean = knee(detector, &truth.measured(&mut rng, 0.0));
        let curve = truth.measured(&mut rng, noise);
        let noisy = knee(detector, &curve);
        tally.asked += 1;
        let hit = noisy.is_some_and(|k| in_window(&truth, k));
        tally.window += usize::from(hit);
        if let (Some(a), Some(b)) = (clean, noisy) {
            tally.step += usize::from(a.abs_diff(b) <= 1);
            tally.octaves += usize::from((truth.x[a] / truth.x[b]).log2().abs() <= 2.0 + 1e-9);
        }
        if !hit {
            let share = |k: Option<usize>| k.map(|k| (1000.0 * truth.share[k]).round() / 1000.0);
            tally.misses.push(format!(
                "{:?} {:?} fall {:?} clean {:?} noisy {:?} bend {:.2} of {}",
                truth.family,
                truth.later,
                {
                    let cut = autobench::knees::prepare(&curve, &settings()).cut;
                    let fell = truth.y.iter().zip(&truth.share).position(|(y, s)| *y < 0.995 * s);
                    (cut.fall, fell, cut.from, cut.to)
                },
                share(clean),
                share(noisy),
                (truth.bend / truth.x[0]).log2() / (truth.x[truth.x.len() - 1] / truth.x[0]).log2(),
                truth.x.len()
            ));
        }
    }
    tally
}

/// Prints figures by cell; for tuning and for the documentation.
#[test]
#[ignore = "prints a table, asserts nothing"]
fn table() {
    let verbose = std::env::var("AUTOBENCH_KNEE_MISSES").is_ok();
    type Draw = Box<dyn Fn(&mut SeededRng) -> (Family, Later)>;
    use knees_curves::Saturating::{Exponential, Hyperbola};
    let plain = |f: Family| -> Draw { Box::new(move |_| (f, Later::Nothing)) };
    let cells: Vec<(&str, Draw)> = vec![
        ("all", Box::new(|r| (family(r), Later::Nothing))),
        ("all+regr", Box::new(|r| (family(r), regression(r)))),
        ("hyperbola", plain(Family::Hyperbola)),
        ("exp", plain(Family::Exponential)),
        ("hyp^.7", plain(Family::PowerOf(Hyperbola, 0.7))),
        ("hyp^.5", plain(Family::PowerOf(Hyperbola, 0.5))),
        ("hyp^2", plain(Family::PowerOf(Hyperbola, 2.0))),
        ("hyp^3", plain(Family::PowerOf(Hyperbola, 3.0))),
        ("exp^.5", plain(Family::PowerOf(Exponential, 0.5))),
        ("exp^2", plain(Family::PowerOf(Exponential, 2.0))),
        ("exp^3", plain(Family::PowerOf(Exponential, 3.0))),
        ("two", Box::new(|r| (Family::TwoSlopes(between(r, 0.82, 0.95)), Later::Nothing))),
        ("tanh", plain(Family::Tanh)),
        ("round2", plain(Family::Rounded(2.0))),
        ("round4", plain(Family::Rounded(4.0))),
        ("hill.7", plain(Family::Hill(0.7))),
        ("hill1.5", plain(Family::Hill(1.5))),
        ("hill2", plain(Family::Hill(2.0))),
    ];
    let names = std::env::var("NAMES").unwrap_or("triangle,kneedle".into());
    for name in names.split(',') {
        let mut low = [(100.0f64, 0.0, 100.0f64, 0.0); 4];
        for (cell, draw) in &cells {
            let mut row = format!("{name:9} {cell:10}");
            for noise in [0.01, 0.05] {
                for factor in [1.5, 2.0] {
                    let tally = sweep(name, 77, factor, noise, draw);
                    let at = usize::from(noise > 0.02) * 2 + usize::from(factor > 1.7);
                    let w = tally.percent(tally.window);
                    let o = if noise > 0.02 {
                        tally.percent(tally.octaves)
                    } else {
                        tally.percent(tally.step)
                    };
                    let strange = ["hyp^3", "hill.7"].contains(cell);
                    if !strange {
                        low[at].0 = low[at].0.min(w);
                        low[at].1 += w / 16.0;
                        low[at].2 = low[at].2.min(o);
                        low[at].3 += o / 16.0;
                    }
                    row += &format!(
                        " | {:5.1} {:5.1} {:5.1}",
                        tally.percent(tally.window),
                        tally.percent(tally.step),
                        tally.percent(tally.octaves)
                    );
                    if verbose {
                        for miss in tally.misses.iter().take(12) {
                            eprintln!("    {miss}");
                        }
                    }
                }
            }
            if std::env::var("SUMMARY").is_err() {
                eprintln!("{row}");
            }
        }
        eprintln!(
            "{name} {}",
            low.map(|l| format!(
                "| win min {:.1} mean {:.1} move min {:.1} mean {:.1}",
                l.0, l.1, l.2, l.3
            ))
            .join(" ")
        );
    }
}

/// Feeds sizes one by one until the knee is accepted; its index and the last size's.
fn grow(detector: &dyn Detector, curve: &Curve) -> Option<(usize, usize)> {
    let confirmation = Confirmation::default();
    for points in 1..=curve.len() {
        let so_far =
            Curve::new(&curve.x()[..points], &curve.y()[..points]).expect("part of a curve");
        let decision =
            confirm(detector, &so_far, 1.0, &confirmation, &settings(), Preparation::Prepared);
        if let Growth::Accept(finding) = decision {
            return finding.knee.map(|k| (k.index, points - 1));
        }
    }
    None
}

#[test]
#[ignore = "prints a table, asserts nothing"]
fn growth_table() {
    let verbose = std::env::var("AUTOBENCH_KNEE_MISSES").is_ok();
    for name in ["triangle", "kneedle"] {
        let detector = named(name);
        for cell in ["plain", "regression"] {
            for (noise, factor) in [(0.01, 1.5), (0.05, 1.5), (0.01, 2.0), (0.05, 2.0)] {
                let mut rng = seeded(5, 2);
                let (mut hit, mut late, mut never, mut early, mut asked) = (0, 0, 0, 0, 0);
                for _ in 0..curves() {
                    let family = family(&mut rng);
                    let later = if cell == "plain" { Later::Nothing } else { regression(&mut rng) };
                    let truth = Truth::draw(&mut rng, family, later, factor);
                    let reached = truth.share.iter().position(|s| *s >= 0.99);
                    let answer = grow(detector, &truth.measured(&mut rng, noise));
                    asked += 1;
                    let text = format!(
                        "{:?} {:?} {:?} of {}",
                        truth.family,
                        answer.map(|(k, l)| (k, truth.share[k], l, truth.share[l])),
                        reached,
                        truth.x.len()
                    );
                    match answer {
                        None => never += 1,
                        Some((_, last)) if reached.is_some_and(|r| last > r + 6) => late += 1,
                        Some((k, _)) if in_window(&truth, k) => {
                            hit += 1;
                            continue;
                        }
                        Some(_) => early += 1,
                    }
                    if verbose {
                        eprintln!("    {text}");
                    }
                }
                eprintln!(
                    "{name:9} {cell:10} noise {noise} factor {factor}: hit {:5.1} outside {:5.1} late {:5.1} never {:5.1}",
                    100.0 * f64::from(hit) / f64::from(asked),
                    100.0 * f64::from(early) / f64::from(asked),
                    100.0 * f64::from(late) / f64::from(asked),
                    100.0 * f64::from(never) / f64::from(asked)
                );
            }
        }
    }
}

#[test]
#[ignore = "prints a table, asserts nothing"]
fn hump_and_model_table() {
    let verbose = std::env::var("AUTOBENCH_KNEE_MISSES").is_ok();
    for (noise, factor) in [(0.01, 1.5), (0.05, 1.5), (0.01, 2.0), (0.05, 2.0)] {
        let mut rng = seeded(9, 3);
        let (mut asked, mut settled) = (0, 0);
        let mut rise = [0; 3];
        for _ in 0..curves() {
            let wild = std::env::var("WILD").is_ok();
            let (truth, until, within) = loop {
                let family = family(&mut rng);
                let within = between(&mut rng, 0.3, 2.0);
                let truth = Truth::draw(&mut rng, family, Later::Nothing, factor);
                let room = (truth.x[truth.x.len() - 1] / truth.bend).log2();
                let until = between(&mut rng, 0.5, (room - within - 3.0).max(0.6));
                if room - until - within < 3.0 {
                    continue;
                }
                if wild || truth.share_at(truth.bend * 2f64.powf(until + within)) > 0.9 {
                    break (truth, until, within);
                }
            };
            let later = Later::Hump { factor: between(&mut rng, 1.3, 6.0), until, within };
            let truth = truth.changed(later);
            let top = (0..truth.y.len())
                .max_by(|a, b| truth.y[*a].total_cmp(&truth.y[*b]))
                .expect("points");
            let curve = truth.measured(&mut rng, noise);
            asked += 1;
            let end = truth.bend * 2f64.powf(until + within);
            let answer = knee(named("plateau"), &curve);
            // Settled: not before the fall is almost done, and not much later than it is.
            let good = answer.is_some_and(|k| {
                let level = truth.y[truth.y.len() - 1];
                (truth.y[k] / level - 1.0).abs() < 0.12
                    && truth.x[k] > truth.bend * 2f64.powf(until)
                    && truth.x[k] <= end * 4.0
            });
            settled += usize::from(good);
            if verbose && !good {
                eprintln!(
                    "  plateau {:?} {:?} y {:?} level {}",
                    truth.family,
                    truth.later,
                    answer.map(|k| (truth.x[k] / end).log2()),
                    answer.map_or(0.0, |k| truth.y[k])
                );
            }
            for (count, name) in rise.iter_mut().zip(["triangle", "kneedle", "hockney"]) {
                let answer = knee(named(name), &curve);
                let good = if name == "hockney" {
                    answer.is_none_or(|k| k <= top)
                } else {
                    answer.is_some_and(|k| k <= top && truth.y[k] > 0.4 * truth.y[top])
                };
                *count += usize::from(good);
                if verbose && !good {
                    eprintln!("  {name} {:?} {:?} {answer:?} top {top}", truth.family, truth.later);
                }
            }
        }
        eprintln!(
            "hump noise {noise} factor {factor}: plateau settled {:.1}, on the rise: triangle {:.1} kneedle {:.1} hockney {:.1}",
            100.0 * settled as f64 / asked as f64,
            100.0 * rise[0] as f64 / asked as f64,
            100.0 * rise[1] as f64 / asked as f64,
            100.0 * rise[2] as f64 / asked as f64
        );
        let (mut own, mut other, mut others) = (0, 0, 0);
        let mut by: std::collections::BTreeMap<String, (usize, usize)> = Default::default();
        for _ in 0..curves() {
            let truth = Truth::draw(&mut rng, Family::Hyperbola, Later::Nothing, factor);
            let wanted = 9.0 * truth.bend;
            let answer = knee(named("hockney"), &truth.measured(&mut rng, noise));
            own += usize::from(
                answer.is_some_and(|k| (truth.x[k] / wanted).log2().abs() <= factor.log2() * 1.5),
            );
            let shape = loop {
                let f = family(&mut rng);
                if f != Family::Hyperbola {
                    break f;
                }
            };
            let truth = Truth::draw(&mut rng, shape, Later::Nothing, factor);
            let found = find(
                named("hockney"),
                &truth.measured(&mut rng, noise),
                &settings(),
                Preparation::Prepared,
            );
            let said = found.knee.is_none() && found.why.contains("not this model");
            others += 1;
            other += usize::from(said);
            let entry = by
                .entry(
                    format!("{shape:?}")
                        .split('(')
                        .take(if matches!(shape, Family::TwoSlopes(_)) { 1 } else { 2 })
                        .collect(),
                )
                .or_default();
            entry.0 += usize::from(said);
            entry.1 += 1;
        }
        eprintln!(
            "hockney noise {noise} factor {factor}: own {:.1}, other {:.1} {by:?}",
            100.0 * own as f64 / curves() as f64,
            100.0 * other as f64 / others as f64
        );
    }
    let _ = seeded(0, 0).random::<u8>();
}
