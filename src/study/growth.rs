//! Whether a larger size follows: the knee so far, failures and the budget.

use super::{Chronicle, Plan, StudyFault};
use crate::{
    knees::{Confirmation, Curve, Finding, Growth, confirm, find},
    records::{KneeFinding, SizeClosed},
};

/// Sizes that are measured whatever the budget says: no knee is accepted before five points.
const LEAST_SIZES: usize = 5;

/// The reason to stop when the study's seconds are spent.
pub(super) fn ended_by_budget(plan: &Plan, chronicle: &Chronicle, done: usize) -> Option<String> {
    let limit = plan.settings.budget.seconds?;
    let charged = chronicle.charged();
    (done >= LEAST_SIZES && charged >= limit && chronicle.closed().len() <= done).then(|| {
        format!(
            "the budget of {limit:.0} s is spent ({charged:.0} s charged); raise it with --time"
        )
    })
}

/// The reason to stop after a size that could not be measured.
pub(super) fn ended_by_failure(chronicle: &Chronicle, size: u64) -> Option<String> {
    let closed = chronicle.closed();
    let point = closed.get(&size)?;
    point.best.is_none().then(|| format!("size {size} could not be measured: {}", point.why))
}

/// The curve of the metric over the sizes, from closed sizes alone.
pub(super) fn curve(closed: &[&SizeClosed]) -> Option<Curve> {
    let mut x = Vec::new();
    let mut y = Vec::new();
    let mut samples = Vec::new();
    for point in closed {
        let Some(metric) = point.best.as_ref().and_then(|best| best.metric.as_ref()) else {
            continue;
        };
        x.push(point.size as f64);
        y.push(metric.value);
        samples.push(metric.samples.clone());
    }
    let samples = samples.iter().all(|s| s.len() > 1).then_some(samples);
    Curve::with_noise(&x, &y, None, samples.as_deref()).ok()
}

/// Asks every detector, writes what it says, and accepts the first one's knee once it is
/// confirmed.
pub(super) fn knee_so_far(
    plan: &Plan,
    chronicle: &mut Chronicle,
) -> Result<Option<u64>, StudyFault> {
    if let Some(size) = chronicle.accepted() {
        return Ok(Some(size));
    }
    let closed = chronicle.closed();
    let points: Vec<&SizeClosed> = closed.values().copied().filter(|c| c.best.is_some()).collect();
    let (Some(deciding), Some(curve)) = (plan.detectors.first(), curve(&points)) else {
        return Ok(None);
    };
    let last = points.last().and_then(|p| p.best.as_ref()).map_or(0.0, |b| b.seconds.median);
    let confirmation = Confirmation {
        least_run_time: plan.settings.sizes.min_run_seconds,
        ..Confirmation::default()
    };
    let (settings, preparation) = (&plan.knee_settings, plan.preparation);
    let growth = confirm(*deciding, &curve, last, &confirmation, settings, preparation);
    let Growth::Accept(finding) = growth else { return Ok(None) };
    let Some(size) = finding.knee.map(|knee| points[knee.index].size) else { return Ok(None) };
    let why = format!("confirmed by larger sizes: {}", finding.why);
    chronicle.accept(deciding.name(), size, &why)?;
    Ok(Some(size))
}

/// What every named detector says of the whole curve, written to the chronicle.
pub(super) fn findings(
    plan: &Plan,
    chronicle: &mut Chronicle,
) -> Result<Vec<KneeFinding>, StudyFault> {
    let closed = chronicle.closed();
    let points: Vec<&SizeClosed> = closed.values().copied().filter(|c| c.best.is_some()).collect();
    let Some(curve) = curve(&points) else { return Ok(Vec::new()) };
    let findings: Vec<KneeFinding> = plan
        .detectors
        .iter()
        .map(|detector| {
            let finding = find(*detector, &curve, &plan.knee_settings, plan.preparation);
            record(&finding, curve.len())
        })
        .collect();
    for finding in &findings {
        chronicle.found(finding.clone())?;
    }
    Ok(findings)
}

fn record(finding: &Finding, points: usize) -> KneeFinding {
    KneeFinding {
        detector: finding.detector.to_owned(),
        knee: finding.knee.map(|knee| knee.x),
        interval: finding.interval,
        share: finding.share,
        why: finding.why.clone(),
        facts: finding.facts.iter().cloned().collect(),
        points: points as u64,
    }
}
