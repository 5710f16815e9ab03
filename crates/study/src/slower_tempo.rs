//! The knee of the rounds in which a machine's memory was slower, as others used it: about what a study finds that
//! meets the machine at that tempo alone.

use knees::{Confidence, DetectorSettings, find_repeated, has_levelled_off};
use records::{KneeFinding, KneeWhenSlower};

use super::{
    Plan, StudyJournal, Subject,
    counted_rounds::CountedRounds,
    curve::{points, work_exponent},
    doubts::{MOST_SWING, MOST_TAKEN},
    values_in_rounds,
};

/// Resamples for its interval.
const RESAMPLES: usize = 60;

/// The answer's detector over the rounds that do not count because they were slower: `None` unless they are enough,
/// keep one tempo, have all sizes of the answer, and settle on a knee.
pub(super) fn knee_when_slower(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    answer: &KneeFinding,
) -> Option<KneeWhenSlower> {
    let rounds = CountedRounds::when_slower(journal)?;
    let is_steady = rounds.swing().is_some_and(|swing| swing <= MOST_SWING);
    if !is_steady || rounds.share_taken().is_some_and(|taken| taken > MOST_TAKEN) {
        return None;
    }
    let repeated = values_in_rounds::repeated_in(plan, subject, journal, &rounds)?;
    let is_whole = repeated.x().len() as u64 == answer.points;
    if !is_whole || !has_levelled_off(&repeated.curve(), work_exponent(&points(journal))) {
        return None;
    }
    let settings = DetectorSettings { resamples: RESAMPLES, ..plan.detector_settings.clone() };
    let detector = plan.all_detectors().find(|known| known.name == answer.detector)?;
    let found = find_repeated(detector, &repeated, &settings, plan.preparation);
    let is_settled = found.confidence == Confidence::Settled;
    let (knee, interval) = found.knee.zip(found.interval).filter(|_| is_settled)?;
    Some(KneeWhenSlower { knee: knee.x, interval })
}
