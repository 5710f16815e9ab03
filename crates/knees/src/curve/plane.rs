//! The coordinates in which a shape detector works: the given numbers for a raw curve, as in the
//! published programs; the unit square for a prepared curve, so that units do not matter.

use super::chord::{positions, unit_curve};
use crate::{Curve, DetectorSettings, Preparation};

/// Points of a curve. In the unit square, they rise and bend down.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plane {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    mirrored: bool,
}

impl Plane {
    /// Index in the original curve.
    pub(crate) fn original(&self, index: usize) -> usize {
        if self.mirrored { self.x.len() - 1 - index } else { index }
    }
}

/// Puts a curve of at least three points into its plane, or explains why it cannot.
pub(crate) fn plane(curve: &Curve, settings: &DetectorSettings) -> Result<Plane, String> {
    if curve.len() < 3 {
        return Err(format!("{} points; it needs at least three", curve.len()));
    }
    match settings.preparation {
        Preparation::Raw => {
            Ok(Plane { x: positions(curve, settings)?, y: curve.y().to_vec(), mirrored: false })
        }
        Preparation::Prepared => {
            let unit = unit_curve(curve, settings)?;
            let y = unit.above.iter().zip(&unit.x).map(|(above, x)| above + x).collect();
            Ok(Plane { y, mirrored: unit.mirrored, x: unit.x })
        }
    }
}
