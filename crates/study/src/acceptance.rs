//! Decides whether a finding is accepted as the study's knee.

use records::{KneeFinding, RoundsPurpose};

use super::{
    Plan, StudyJournal, Subject,
    curve::{points, still_climbs},
    findings::STILL_CLIMBS,
    growth::confirmation,
    round_schedule::LEAST_SIZES,
};

/// Returns the size of the finding's knee and the reason to doubt it, if any. Returns `None`
/// without a knee, or if too few sizes were measured above it.
pub(super) fn accepted_knee(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    (finding, purpose): (&KneeFinding, RoundsPurpose),
    all_measured: bool,
) -> Option<(u64, Option<&'static str>)> {
    let knee = finding.knee?;
    let points = points(journal);
    let grown = journal.grown_sizes();
    if grown.len() < LEAST_SIZES {
        return None;
    }
    let size = points.iter().map(|p| p.size).find(|size| (*size as f64 - knee).abs() < 0.5)?;
    let larger = grown.iter().filter(|other| **other > size).count();
    let confirmation = confirmation(plan, &points);
    let least = if all_measured { 1 } else { confirmation.further_sizes };
    if larger < least {
        return None;
    }
    let doubt = match larger >= confirmation.further_sizes {
        false => Some("too few larger sizes were measured"),
        true => still_climbs(plan, subject, journal, purpose).then_some(STILL_CLIMBS),
    };
    Some((size, doubt))
}
