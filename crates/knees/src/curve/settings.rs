//! Settings of detectors.

use registry::{Allowed, Knob, Knobs};

/// On prepared curves, the top of a peak reaches down by this share of its height above the chord.
const TOP: f64 = 0.1;

/// Scale of the x axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum XScale {
    /// Linear.
    Linear,
    /// Logarithmic to base two: distances are octaves.
    #[default]
    Log,
}

impl XScale {
    /// Position of x on the axis.
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
    /// Bends down, like throughput that saturates.
    #[default]
    Concave,
    /// Bends up, like an elbow.
    Convex,
}

/// Whether a curve rises or falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// y grows with x.
    #[default]
    Increasing,
    /// y falls with x.
    Decreasing,
}

/// Which of several knees is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The first knee of the whole curve.
    #[default]
    Offline,
    /// The last knee, corrected as points arrive.
    Online,
}

/// Curve through the points that a detector sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// The points themselves.
    #[default]
    Linear,
    /// A least-squares polynomial of this degree.
    Polynomial(usize),
}

/// Whether a curve is prepared for a detector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preparation {
    /// Prepared by [`prepare`](crate::prepare).
    #[default]
    Prepared,
    /// The points as measured.
    Raw,
}

/// Settings of detectors, and of when a knee is accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct DetectorSettings {
    /// Scale of the x axis.
    pub x_scale: XScale,
    /// Which way the curve bends.
    pub shape: Shape,
    /// Whether the curve rises or falls.
    pub direction: Direction,
    /// Which of several knees is the answer.
    pub mode: Mode,
    /// Curve through the points.
    pub interpolation: Interpolation,
    /// Whether the detector sees a raw curve (published methods) or a prepared one (improved
    /// methods).
    pub preparation: Preparation,
    /// Number of resamples for an interval; 0 for no interval.
    pub resamples: usize,
    /// Confidence of intervals.
    pub confidence: f64,
    /// Knobs of the detectors and of the acceptance of a knee.
    pub knobs: Knobs,
    /// Seed of the resampling.
    pub seed: u64,
}

pub(crate) const ACCEPTANCE: &[Knob] = &[
    Knob {
        name: "least_points",
        about: "sizes that a curve needs, besides the confirming ones, before its knee is confirmed",
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

pub(crate) const SHARE: Knob = Knob {
    name: "share",
    about: "the share of the sustained level that counts as saturated",
    default: "0.9",
    allowed: Allowed::Number(0.01, 0.999),
};

impl DetectorSettings {
    /// Share of a peak's height that its top reaches down; the knee is the middle of the top. On
    /// raw curves 0: the knee is the peak, as published.
    pub(crate) fn top(&self) -> f64 {
        match self.preparation {
            Preparation::Raw => 0.0,
            Preparation::Prepared => TOP,
        }
    }
}
