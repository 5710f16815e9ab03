//! `zmethod`: points where the curve bends far more than elsewhere, by the z-score of the second
//! derivative, with a minimum distance between them. Estro, Antunes, Bhandari, Gandhi, Kuenning,
//! Liu, Waldspurger, Wildani and Zadok (2023), as implemented by Kneeliverse for falling miss
//! ratios.

use math::second_derivatives;

use super::{Curve, Detection, Detector, DetectorSettings, Preparation, View, curve::plane::plane};

inventory::submit!(Detector {
    name: "zmethod",
    about: "the sharpest of the points whose bend stands out from the others'",
    reference: "Estro et al.: Accelerating Multi-Tier Storage Cache Simulations Using Knee Detection (2023)",
    knobs: &[],
    view: View::Rise,
    detect,
});

/// The search starts at this z-score and goes down.
const FIRST: f64 = 3.0;

/// The z-score is lowered in steps of this size.
const STEP: f64 = 0.05;

/// Minimum distance between knees, as a share of the points in x and of the range in y.
const APART: f64 = 0.05;

fn detect(curve: &Curve, settings: &DetectorSettings) -> Detection {
    let mut plane = match plane(curve, settings) {
        Ok(plane) => plane,
        Err(why) => return Detection::none(why),
    };
    if settings.preparation == Preparation::Prepared {
        // The method is made for falling curves, and measures x in points.
        let points = plane.x.len() as f64;
        plane.x.iter_mut().for_each(|x| *x *= points);
        plane.y.iter_mut().for_each(|y| *y = 1.0 - *y);
    }
    let mut found = outstanding(&plane.x, &plane.y);
    if settings.preparation == Preparation::Raw {
        cut_fractions(&mut found, &plane.x);
    }
    let sharpest: Vec<usize> = found.iter().map(|knee| knee.index).collect();
    let knees = falling(found);
    let Some(sharpest) = sharpest.into_iter().find(|index| knees.contains(index)) else {
        let why = match settings.preparation {
            Preparation::Raw => "no point at a y below one bends far more than the others",
            Preparation::Prepared => "no point bends far more than the others",
        };
        return Detection::none(why);
    };
    let count = knees.len();
    let why = if count == 1 { "the only one".to_owned() } else { format!("sharpest of {count}") };
    let mut detection = Detection::at(curve, plane.original(sharpest), why);
    for knee in knees {
        detection = detection.with("knee", curve.x()[plane.original(knee)]);
    }
    detection
}

/// A point with its z-score.
#[derive(Debug, Clone, Copy)]
struct Point {
    index: usize,
    x: f64,
    y: f64,
    z: f64,
}

/// The knees, in the order in which they are found.
fn outstanding(x: &[f64], y: &[f64]) -> Vec<Point> {
    let (low, high) = range(y);
    // A miss ratio that never falls below one has no knee.
    if x.len() < 4 || low >= 1.0 {
        return Vec::new();
    }
    let z = z_scores(x, &second_derivatives(x, y));
    let least = range(&z).0;
    if !z.iter().all(|z| z.is_finite()) {
        return Vec::new();
    }
    let width = (x.len() as f64 * APART).floor().max(1.0);
    let height = (high - low) * APART;
    let mut left: Vec<Point> =
        (0..x.len()).map(|i| Point { index: i, x: x[i], y: y[i], z: z[i] }).collect();
    let mut knees: Vec<Point> = Vec::new();
    let mut line = FIRST;
    while !left.is_empty() {
        let before = knees.len();
        let candidates: Vec<Point> = left.iter().copied().filter(|p| p.z >= line).collect();
        for best in lowest_of_groups(&candidates, width) {
            if knees.iter().all(|knee| (best.y - knee.y).abs() >= height) {
                knees.push(best);
                left.retain(|p| (p.x - best.x).abs() >= width && (p.y - best.y).abs() >= height);
            }
        }
        if knees.len() == before {
            if line <= least {
                break;
            }
            // Skip to the next point's z-score: nothing changes before.
            let next = left.iter().map(|p| p.z).filter(|z| *z < line).fold(least, f64::max);
            line -= STEP * ((line - next) / STEP).ceil().max(1.0);
        } else {
            line -= STEP;
        }
    }
    knees
}

/// As in Kneeliverse, a knee's x is truncated to a whole number. The knee moves to the first point
/// from there on; of several knees at one point, the last is kept.
fn cut_fractions(knees: &mut Vec<Point>, x: &[f64]) {
    let mut kept: Vec<Point> = Vec::new();
    for knee in knees.iter() {
        let whole = knee.x.trunc();
        let index = x.partition_point(|x| *x < whole);
        kept.retain(|other| other.index != index);
        kept.push(Point { index, x: whole, ..*knee });
    }
    *knees = kept;
}

/// The lowest point of each group of candidates that are closer together than `width`. Groups are
/// sorted by their weakest z-score, the strongest first; ties put the later group first.
fn lowest_of_groups(candidates: &[Point], width: f64) -> Vec<Point> {
    let mut best: Vec<Point> = candidates
        .chunk_by(|a, b| b.x - a.x < width)
        .filter_map(|group| {
            let weakest = group.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            let lowest = group.iter().copied().reduce(|a, b| if b.y < a.y { b } else { a });
            lowest.map(|lowest| Point { z: weakest, ..lowest })
        })
        .collect();
    best.sort_by(|a, b| a.z.total_cmp(&b.z));
    best.reverse();
    best
}

/// The indices of knees, sorted by x, that are not higher than the previous knee (at first: 1).
fn falling(mut knees: Vec<Point>) -> Vec<usize> {
    knees.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut level = 1.0;
    knees.retain(|knee| {
        let falls = knee.y <= level;
        if falls {
            level = knee.y;
        }
        falls
    });
    knees.iter().map(|knee| knee.index).collect()
}

/// z-scores of the values, with mean and deviation integrated over x.
fn z_scores(x: &[f64], values: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let between: Vec<f64> = values.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    let average = |of: &dyn Fn(f64) -> f64| {
        let sum: f64 = between.iter().zip(&weights).map(|(v, w)| of(*v) * w).sum();
        sum / weights.iter().sum::<f64>()
    };
    let mean = average(&|v| v);
    let deviation = average(&|v| (v - mean) * (v - mean)).sqrt();
    let unit = if deviation > 0.0 { deviation } else { 1.0 };
    values.iter().map(|v| (v - mean) / unit).collect()
}

fn range(values: &[f64]) -> (f64, f64) {
    let ends = |(low, high): (f64, f64), v: &f64| (low.min(*v), high.max(*v));
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_a_stair_of_caches_is_found() {
        // A miss ratio that falls at 20 and at 60 and stays level in between.
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let y: Vec<f64> = x
            .iter()
            .map(|x| 0.9 - 0.5 / (1.0 + (20.0 - x).exp()) - 0.3 / (1.0 + (60.0 - x).exp()))
            .collect();
        let knees = falling(outstanding(&x, &y));
        for step in [20.0, 60.0] {
            let near = knees.iter().filter(|at| (x[**at] - step).abs() <= 3.0).count();
            assert_eq!(near, 1, "{knees:?} around {step}");
        }
    }

    #[test]
    fn a_straight_line_has_no_outstanding_point() {
        let x: Vec<f64> = (0..20).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 3.0 - 0.05 * x).collect();
        assert!(outstanding(&x, &y).len() <= 1);
    }
}
