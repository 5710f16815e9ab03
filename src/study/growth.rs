//! Whether a larger size follows: by the knee so far, failures and the budget.

use super::{Plan, StudyJournal, Subject, round_schedule};
use crate::{
    knees::{
        Confirmation, Curve, Detector, DetectorSettings, Finding, compare, confirm, find,
        find_repeated, has_levelled_off,
    },
    records::{KneeFinding, RoundsPurpose, SizeClosed},
};

/// Share by which growth may exceed its seconds to finish a size.
const GRACE: f64 = 0.25;

/// Why growth ends, if the study's seconds are spent, or would be by the next size.
pub(super) fn ended_by_budget(plan: &Plan, journal: &StudyJournal, done: usize) -> Option<String> {
    let all = plan.settings.budget.seconds?;
    let limit = all * plan.growth_share();
    let charged = journal.charged();
    let closed = journal.closed();
    if done < round_schedule::LEAST_SIZES || closed.len() > done {
        return None;
    }
    if charged >= limit {
        return Some(format!(
            "{charged:.0} s of the budget of {all:.0} s are spent, and the rest is for measuring \
             in rounds; raise it with --time"
        ));
    }
    let next = forced_cost(journal)?;
    (charged + next > limit * (1.0 + GRACE)).then(|| {
        format!(
            "the next size would take about {next:.0} s, and {:.0} s of {all:.0} s are left for \
             larger sizes; raise them with --time",
            (limit - charged).max(0.0)
        )
    })
}

/// Least seconds of the next size, if the last one had to exceed its share.
fn forced_cost(journal: &StudyJournal) -> Option<f64> {
    let closed = journal.closed();
    let mut last = closed.values().rev();
    let (last, before) = (last.next()?, last.next()?);
    let share = journal.opened(last.size)?.seconds?;
    (last.seconds > share).then(|| last.seconds * (last.seconds / before.seconds).max(1.0))
}

/// Why growth ends after a size that could not be measured.
pub(super) fn ended_by_failure(journal: &StudyJournal, size: u64) -> Option<String> {
    let closed = journal.closed();
    let point = closed.get(&size)?;
    point.best.is_none().then(|| format!("size {size} could not be measured: {}", point.why))
}

/// Whether the largest size so far runs long enough for a knee to be confirmed.
pub(super) fn is_long_enough(plan: &Plan, journal: &StudyJournal) -> bool {
    let points = points(journal);
    let last = points.last().and_then(|point| point.best.as_ref());
    last.is_some_and(|best| best.seconds.median >= plan.settings.sizes.min_run_seconds)
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

/// The curve of the sizes so far: of rounds, if there are any, else of the finals of each size.
fn curve_so_far(plan: &Plan, subject: &mut dyn Subject, journal: &StudyJournal) -> Option<Curve> {
    let scouted = round_schedule::repeated(plan, subject, journal, RoundsPurpose::Growth);
    scouted.map(|repeated| repeated.curve()).or_else(|| curve(&points(journal)))
}

fn points(journal: &StudyJournal) -> Vec<&SizeClosed> {
    journal.closed().into_values().filter(|closed| closed.best.is_some()).collect()
}

/// Redrawn curves of a knee that is only told meanwhile.
const FEW: usize = 8;

/// The knee of the deciding detector over the sizes so far.
pub(super) fn knee_so_far(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
) -> Option<f64> {
    if points(journal).len() < round_schedule::LEAST_SIZES {
        return None;
    }
    let settings = DetectorSettings { resamples: FEW, ..plan.detector_settings.clone() };
    let curve = curve_so_far(plan, subject, journal)?;
    let found = find(plan.detectors.first()?, &curve, &settings, plan.preparation);
    found.knee.map(|knee| knee.x)
}

/// Whether larger sizes have left the knee of the deciding detector where it was.
pub(super) fn stands_still(plan: &Plan, subject: &mut dyn Subject, journal: &StudyJournal) -> bool {
    let Some(deciding) = plan.detectors.first() else { return false };
    let Some(curve) = curve_so_far(plan, subject, journal) else { return false };
    let points = points(journal);
    let last = points.last().and_then(|p| p.best.as_ref()).map_or(0.0, |b| b.seconds.median);
    let (settings, preparation) = (&plan.detector_settings, plan.preparation);
    let confirmation = confirmation(plan, &points);
    confirm(deciding, &curve, last, &confirmation, settings, preparation)
}

fn confirmation(plan: &Plan, points: &[&SizeClosed]) -> Confirmation {
    Confirmation {
        least_run_time: plan.settings.sizes.min_run_seconds,
        work_exponent: work_exponent(points),
        ..Confirmation::of(&plan.detector_settings)
    }
}

/// Findings of all named detectors over the rounds of a purpose, and how far each can be relied on.
pub(super) fn findings(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> Vec<KneeFinding> {
    let (settings, preparation) = (&plan.detector_settings, plan.preparation);
    let repeated = round_schedule::repeated(plan, subject, journal, purpose);
    let (mut found, points, rounds): (Vec<Finding>, usize, usize) = match repeated {
        Some(repeated) => {
            let find = |d: &&Detector| {
                let found = find_repeated(d, &repeated, settings, preparation);
                if repeated.is_repeated() { found } else { found.unrepeated() }
            };
            (plan.detectors.iter().map(find).collect(), repeated.x().len(), repeated.rounds())
        }
        None => {
            let Some(curve) = curve(&points(journal)) else { return Vec::new() };
            let find = |d: &&Detector| find(d, &curve, settings, preparation).unrepeated();
            (plan.detectors.iter().map(find).collect(), curve.len(), 0)
        }
    };
    compare(&mut found);
    found.iter().map(|finding| record(finding, points, rounds)).collect()
}

/// The study's knee, with larger sizes behind it, and why those do not confirm it, if they do not.
pub(super) fn knee_of(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    (finding, purpose): (&KneeFinding, RoundsPurpose),
    all_measured: bool,
) -> Option<(u64, Option<&'static str>)> {
    let knee = finding.knee?;
    let points = points(journal);
    let grown = journal.grown_sizes();
    if grown.len() < round_schedule::LEAST_SIZES {
        return None;
    }
    let size = points.iter().map(|p| p.size).find(|size| (*size as f64 - knee).abs() < 0.5)?;
    let larger = grown.iter().filter(|other| **other > size).count();
    let confirmation = confirmation(plan, &points);
    let least = if all_measured { 1 } else { confirmation.further_sizes };
    if larger < least {
        return None;
    }
    let repeated = round_schedule::repeated(plan, subject, journal, purpose);
    let curve = repeated.map(|repeated| repeated.curve()).or_else(|| curve(&points));
    let level = curve.is_some_and(|curve| has_levelled_off(&curve, confirmation.work_exponent));
    let doubt = match larger >= confirmation.further_sizes {
        false => Some("too few larger sizes were measured"),
        true if !level => Some("the curve still climbs at its end"),
        true => None,
    };
    Some((size, doubt))
}

/// Exponent of the size in the run time, at the end of the sizes so far.
fn work_exponent(points: &[&SizeClosed]) -> f64 {
    let time = |point: &SizeClosed| {
        Some(((point.size as f64).ln(), point.best.as_ref()?.seconds.median.ln()))
    };
    let last: Vec<(f64, f64)> = points.iter().rev().take(4).filter_map(|p| time(p)).collect();
    let (Some(first), Some(end)) = (last.last(), last.first()) else { return 1.0 };
    let slope = (end.1 - first.1) / (end.0 - first.0);
    if slope.is_finite() { slope.round().clamp(1.0, 4.0) } else { 1.0 }
}

fn record(finding: &Finding, points: usize, rounds: usize) -> KneeFinding {
    KneeFinding {
        detector: finding.detector.to_owned(),
        knee: finding.knee.map(|knee| knee.x),
        interval: finding.interval,
        share: finding.share,
        why: finding.why.clone(),
        facts: finding.facts.iter().cloned().collect(),
        points: points as u64,
        rounds: rounds as u64,
        confidence: finding.confidence.word().to_owned(),
        against: finding.against.clone(),
    }
}
