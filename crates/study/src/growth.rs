//! Decides whether a larger size follows: by the knee so far, failures and the budget.

use knees::{Confirmation, DetectorSettings, confirm, find};
use records::{RoundsPurpose, SizeClosed, settings::MIN_RUN_SECONDS};

use super::{
    Plan, StudyJournal, Subject,
    curve::{curve_in_rounds, points, work_exponent},
    findings::all_confirm,
    round_schedule::LEAST_SIZES,
};
use crate::scaling::{MeasuredSize, long_enough};

/// Returns why growth ends, if its seconds are spent or the next size would exceed them. Growth has
/// more of them while no knee is seen.
pub(super) fn ended_by_budget(
    plan: &Plan,
    journal: &StudyJournal,
    ladder: &[u64],
    next: u64,
    has_knee: bool,
) -> Option<String> {
    let all = plan.settings.budget.seconds?;
    let share = match has_knee {
        true => plan.growth_share(),
        false => plan.settings.policy.growth_at_most.max(plan.growth_share()),
    };
    let limit = all * share;
    let charged = journal.charged();
    if journal.closed().len() < LEAST_SIZES {
        return None;
    }
    if charged >= limit {
        return Some(format!(
            "{charged:.0} s of the budget of {all:.0} s are spent, and the rest is for measuring \
             in rounds; raise it with --time"
        ));
    }
    let cost = forced_cost(journal, ladder, next)?;
    (charged + cost > limit).then(|| {
        format!(
            "the next size would take about {cost:.0} s, and {:.0} s of {all:.0} s are left for \
             larger sizes; raise them with --time",
            (limit - charged).max(0.0)
        )
    })
}

/// Estimates the least seconds of the next size, if the last one exceeded its share. Seconds are
/// assumed to grow from rung to rung as they did between the last two sizes, but no faster than the
/// work: a single slow moment is no trend.
fn forced_cost(journal: &StudyJournal, ladder: &[u64], next: u64) -> Option<f64> {
    let closed = journal.closed();
    let mut last = closed.values().rev();
    let (last, before) = (last.next()?, last.next()?);
    let share = journal.opened(last.size)?.seconds?;
    let rung = |size: u64| ladder.partition_point(|rung| *rung < size) as f64;
    let strides = (rung(next) - rung(last.size)) / (rung(last.size) - rung(before.size)).max(1.0);
    let growth = (last.seconds / before.seconds).max(1.0).powf(strides);
    let work = (next as f64 / last.size as f64).powf(work_exponent(&points(journal)));
    (last.seconds > share).then_some(last.seconds * growth.min(work))
}

/// Returns the smallest failed size above all measured ones, and why growth ends there.
pub(super) fn failed(journal: &StudyJournal) -> Option<(u64, String)> {
    let closed = journal.closed();
    let failed = closed.values().rev().take_while(|point| point.best.is_none()).last()?;
    let (size, why) = (failed.size, &failed.why);
    Some((size, format!("size {size} could not be measured: {why}")))
}

/// Whether runs at the largest size are long enough to confirm a knee.
pub(super) fn is_long_enough(plan: &Plan, journal: &StudyJournal) -> bool {
    let points = points(journal);
    let last = points.last().and_then(|point| point.best.as_ref());
    last.is_some_and(|best| best.seconds.median >= least_run_time(plan, &points))
}

/// Returns how many seconds a run at the largest size must take: the user's value, or one that the
/// smallest sizes suggest.
fn least_run_time(plan: &Plan, points: &[&SizeClosed]) -> f64 {
    plan.settings.sizes.min_run_seconds.fixed().unwrap_or_else(|| {
        let suggested = long_enough(&measured_of(points), plan.detector_settings.share());
        suggested.unwrap_or(MIN_RUN_SECONDS)
    })
}

/// Returns run time and rate of the sizes so far, ascending.
pub(super) fn measured(journal: &StudyJournal) -> Vec<MeasuredSize> {
    measured_of(&points(journal))
}

fn measured_of(points: &[&SizeClosed]) -> Vec<MeasuredSize> {
    let of = |point: &&SizeClosed| {
        let best = point.best.as_ref()?;
        let (seconds, rate) = (best.seconds.median, best.metric.as_ref()?.value);
        (seconds > 0.0 && rate > 0.0).then_some(MeasuredSize { size: point.size, seconds, rate })
    };
    points.iter().filter_map(of).collect()
}

/// Resamples for a knee that is only shown as progress.
const FEW: usize = 8;

/// Returns the deciding detector's knee over the sizes so far.
pub(super) fn knee_so_far(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
) -> Option<f64> {
    if points(journal).len() < LEAST_SIZES {
        return None;
    }
    let settings = DetectorSettings { resamples: FEW, ..plan.detector_settings.clone() };
    let curve = curve_in_rounds(plan, subject, journal, RoundsPurpose::Growth)?;
    let found = find(plan.detectors.first()?, &curve, &settings, plan.preparation);
    found.knee.map(|knee| knee.x)
}

/// Returns the deciding detector's knee, if larger sizes confirm it.
pub(super) fn still_knee(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
) -> Option<u64> {
    let deciding = plan.detectors.first()?;
    let curve = curve_in_rounds(plan, subject, journal, RoundsPurpose::Growth)?;
    let points = points(journal);
    let last = points.last().and_then(|p| p.best.as_ref()).map_or(0.0, |b| b.seconds.median);
    let (settings, preparation) = (&plan.detector_settings, plan.preparation);
    let confirmation = confirmation(plan, &points);
    let knee = confirm(deciding, &curve, last, &confirmation, settings, preparation)?;
    Some(knee.x.round() as u64)
}

/// Returns why growth ends, if larger sizes and all confirming detectors confirm the knee.
pub(super) fn stands_still(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
) -> Option<String> {
    still_knee(plan, subject, journal)?;
    let mut why = "larger sizes left the knee where it was".to_owned();
    if !plan.confirming.is_empty() {
        let names: Vec<&str> = plan.confirming.iter().map(|detector| detector.name).collect();
        why += &format!(", confirmed by {}", names.join(" and "));
    }
    all_confirm(plan, subject, journal, RoundsPurpose::Growth).then_some(why)
}

pub(super) fn confirmation(plan: &Plan, points: &[&SizeClosed]) -> Confirmation {
    Confirmation {
        least_run_time: least_run_time(plan, points),
        work_exponent: work_exponent(points),
        ..Confirmation::of(&plan.detector_settings)
    }
}
