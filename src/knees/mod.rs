//! Knees of curves: where more of x stops paying in y. Pure functions of a curve.
//!
//! A curve is prepared in one documented step ([`prepare`]) and handed to a detector of the
//! registry; [`find`] does both and adds an interval. [`confirm`] decides, while a curve is still
//! being measured, whether its knee is settled. One file per detector.

mod answer;
mod curve;

// Every detector, a line each.
mod hockney;
mod kneedle;
mod plateau;
mod triangle;

pub use answer::{
    confidence::compare,
    confirmation::{Confirmation, confirm, has_risen},
    find::{find, find_repeated},
    finding::{Confidence, Finding, Preparation},
};
pub use curve::{
    Curve, CurveError,
    preparation::{Cut, Prepared, prepare},
    repeated::{Reading, Repeated},
    settings::{Direction, Interpolation, Mode, Scale, Settings, Shape},
};

use crate::registry::{Entry, Named, Registry};

/// A way to find the knee of a curve.
pub trait Detector: Sync {
    /// The name that flags and records use.
    fn name(&self) -> &'static str;

    /// One line for lists: what it calls a knee.
    fn about(&self) -> &'static str;

    /// Where the method comes from.
    fn reference(&self) -> &'static str;

    /// Which part of a prepared curve it wants to see.
    fn view(&self) -> View {
        View::Rise
    }

    /// The knee of a curve, exactly as it is given.
    fn detect(&self, curve: &Curve, settings: &Settings) -> Detection;
}

/// What a detector sees of a prepared curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The smoothed curve from its steepest rise to where the rise has ended.
    Rise,
    /// Every point, thinned at most; for detectors that weigh noise and falls themselves.
    Whole,
}

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knee {
    /// Its position in the curve that was searched.
    pub index: usize,
    /// Its x.
    pub x: f64,
}

/// What a detector says about a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// The knee, if there is one.
    pub knee: Option<Knee>,
    /// Why there is no knee, or how good the answer is, in words.
    pub why: String,
    /// Figures of the method by name, for example `r_inf`.
    pub facts: Vec<(String, f64)>,
}

impl Detection {
    /// No knee, and why.
    #[must_use]
    pub fn none(why: impl Into<String>) -> Self {
        Self { knee: None, why: why.into(), facts: Vec::new() }
    }

    /// A knee at a position of the curve, and what speaks for it.
    #[must_use]
    pub fn at(curve: &Curve, index: usize, why: impl Into<String>) -> Self {
        Self { knee: Some(Knee { index, x: curve.x()[index] }), why: why.into(), facts: Vec::new() }
    }

    /// The same answer about the curve that another was made of, `at` being where from.
    #[must_use]
    pub(crate) fn mapped(mut self, original: &Curve, at: &[usize]) -> Self {
        self.knee = self
            .knee
            .map(|knee| at[knee.index])
            .map(|index| Knee { index, x: original.x()[index] });
        self
    }

    /// Adds a figure.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.facts.push((name.to_owned(), value));
        self
    }
}

inventory::collect!(Entry<dyn Detector>);

/// Every detector.
pub static DETECTORS: Registry<dyn Detector> = Registry::new("detector");

impl Named for dyn Detector {
    fn name(&self) -> &'static str {
        Detector::name(self)
    }

    fn about(&self) -> &'static str {
        Detector::about(self)
    }
}
