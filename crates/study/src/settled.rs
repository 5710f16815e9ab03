//! Whether the rounds so far have settled the knee.

use knees::{Confidence, DetectorSettings, Finding, find_repeated};
use records::RoundsPurpose;

use super::{
    StudyFault, StudyJournal, doubts, findings,
    running::RunningStudy,
    survey,
    values_in_rounds::{is_precise, repeated},
};

/// Resamples of a look that later ones follow.
const RESAMPLES: usize = 60;

impl RunningStudy<'_> {
    /// Whether the deciding detector's knee lies within a step, whatever rounds are resampled, those that
    /// must confirm it do, and the machine is its own; of a single size, whether its figure is as precise as was asked
    /// for. Rounds in overtime wait for the machine alone, where it is known how fast that is: a settled knee is enough.
    pub(super) fn is_settled(
        &mut self,
        journal: &StudyJournal,
        in_overtime: bool,
    ) -> Result<bool, StudyFault> {
        let purpose = RoundsPurpose::Answer;
        let Some(repeated) = repeated(self.plan, self.subject, journal, purpose) else {
            return Ok(false);
        };
        let Some(detector) = self.plan.detectors.first() else {
            return Ok(is_precise(journal, self.plan));
        };
        let waited = in_overtime && journal.pace().is_some_and(|pace| !pace.is_unknown());
        // A machine that was faster before, or is shared now, may have the rest of the time to itself.
        let doubted =
            !doubts::doubts(journal).is_empty() || doubts::may_become_faster(self.plan, journal);
        let mut settings: DetectorSettings = self.plan.detector_settings.clone();
        // What only just is enough must be so in the answer, too, which takes all of them; nothing is enough in doubt.
        if !waited || doubted {
            settings.resamples = RESAMPLES;
        }
        let found = find_repeated(detector, &repeated, &settings, self.plan.preparation);
        self.listener.knee(found.knee.as_ref().map(|knee| knee.x));
        let settled = !doubted
            && is_enough(&found, &survey::ladder(self.plan, self.subject, journal), waited);
        Ok(settled && findings::all_confirm(self.plan, self.subject, journal, purpose))
    }
}

/// Whether a knee is known as well as is asked for: to a step of the ladder of sizes, or, where the machine was
/// `waited` for, as well as its verdict asks.
fn is_enough(found: &Finding, ladder: &[u64], waited: bool) -> bool {
    found.confidence == Confidence::Settled && (waited || is_within_a_step(found, ladder))
}

/// Whether the interval of a knee spans no more than a step of the ladder of sizes.
fn is_within_a_step(found: &Finding, ladder: &[u64]) -> bool {
    let Some((low, high)) = found.interval else { return false };
    let below = |x: f64| ladder.iter().filter(|size| (**size as f64) <= x).count();
    below(high) <= below(low) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_knee_is_known_to_a_step_or_was_waited_for() {
        let ladder = [100, 150, 225, 338, 507];
        let found = |interval, confidence| Finding {
            interval: Some(interval),
            confidence,
            ..Finding::none("kneedle", String::new())
        };
        let narrow = found((200.0, 300.0), Confidence::Settled);
        let wide = found((130.0, 280.0), Confidence::Settled);
        let weak = found((200.0, 300.0), Confidence::Weak);
        let enough =
            |found: &Finding| [false, true].map(|waited| is_enough(found, &ladder, waited));
        assert_eq!([&narrow, &wide, &weak].map(enough), [[true, true], [false, true], [false; 2]]);
        assert!(!is_enough(&Finding { interval: None, ..narrow }, &ladder, false));
    }
}
