//! Growth: tunes size after size until larger ones confirm the knee. The next size depends only on
//! the plan and the journal, so that a resumed study takes the same sizes.

use records::{
    GrowthEnd, Purpose,
    settings::{FixedOrAuto, Goal},
};

use super::{Plan, StudyFault, StudyJournal, growth, running::RunningStudy, survey};
use crate::scaling;

/// The next step of growth.
enum Next {
    Size(u64),
    End(String, GrowthEnd),
}

impl RunningStudy<'_> {
    /// Tunes sizes until growth ends.
    pub(super) fn grow(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        let ladder = survey::ladder(self.plan, self.subject, journal);
        while !journal.growth_has_ended() {
            let size = match self.next(journal, &ladder)? {
                Some(Next::Size(size)) => size,
                Some(Next::End(why, by)) => return journal.growth_ended(&why, by),
                None => break,
            };
            let larger = ladder.iter().filter(|rung| **rung > size);
            let remaining: Vec<u64> = std::iter::once(&size).chain(larger).copied().collect();
            self.tune(journal, size, Purpose::Growth, &remaining)?;
            if self.plan.settings.goal == Goal::Saturate {
                let knee = growth::knee_so_far(self.plan, self.subject, journal);
                self.listener.knee(knee);
            }
        }
        Ok(())
    }

    /// Returns the next step; `None` once a tuning study has tuned all its sizes.
    fn next(
        &mut self,
        journal: &mut StudyJournal,
        ladder: &[u64],
    ) -> Result<Option<Next>, StudyFault> {
        let failed = growth::failed(journal);
        let ahead = rungs_ahead(journal, ladder, failed.as_ref().map(|(size, _)| *size));
        if let (Some((_, why)), true) = (&failed, ahead.is_empty()) {
            return Ok(Some(Next::End(why.clone(), GrowthEnd::NoLarger)));
        }
        let saturates = self.plan.settings.goal == Goal::Saturate;
        let mut next = None;
        if saturates && growth::is_long_enough(self.plan, journal) {
            next = self.left_out(journal, ladder);
            if next.is_none() {
                self.scout(journal)?;
                next = self.left_out(journal, ladder);
            }
            if let (None, Some(why)) =
                (next, growth::stands_still(self.plan, self.subject, journal))
            {
                return Ok(Some(Next::End(why, GrowthEnd::Confirmed)));
            }
        }
        let Some(next) = next.or_else(|| larger(self.plan, journal, &ahead, failed.is_some()))
        else {
            let why = "the largest size was reached".to_owned();
            return Ok(saturates.then_some(Next::End(why, GrowthEnd::NoLarger)));
        };
        let has_knee = saturates && growth::knee_so_far(self.plan, self.subject, journal).is_some();
        let spent = growth::ended_by_budget(self.plan, journal, ladder, next, has_knee);
        let end = spent.map(|why| Next::End(why, GrowthEnd::OutOfTime));
        Ok(Some(end.unwrap_or(Next::Size(next))))
    }

    /// Returns the first skipped rung near the knee, once larger sizes have confirmed that knee.
    fn left_out(&mut self, journal: &StudyJournal, ladder: &[u64]) -> Option<u64> {
        let visited: Vec<u64> = journal.closed().into_keys().collect();
        let last = visited.last()?;
        let any = ladder.iter().take_while(|rung| *rung < last).any(|rung| !visited.contains(rung));
        let knee = any.then(|| growth::still_knee(self.plan, self.subject, journal))??;
        scaling::left_out(ladder, &visited, knee).first().copied()
    }
}

/// Returns the rungs above the largest measured size and below the size that failed, if any.
fn rungs_ahead(journal: &StudyJournal, ladder: &[u64], failed: Option<u64>) -> Vec<u64> {
    let last = journal.grown_sizes().last().copied().unwrap_or(0);
    let end = failed.unwrap_or(u64::MAX);
    ladder.iter().copied().filter(|rung| (last + 1..end).contains(rung)).collect()
}

/// Returns the next of the rungs ahead. This is the first one, or a later one if steps are chosen
/// automatically and the measured curve allows skipping rungs.
fn larger(plan: &Plan, journal: &StudyJournal, ahead: &[u64], after_failure: bool) -> Option<u64> {
    let sizes = &plan.settings.sizes;
    let strides = sizes.factor == FixedOrAuto::Auto && sizes.list.is_none() && !after_failure;
    let rungs = if strides { scaling::stride(&growth::measured(journal), ahead) } else { 1 };
    ahead.get(rungs - 1).copied()
}
