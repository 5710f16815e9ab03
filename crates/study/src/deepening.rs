//! Deepening: where time cut the search of a size short, the size at the knee goes on searching once
//! growth has ended, and every other size tries what it finds.
//!
//! Kernels that compile slowly leave each size a dozen evaluations. A long search at one size finds
//! more than short ones at all, and sizes that run the same kernel make a smooth curve.

use std::sync::Arc;

use records::{Event, Named, SizeClosed, SizeOpened};
use search_api::Stop;

use super::{StudyFault, StudyJournal, finishing::tried, growth, running::RunningStudy};
use crate::tuning::Finals;

impl RunningStudy<'_> {
    /// Goes on searching at the knee, and tries the new winner at all other sizes.
    pub(super) fn deepen(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        let Some(all) = self.plan.settings.budget.seconds else { return Ok(()) };
        let while_left = self.policy().others_tried_while;
        let seconds = all * (1.0 - while_left) - journal.charged();
        let Some(opened) = self.cut_short(journal).filter(|_| seconds > 0.0) else {
            return Ok(());
        };
        let size = opened.size;
        let space = Arc::new(self.subject.space(size).map_err(StudyFault::Benchmark)?);
        let known = tried(journal, size, &space);
        let before: f64 = journal.trials(size).map(|trial| trial.outcome.costs.total()).sum();
        let limit = (before + seconds, &known[..]);
        let (searched, stop) = self.search(journal, &space, &opened, limit)?;
        if stop == Some(Stop::Interrupted) {
            return Err(StudyFault::Interrupted);
        }
        self.try_and_close(journal, size, None, searched.unused_seconds)?;
        let best = journal.closed().get(&size).and_then(|closed| closed.best.clone());
        let Some(winner) = best.map(|best| best.configuration) else { return Ok(()) };
        let others: Vec<u64> =
            journal.closed().into_keys().filter(|other| *other != size).collect();
        for other in others {
            if self.has_left(journal, while_left) {
                self.try_and_close(journal, other, Some(&winner), 0.0)?;
            }
        }
        Ok(())
    }

    /// Returns the size at the knee so far, with as many evaluations again, if time cut its search
    /// short.
    fn cut_short(&mut self, journal: &StudyJournal) -> Option<SizeOpened> {
        let wanted = self.plan.settings.budget.evaluations?;
        let knee = growth::knee_so_far(self.plan, self.subject, journal)?;
        let distance = |size: &u64| (*size as f64 / knee).ln().abs();
        let size = journal
            .closed()
            .into_values()
            .filter(|closed| closed.best.is_some())
            .map(|closed| closed.size)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let opened = journal.opened(size)?.clone();
        let tried = journal.trials(size).count() as u64;
        let is_cut = self.plan.inherits() && tried < wanted.min(opened.configurations);
        is_cut.then(|| SizeOpened { evaluations: Some(tried + wanted), ..opened })
    }

    /// Tries a configuration at a size, and closes the size with the best of its search.
    fn try_and_close(
        &mut self,
        journal: &mut StudyJournal,
        size: u64,
        configuration: Option<&Named>,
        further_seconds: f64,
    ) -> Result<(), StudyFault> {
        let Some(before) = journal.closed().get(&size).copied().cloned() else { return Ok(()) };
        let space = Arc::new(self.subject.space(size).map_err(StudyFault::Benchmark)?);
        let others: Vec<_> =
            configuration.and_then(|name| name.id_in(&space)).into_iter().collect();
        let searched = self.try_also(journal, size, &space, &others)?;
        let finals = Finals::of_search(&space, &self.plan.ranking, &searched.trials);
        let closed = self.close(size, &searched, &finals, None);
        let seconds = before.seconds + journal.seconds_since_closed(size) + further_seconds;
        journal.write(Event::SizeClosed(SizeClosed {
            seconds,
            why: before.why,
            fault: before.fault,
            provisional: closed.best.is_some(),
            ..closed
        }))
    }
}
