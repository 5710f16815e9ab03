//! The plane that a detector of shape works in: the given numbers of a raw curve, as published
//! programs take them, or the unit square of a prepared one, so that units do not matter.

use super::chord::unit_curve;
use crate::knees::{Curve, DetectorSettings, Preparation};

/// Points of a curve; those in the unit square rise and bend down.
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

/// Puts a curve into its plane, or says why it has none.
pub(crate) fn plane(curve: &Curve, settings: &DetectorSettings) -> Result<Plane, String> {
    match settings.preparation {
        Preparation::Raw => {
            let x: Vec<f64> = curve.x().iter().map(|&x| settings.x_scale.position(x)).collect();
            if x.iter().any(|x| !x.is_finite()) {
                return Err(
                    "a logarithmic axis needs sizes above zero; use the linear scale".to_owned()
                );
            }
            Ok(Plane { x, y: curve.y().to_vec(), mirrored: false })
        }
        Preparation::Prepared => {
            let unit = unit_curve(curve, settings)?;
            let y = unit.above.iter().zip(&unit.x).map(|(above, x)| above + x).collect();
            Ok(Plane { y, mirrored: unit.mirrored, x: unit.x })
        }
    }
}
