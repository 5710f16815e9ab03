//! The picture of a curve and its knees. The drawing itself belongs to the exporters.

use std::path::Path;

use super::Failure;
use crate::knees::{Curve, Finding, Settings};

/// Refuses what cannot be drawn before any work is done.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    let known = path.extension().is_some_and(|e| e == "svg" || e == "png");
    if known {
        return Ok(());
    }
    Err(Failure::settings(format!("`{}` ends in neither .svg nor .png", path.display())))
}

/// Draws the curve with its knees.
pub(super) fn draw(
    path: &Path,
    _curve: &Curve,
    _findings: &[Finding],
    _settings: &Settings,
) -> Result<(), Failure> {
    Err(Failure::bug(format!("`{}` was not drawn: no exporter draws curves yet", path.display())))
}
