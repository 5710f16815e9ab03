//! Measures how long each detector takes on 10, 100, 1,000 and 10,000 points, raw and prepared:
//! `cargo bench --bench knees`
#![expect(clippy::print_stdout, reason = "a benchmark speaks to people")]

use std::{hint::black_box, time::Instant};

use knees::{Curve, DETECTORS, DetectorSettings, Preparation, find};
use math::{median, normal, seeded};

fn main() {
    println!("{:<10} {:>8} {:>12} {:>12}", "detector", "points", "raw, us", "prepared, us");
    let settings = DetectorSettings { resamples: 0, ..DetectorSettings::default() };
    for detector in DETECTORS.iter() {
        for points in [10, 100, 1_000, 10_000] {
            let mut rng = seeded(1, 0);
            let x: Vec<f64> =
                (0..points).map(|i| 2f64.powf(10.0 + 20.0 * i as f64 / points as f64)).collect();
            let y: Vec<f64> = x
                .iter()
                .map(|x| x / (x + 2f64.powi(20)) * (1.0 + 0.01 * normal(&mut rng)))
                .collect();
            let curve = Curve::new(&x, &y).unwrap_or_else(|error| panic!("{error}"));
            let time = |preparation| {
                let samples: Vec<f64> = (0..51)
                    .map(|_| {
                        let start = Instant::now();
                        black_box(find(detector, black_box(&curve), &settings, preparation));
                        start.elapsed().as_secs_f64() * 1e6
                    })
                    .collect();
                median(&samples)
            };
            let (raw, prepared) = (time(Preparation::Raw), time(Preparation::Prepared));
            println!("{:<10} {points:>8} {raw:>12.1} {prepared:>12.1}", detector.name);
        }
    }
}
