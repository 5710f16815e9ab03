//! Whether a larger size follows: the knee so far, failures and the budget.

use super::{Chronicle, Plan, StudyFault};
use crate::{
    knees::{Confirmation, Curve, Detector, Finding, Growth, confirm, find},
    records::{KneeFinding, SizeClosed},
};

/// Sizes that are measured whatever the budget says: no knee is accepted before five points.
const LEAST_SIZES: usize = 5;

/// A study may exceed its seconds by this share to finish a size.
const GRACE: f64 = 0.25;

/// The reason to stop when the study's seconds are spent, or would be by the next size.
pub(super) fn ended_by_budget(plan: &Plan, chronicle: &Chronicle, done: usize) -> Option<String> {
    let limit = plan.settings.budget.seconds?;
    let charged = chronicle.charged();
    let closed = chronicle.closed();
    if done < LEAST_SIZES || closed.len() > done {
        return None;
    }
    if charged >= limit {
        return Some(format!(
            "the budget of {limit:.0} s is spent ({charged:.0} s charged); raise it with --time"
        ));
    }
    let next = forced_cost(chronicle)?;
    (charged + next > limit * (1.0 + GRACE)).then(|| {
        format!(
            "the next size would take about {next:.0} s, and {:.0} s of {limit:.0} s are left; \
             raise them with --time",
            limit - charged
        )
    })
}

/// What the next size costs at the very least, where the last ones had to exceed their share.
fn forced_cost(chronicle: &Chronicle) -> Option<f64> {
    let closed = chronicle.closed();
    let mut last = closed.values().rev();
    let (last, before) = (last.next()?, last.next()?);
    let share = chronicle.opened(last.size)?.seconds?;
    (last.seconds > share).then(|| last.seconds * (last.seconds / before.seconds).max(1.0))
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
        work_exponent: work_exponent(&points),
        ..Confirmation::default()
    };
    let (settings, preparation) = (&plan.knee_settings, plan.preparation);
    let growth = confirm(*deciding, &curve, last, &confirmation, settings, preparation);
    let Growth::Accept(finding) = growth else { return Ok(None) };
    let Some(size) = finding.knee.map(|knee| points[knee.index].size) else { return Ok(None) };
    let why = format!("confirmed by larger sizes: {}", finding.why);
    chronicle.accept(record(&finding, curve.len()), size, why, true)?;
    Ok(Some(size))
}

/// The power of the size that the run time grows with, at the end of the sizes so far.
fn work_exponent(points: &[&SizeClosed]) -> f64 {
    let time = |point: &SizeClosed| {
        Some(((point.size as f64).ln(), point.best.as_ref()?.seconds.median.ln()))
    };
    let last: Vec<(f64, f64)> = points.iter().rev().take(4).filter_map(|p| time(p)).collect();
    let (Some(first), Some(end)) = (last.last(), last.first()) else { return 1.0 };
    let slope = (end.1 - first.1) / (end.0 - first.0);
    if slope.is_finite() { slope.round().clamp(1.0, 4.0) } else { 1.0 }
}

/// The knee of sizes that ended before it was confirmed: because no larger one can be measured, or
/// because time ran out; then at least as many larger sizes were measured as would confirm it.
pub(super) fn knee_of_all(
    plan: &Plan,
    chronicle: &mut Chronicle,
    all_measured: bool,
) -> Result<Option<u64>, StudyFault> {
    let closed = chronicle.closed();
    let points: Vec<&SizeClosed> = closed.values().copied().filter(|c| c.best.is_some()).collect();
    let (Some(deciding), Some(curve)) = (plan.detectors.first(), curve(&points)) else {
        return Ok(None);
    };
    let (larger, reason) = match all_measured {
        true => (1, "no larger size was there to confirm it"),
        false => (Confirmation::default().further_sizes, "larger sizes still moved it"),
    };
    let finding = find(*deciding, &curve, &plan.knee_settings, plan.preparation);
    let Some(knee) = finding.knee.filter(|knee| knee.index + larger < points.len()) else {
        return Ok(None);
    };
    if points.len() < LEAST_SIZES {
        return Ok(None);
    }
    let size = points[knee.index].size;
    let why = format!("{reason}: {}", finding.why);
    chronicle.accept(record(&finding, curve.len()), size, why, false)?;
    Ok(Some(size))
}

/// What every named detector says at the end, written to the chronicle. The knee that decides
/// moves only as far as it was refined: new points beside it cannot undo what larger sizes
/// confirmed.
pub(super) fn findings(
    plan: &Plan,
    chronicle: &mut Chronicle,
) -> Result<Vec<KneeFinding>, StudyFault> {
    let closed = chronicle.closed();
    let points: Vec<&SizeClosed> = closed.values().copied().filter(|c| c.best.is_some()).collect();
    let Some(all) = curve(&points) else { return Ok(Vec::new()) };
    let look = |detector: &dyn Detector, curve: &Curve| {
        find(detector, curve, &plan.knee_settings, plan.preparation)
    };
    let mut findings: Vec<KneeFinding> =
        plan.detectors.iter().map(|d| record(&look(*d, &all), all.len())).collect();
    let mut refined = None;
    if let (Some(accepted), Some(first)) = (chronicle.accepted(), findings.first_mut()) {
        let grown = chronicle.grown_sizes();
        let at = grown.iter().position(|size| *size == accepted).unwrap_or_default();
        let low = grown[at.saturating_sub(1)] as f64;
        let high = grown[(at + 1).min(grown.len() - 1)] as f64;
        match first.knee {
            Some(knee) if (low..=high).contains(&knee) => {
                refined = points.iter().map(|p| p.size).find(|s| (*s as f64 - knee).abs() < 0.5);
            }
            _ => {
                if let Some(then) = chronicle.finding(&first.detector) {
                    *first = then.clone();
                }
            }
        }
        refined = refined.filter(|size| *size != accepted);
    }
    for finding in &findings {
        chronicle.found(finding.clone())?;
    }
    if let (Some(size), Some(first)) = (refined, findings.first()) {
        chronicle.refine_accepted(&first.detector, size)?;
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
