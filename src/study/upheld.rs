//! Whether rounds uphold a winner: not one that fails in them or is outrun by its default.

use super::{StudyFault, StudyJournal, running::RunningStudy, values_in_rounds};
use crate::{
    records::{Event, Figure, SizeClosed},
    tuning::holds_on_fresh_inputs,
};

impl RunningStudy<'_> {
    /// Closes sizes anew whose winners rounds do not uphold, with the default if it holds.
    pub(super) fn uphold(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        let tuned: Vec<SizeClosed> = journal.tuned().into_values().cloned().collect();
        for closed in tuned {
            let Some(best) = &closed.best else { continue };
            let failed = journal.dropped(closed.size, &best.configuration).map(str::to_owned);
            if failed.is_none() && !self.is_outrun(journal, &closed) {
                continue;
            }
            let mut seconds = closed.seconds;
            let default = self.heir(journal, &closed, &mut seconds)?;
            let why = match (&failed, &default) {
                (None, None) => continue,
                (None, Some(_)) => "the default was faster in rounds".to_owned(),
                (Some(why), _) => format!("the best failed in rounds: {why}"),
            };
            let one = default.as_ref().map(|_| 1.0);
            journal.write(Event::SizeClosed(SizeClosed {
                why: format!("{}; {why}", closed.why),
                best: default,
                gain: one,
                gain_interval: one.map(|one| (one, one)),
                seconds,
                ..closed
            }))?;
        }
        Ok(())
    }

    /// Whether the default is faster than the winner by more than chance, if speed is sought: of
    /// several objectives, the first one names the winner.
    fn is_outrun(&self, journal: &StudyJournal, closed: &SizeClosed) -> bool {
        let ranking = &self.plan.ranking;
        let by_time = ranking.follows_time() || ranking.objective.metric == "seconds";
        let interval = values_in_rounds::gain(journal, closed).and_then(|(_, interval)| interval);
        by_time && interval.is_some_and(|(_, high)| high < 1.0)
    }

    /// The default of a size, if it is another configuration than the best and holds itself.
    fn heir(
        &mut self,
        journal: &mut StudyJournal,
        closed: &SizeClosed,
        seconds: &mut f64,
    ) -> Result<Option<Figure>, StudyFault> {
        let Some(default) = &closed.default else { return Ok(None) };
        let (size, name) = (closed.size, &default.configuration);
        let is_best = closed.best.as_ref().is_some_and(|best| best.configuration == *name);
        if is_best || journal.dropped(size, name).is_some() {
            return Ok(None);
        }
        let ranking = &self.plan.ranking;
        let holds = holds_on_fresh_inputs(size, name, ranking, self.evaluator, journal, seconds);
        Ok(holds.map_err(StudyFault::Records)?.then(|| default.clone()))
    }
}
