//! Whether the rounds so far have settled the knee.

use knees::{DetectorSettings, SETTLED_PROBABILITY, STATES_FROM, find_repeated};
use records::RoundsPurpose;

use super::{
    StudyFault, StudyJournal, findings,
    running::RunningStudy,
    values_in_rounds::{is_precise, repeated},
};

/// Resamples while more rounds may follow.
const RESAMPLES: usize = 60;

impl RunningStudy<'_> {
    /// Whether more rounds are unlikely to move the deciding detector's knee by more than a step,
    /// and all confirming detectors confirm the knee. Without detectors: whether the run time is as
    /// precise as the user asked.
    pub(super) fn is_settled(&mut self, journal: &StudyJournal) -> Result<bool, StudyFault> {
        let purpose = RoundsPurpose::Answer;
        let spent: f64 = journal.rounds(purpose).map(|event| event.costs.total()).sum();
        if !self.plan.detectors.is_empty() && spent < self.policy().calm_seconds {
            return Ok(false);
        }
        let Some(repeated) = repeated(self.plan, self.subject, journal, purpose) else {
            return Ok(false);
        };
        let Some(detector) = self.plan.detectors.first() else {
            return Ok(is_precise(journal, self.plan));
        };
        let settings =
            DetectorSettings { resamples: RESAMPLES, ..self.plan.detector_settings.clone() };
        let found = find_repeated(detector, &repeated, &settings, self.plan.preparation);
        self.listener.knee(found.knee.as_ref().map(|knee| knee.x));
        // `by_rounds` leaves out the errors of single sizes, which more rounds cannot reduce.
        let settled = found.by_rounds.is_some_and(|probability| probability >= SETTLED_PROBABILITY);
        let machine = repeated.machine();
        let is_calm = machine.states == 1 && machine.rounds >= STATES_FROM;
        let is_sure = found.probability.is_some_and(|own| own >= SETTLED_PROBABILITY);
        let least = match (is_calm, is_sure) {
            (true, true) => self.policy().calm_seconds,
            (true, false) => self.policy().unsure_seconds,
            (false, _) => self.policy().unsteady_seconds,
        };
        Ok(settled
            && spent >= least
            && findings::all_confirm(self.plan, self.subject, journal, purpose))
    }
}
