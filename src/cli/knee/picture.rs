//! The picture of a curve and its knees. The drawing itself belongs to the exporters.

use std::path::Path;

use super::Failure;
use crate::{
    exporters::{CurvePlot, FigureError, Scale, plot_curve, png},
    knees::{self, Curve, Finding, Settings},
    records::{KneeFinding, write_whole},
};

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
    curve: &Curve,
    findings: &[Finding],
    settings: &Settings,
) -> Result<(), Failure> {
    let undrawn = |why: FigureError| Failure::settings(format!("`{}`: {why}", path.display()));
    let svg = plot(curve, findings, settings).map_err(undrawn)?;
    let bytes = match path.extension() {
        Some(ending) if ending == "png" => png(&svg).map_err(undrawn)?,
        _ => svg.into_bytes(),
    };
    write_whole(path, &bytes)
        .map_err(|e| Failure::settings(format!("cannot write `{}`: {e}", path.display())))
}

fn plot(curve: &Curve, findings: &[Finding], settings: &Settings) -> Result<String, FigureError> {
    let points: Vec<(f64, f64)> =
        curve.x().iter().copied().zip(curve.y().iter().copied()).collect();
    let knees: Vec<KneeFinding> = findings
        .iter()
        .map(|finding| KneeFinding {
            detector: finding.detector.to_owned(),
            knee: finding.knee.map(|knee| knee.x),
            interval: finding.interval,
            share: finding.share,
            why: finding.why.clone(),
            facts: finding.facts.iter().cloned().collect(),
            points: points.len() as u64,
        })
        .collect();
    plot_curve(&CurvePlot {
        title: "knees of the curve",
        x_title: "x",
        y_title: "y",
        points: &points,
        spread: curve.spread(),
        knees: &knees,
        // A logarithm has no place for what is not positive.
        x_scale: match settings.x_scale {
            knees::Scale::Log if points.iter().all(|(x, _)| *x > 0.0) => Scale::Log,
            _ => Scale::Linear,
        },
        y_scale: Scale::Linear,
    })
}
