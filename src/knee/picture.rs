//! Draws a curve and its knees.

use std::path::Path;

use knees::{Curve, DetectorSettings, Finding, XScale};
use records::{FileFault, KneeFinding};
use report::exporters::{AxisScale, CurvePlot, plot_curve, png};

use crate::terminal::Failure;

/// Rejects unknown picture formats before any work is done.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    let known = path.extension().is_some_and(|e| e == "svg" || e == "png");
    if known {
        return Ok(());
    }
    Err(Failure::settings(format!("`{}` ends in neither .svg nor .png", path.display())))
}

pub(super) fn draw(
    path: &Path,
    source: &Path,
    (curve, names): (&Curve, &(String, String)),
    findings: &[Finding],
    settings: &DetectorSettings,
) -> Result<(), Failure> {
    let points: Vec<(f64, f64)> =
        curve.x().iter().copied().zip(curve.y().iter().copied()).collect();
    let knees: Vec<KneeFinding> = findings.iter().map(|f| drawn(f, curve)).collect();
    let x_scale = match settings.x_scale {
        XScale::Log => AxisScale::Log,
        XScale::Linear => AxisScale::Linear,
    };
    let title = match source.file_name() {
        Some(name) if source != Path::new("-") => format!("Knees of {}", name.to_string_lossy()),
        _ => "Knees".to_owned(),
    };
    let plot = CurvePlot {
        title: &title,
        x_title: &names.0,
        y_title: &names.1,
        points: &points,
        spread: curve.spread(),
        knees: &knees,
        x_scale,
        y_scale: AxisScale::Linear,
    };
    let failed = |error| Failure::bug(format!("could not draw `{}`: {error}", path.display()));
    let svg = plot_curve(&plot).map_err(failed)?;
    let bytes = if path.extension().is_some_and(|e| e == "png") {
        png(&svg).map_err(failed)?
    } else {
        svg.into_bytes()
    };
    std::fs::write(path, bytes).map_err(FileFault::writing(path)).map_err(Failure::settings)
}

/// Converts a finding to the exporters' type.
fn drawn(finding: &Finding, curve: &Curve) -> KneeFinding {
    KneeFinding {
        detector: finding.detector.to_owned(),
        knee: finding.knee.map(|k| k.x),
        interval: finding.interval,
        share: finding.share,
        why: finding.why.clone(),
        facts: finding.facts.iter().cloned().collect(),
        points: curve.len() as u64,
        confidence: finding.confidence.word().to_owned(),
        against: finding.against.clone(),
        rounds: 0,
        ..KneeFinding::default()
    }
}
