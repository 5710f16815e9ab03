//! What a user can choose about knees.

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

/// Everything a detector can be told.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How x is spaced.
    pub x_scale: Scale,
    /// Which way the curve bends.
    pub shape: Shape,
    /// Which way the curve goes.
    pub direction: Direction,
    /// Kneedle's S: how far the difference curve must fall behind a knee, in mean steps of x.
    pub sensitivity: f64,
    /// The first knee or the last.
    pub mode: Mode,
    /// What is put through the points.
    pub interpolation: Interpolation,
    /// The share of the sustained level that counts as saturated (`hockney`, `plateau`).
    pub share: f64,
    /// The smallest distance from the chord of the unit square that is a knee (`triangle`).
    pub threshold: f64,
    /// How much lower above the chord a later point may lie and still be the knee (`kneedle`,
    /// `triangle`): none as published, a little on prepared curves.
    pub tie: f64,
    /// The smallest coefficient of determination at which a model counts as fitting (`hockney`).
    pub least_r2: f64,
    /// How many resamples an interval is made of; 0 for none.
    pub resamples: usize,
    /// The confidence of intervals.
    pub confidence: f64,
    /// The seed of the resampling.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            x_scale: Scale::default(),
            shape: Shape::default(),
            direction: Direction::default(),
            sensitivity: 1.0,
            mode: Mode::default(),
            interpolation: Interpolation::default(),
            share: 0.9,
            threshold: 0.1,
            tie: 0.0,
            least_r2: 0.97,
            resamples: 200,
            confidence: 0.95,
            seed: 0,
        }
    }
}
