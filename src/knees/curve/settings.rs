//! What a user can choose about knees.

use crate::registry::{Allowed, Knob, Knobs};

/// How x is spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// As it is.
    Linear,
    /// By its logarithm to base two, so that lengths are octaves.
    #[default]
    Log,
}

impl Scale {
    /// Where an x lies on the axis.
    #[must_use]
    pub fn position(self, x: f64) -> f64 {
        match self {
            Self::Linear => x,
            Self::Log => x.log2(),
        }
    }
}

/// Which way a curve bends at its knee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// Like a throughput that saturates.
    #[default]
    Concave,
    /// Like an elbow.
    Convex,
}

/// Which way a curve goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// y grows with x.
    #[default]
    Increasing,
    /// y falls with x.
    Decreasing,
}

/// Whether the first knee is the answer or the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The first knee of the whole curve.
    #[default]
    Offline,
    /// The last knee, corrected as points come in.
    Online,
}

/// What is put through the points before a detector looks at them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// The points themselves.
    #[default]
    Linear,
    /// A least-squares polynomial of this degree.
    Polynomial(usize),
}

/// Everything a detector can be told. The defaults stand beside the registry, whose detectors declare
/// the knobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How x is spaced.
    pub x_scale: Scale,
    /// Which way the curve bends.
    pub shape: Shape,
    /// Which way the curve goes.
    pub direction: Direction,
    /// The first knee or the last.
    pub mode: Mode,
    /// What is put through the points.
    pub interpolation: Interpolation,
    /// How much lower above the chord a later point may lie and still be the knee (`kneedle`,
    /// `triangle`): none as published, a little on prepared curves.
    pub tie: f64,
    /// How many resamples an interval is made of; 0 for none.
    pub resamples: usize,
    /// The confidence of intervals.
    pub confidence: f64,
    /// What detectors and the acceptance of a knee declare, by name.
    pub knobs: Knobs,
    /// The seed of the resampling.
    pub seed: u64,
}

/// What the acceptance of a knee can be told.
pub(in crate::knees) const ACCEPTANCE: &[Knob] = &[
    Knob {
        name: "least_points",
        about: "no knee is accepted before this many sizes",
        default: "5",
        allowed: Allowed::Integer(3, 1000),
    },
    Knob {
        name: "confirming_sizes",
        about: "how many larger sizes must leave the knee where it is, by one step at most",
        default: "3",
        allowed: Allowed::Integer(0, 1000),
    },
];

/// The knob of detectors that name a level.
pub(in crate::knees) const SHARE: Knob = Knob {
    name: "share",
    about: "the share of the sustained level that counts as saturated",
    default: "0.9",
    allowed: Allowed::Number(0.01, 0.999),
};

impl Settings {
    /// The share of the level that counts as saturated.
    pub(in crate::knees) fn share(&self) -> f64 {
        self.knobs.number(SHARE.name)
    }
}
