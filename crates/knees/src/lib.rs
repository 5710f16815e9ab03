//! Knees of curves: where more of x stops paying in y. Pure functions, with a file for each
//! detector. [`prepare`] prepares a curve for a registered detector; [`find`] does both and adds an
//! interval. [`confirm`] decides whether a knee is confirmed while its curve is still being
//! measured.
//!
//! It never knows studies, kernels and files. Begin with `answer/find.rs`.

mod answer;
mod curve;
mod rounds;

// Detectors.
mod dfdt;
mod hockney;
mod kneedle;
mod lmethod;
mod menger;
mod plateau;
mod triangle;
mod zmethod;

use std::collections::BTreeMap;

pub use answer::{
    confidence::{LEAST_ROUNDS, SETTLED_PROBABILITY, compare},
    confirmation::{Confirmation, confirm, has_levelled_off},
    find::{find, find_repeated},
    finding::{Confidence, Finding},
    support::confirmed,
};
pub use curve::{
    Curve, CurveError,
    levels::{Level, levels, reaches},
    preparation::{Cut, PreparedCurve, prepare},
    settings::{DetectorSettings, Direction, Interpolation, Mode, Preparation, Shape, XScale},
};

pub use rounds::curve::{CurveValue, Faster, MachineInRounds, RepeatedCurve};
pub use rounds::fit::STATES_FROM;

use registry::{Knob, KnobError, Knobs, Registered, Registry};

/// A way to find the knee of a curve.
#[derive(Debug)]
pub struct Detector {
    /// The name that flags and records use.
    pub name: &'static str,
    /// One line for lists: the detector's definition of a knee.
    pub about: &'static str,
    /// Source of the method.
    pub reference: &'static str,
    /// Settings of the detector.
    pub knobs: &'static [Knob],
    /// The part of a prepared curve that the detector sees.
    pub view: View,
    /// Finds the knee of a curve, exactly as the curve is given.
    pub detect: fn(&Curve, &DetectorSettings) -> Detection,
}

/// Knobs of all detectors, and of when a knee is accepted. A name means the same everywhere.
#[must_use]
pub fn knobs() -> Vec<Knob> {
    let mut all: Vec<Knob> = curve::settings::ACCEPTANCE.to_vec();
    for knob in DETECTORS.iter().flat_map(|detector| detector.knobs) {
        if all.iter().all(|known| known.name != knob.name) {
            all.push(*knob);
        }
    }
    all
}

impl DetectorSettings {
    /// The share of the level that counts as saturated.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.knobs.number(curve::settings::SHARE.name)
    }

    /// The same settings with these knobs.
    ///
    /// # Errors
    /// If a name is unknown, or a value is not allowed.
    pub fn with_knobs(self, given: &BTreeMap<String, String>) -> Result<Self, KnobError> {
        Ok(Self { knobs: Knobs::of(&knobs(), given)?, ..self })
    }
}

impl Default for DetectorSettings {
    fn default() -> Self {
        Self {
            x_scale: XScale::default(),
            shape: Shape::default(),
            direction: Direction::default(),
            mode: Mode::default(),
            interpolation: Interpolation::default(),
            preparation: Preparation::Raw,
            resamples: 200,
            confidence: 0.95,
            knobs: Knobs::parse(&knobs(), &[] as &[&str]).unwrap_or_default(),
            seed: 0,
        }
    }
}

/// The part of a prepared curve that a detector sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The smoothed curve from its steepest rise to the end of the rise.
    Rise,
    /// Every point, at most thinned; for detectors that handle noise and falls themselves.
    Whole,
}

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knee {
    /// Index in the curve that was searched.
    pub index: usize,
    /// Value of x there.
    pub x: f64,
}

/// A detector's result on a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// The knee, if there is one.
    pub knee: Option<Knee>,
    /// Why there is no knee, or how good the answer is.
    pub why: String,
    /// Values that the method computed, by name, for example `r_inf`.
    pub facts: Vec<(String, f64)>,
}

impl Detection {
    /// A result without a knee, with the reason.
    #[must_use]
    pub fn none(why: impl Into<String>) -> Self {
        Self { knee: None, why: why.into(), facts: Vec::new() }
    }

    /// A result with the knee at an index of the curve, and what supports it.
    #[must_use]
    pub fn at(curve: &Curve, index: usize, why: impl Into<String>) -> Self {
        Self { knee: Some(Knee { index, x: curve.x()[index] }), why: why.into(), facts: Vec::new() }
    }

    /// The same result about the original curve; `at` maps indices to it.
    #[must_use]
    pub(crate) fn mapped(mut self, original: &Curve, at: &[usize]) -> Self {
        self.knee = self
            .knee
            .map(|knee| at[knee.index])
            .map(|index| Knee { index, x: original.x()[index] });
        self
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.facts.push((name.to_owned(), value));
        self
    }
}

inventory::collect!(Detector);

/// Every detector.
pub static DETECTORS: Registry<Detector> = Registry::new("detector");

impl Registered for Detector {
    fn name(&self) -> &'static str {
        self.name
    }
}

#[cfg(test)]
mod tests {
    use registry::parse_knob;

    use super::*;

    #[test]
    fn a_knob_means_the_same_wherever_it_is_declared_and_has_its_default() {
        let all = knobs();
        for detector in DETECTORS.iter() {
            for knob in detector.knobs {
                let known = all.iter().find(|known| known.name == knob.name);
                assert_eq!(known, Some(knob), "`{}` of `{}`", knob.name, detector.name());
            }
        }
        let defaults = DetectorSettings::default().knobs;
        assert!(all.iter().all(|knob| !defaults.given(knob.name)));
    }

    #[test]
    fn knobs_change_what_is_answered() {
        let x: Vec<f64> = (0..12).map(|at| f64::from(1 << at)).collect();
        let y: Vec<f64> = x.iter().map(|x| x / (x + 64.0)).collect();
        let curve = Curve::new(&x, &y).expect("a curve");
        let one = |knob: &str| BTreeMap::from([parse_knob(knob).expect("a pair")]);
        let knee = |detector: &str, knob: &str| {
            let settings = DetectorSettings::default().with_knobs(&one(knob)).expect("a knob");
            let detector = DETECTORS.find(detector).expect("registered");
            find(detector, &curve, &settings, Preparation::Prepared).knee.map(|knee| knee.index)
        };
        for detector in ["hockney", "plateau"] {
            assert!(knee(detector, "share=0.5") < knee(detector, "share=0.9"), "{detector}");
        }
        assert_eq!(knee("triangle", "threshold=0.9"), None);
        assert!(knee("triangle", "threshold=0.1").is_some());
        let refused =
            DetectorSettings::default().with_knobs(&one("shear=0.5")).expect_err("no such knob");
        assert!(refused.to_string().contains("share"), "{refused}");
    }
}
