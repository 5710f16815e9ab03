//! Generated curves with known knees, for the tests.
#![allow(dead_code, reason = "every test file uses its part")]

pub(crate) mod noise;

use knees::Curve;
use math::{Rng, normal};
use rand::RngExt;

/// The formula of a throughput curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Family {
    /// x / (x + b).
    Hyperbola,
    /// 1 − e^(−x/b).
    Exponential,
    /// A power of one of these two.
    PowerOf(Saturating, f64),
    /// Two straight lines over log x: up to the share `at` of the plateau at the bend, then slowly
    /// to 1.
    TwoSlopes(f64),
}

/// The base of a power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Saturating {
    Hyperbola,
    Exponential,
}

/// What happens after the rise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Later {
    Nothing,
    /// A fall by this share over the last octaves, at once or gradually.
    Regression {
        by: f64,
        octaves: f64,
        gradual: bool,
    },
    /// A bump by this factor, from the start to `until` octaves after the bend, that vanishes
    /// within `within` octaves.
    Hump {
        factor: f64,
        until: f64,
        within: f64,
    },
}

/// A curve without noise.
#[derive(Debug, Clone)]
pub(crate) struct Truth {
    pub(crate) family: Family,
    pub(crate) later: Later,
    pub(crate) x: Vec<f64>,
    pub(crate) bend: f64,
    /// The value at every x.
    pub(crate) y: Vec<f64>,
    /// The share of the plateau that is reached, without the later change.
    pub(crate) share: Vec<f64>,
}

pub(crate) fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.random::<f64>()
}

impl Truth {
    /// Draws the axis and the bend: 16 to 24 octaves, with the bend at 35 to 65 % of the way.
    pub(crate) fn draw(rng: &mut Rng, family: Family, later: Later, factor: f64) -> Self {
        let octaves = between(rng, 16.0, 24.0);
        let first = between(rng, 6.0, 14.0);
        let bend = 2f64.powf(first + octaves * between(rng, 0.35, 0.65));
        let count = (octaves / factor.log2()).floor() as i32 + 1;
        let x: Vec<f64> = (0..count).map(|i| 2f64.powf(first) * factor.powi(i)).collect();
        let mut truth = Self { family, later, share: Vec::new(), y: Vec::new(), bend, x };
        truth.share = truth.x.iter().map(|&x| truth.share_at(x)).collect();
        truth.y = truth.x.iter().zip(&truth.share).map(|(&x, s)| s * truth.change_at(x)).collect();
        truth
    }

    /// The same curve with another change after its rise.
    pub(crate) fn changed(mut self, later: Later) -> Self {
        self.later = later;
        self.y = self.x.iter().zip(&self.share).map(|(&x, s)| s * self.change_at(x)).collect();
        self
    }

    pub(crate) fn share_at(&self, x: f64) -> f64 {
        let u = x / self.bend;
        match self.family {
            Family::Hyperbola => u / (u + 1.0),
            Family::Exponential => 1.0 - (-u).exp(),
            Family::PowerOf(Saturating::Hyperbola, p) => (u / (u + 1.0)).powf(p),
            Family::PowerOf(Saturating::Exponential, p) => (1.0 - (-u).exp()).powf(p),
            Family::TwoSlopes(at) => {
                let (low, high) = (self.x[0].log2(), self.x[self.x.len() - 1].log2());
                let (here, bend) = (x.log2(), self.bend.log2());
                if here <= bend {
                    0.02 + (at - 0.02) * (here - low) / (bend - low)
                } else {
                    at + (1.0 - at) * (here - bend) / (high - bend)
                }
            }
        }
    }

    fn change_at(&self, x: f64) -> f64 {
        let last = self.x[self.x.len() - 1];
        match self.later {
            Later::Nothing => 1.0,
            Later::Regression { by, octaves, gradual } => {
                let into = octaves - (last / x).log2();
                if into <= 0.0 {
                    1.0
                } else if gradual {
                    1.0 - by * into / octaves
                } else {
                    1.0 - by
                }
            }
            Later::Hump { factor, until, within } => {
                let past = (x / self.bend).log2() - until;
                1.0 + (factor - 1.0) * (1.0 - past / within).clamp(0.0, 1.0)
            }
        }
    }

    /// The measured curve: relative normal noise is added to every value.
    pub(crate) fn measured(&self, rng: &mut Rng, noise: f64) -> Curve {
        let y: Vec<f64> =
            self.y.iter().map(|y| y * (1.0 + noise * normal(rng)).max(0.05)).collect();
        Curve::new(&self.x, &y).expect("finite points")
    }
}

/// Draws evenly from the families that the detectors make promises about.
pub(crate) fn family(rng: &mut Rng) -> Family {
    let power = [0.7, 1.5, 2.0][rng.random_range(0..3usize)];
    match rng.random_range(0..5) {
        0 => Family::Hyperbola,
        1 => Family::Exponential,
        2 => Family::PowerOf(Saturating::Hyperbola, power),
        3 => Family::PowerOf(Saturating::Exponential, power),
        _ => Family::TwoSlopes(between(rng, 0.82, 0.95)),
    }
}

/// A regression shorter than three octaves.
pub(crate) fn regression(rng: &mut Rng) -> Later {
    Later::Regression {
        by: between(rng, 0.05, 0.25),
        octaves: between(rng, 0.6, 2.95),
        gradual: rng.random_range(0..2) == 0,
    }
}

/// A cache hump on a curve that has risen by then; the lower level holds for three octaves.
pub(crate) fn with_hump(rng: &mut Rng, factor: f64) -> Truth {
    loop {
        let family = family(rng);
        let truth = Truth::draw(rng, family, Later::Nothing, factor);
        let within = between(rng, 0.3, 2.0);
        let room = (truth.x[truth.x.len() - 1] / truth.bend).log2() - within - 3.0;
        let until = between(rng, 0.5, room.max(0.6));
        if until < room && truth.share_at(truth.bend * 2f64.powf(until + within)) > 0.9 {
            return truth.changed(Later::Hump { factor: between(rng, 1.3, 6.0), until, within });
        }
    }
}
