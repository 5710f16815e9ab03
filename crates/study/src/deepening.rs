//! Deepening: where time cut the search of a size short, the size at the knee goes on searching once
//! growth has ended, and every other size tries what it finds.
//!
//! Kernels that compile slowly leave each size a dozen evaluations. A long search at one size finds
//! more than short ones at all, and sizes that run the same kernel make a smooth curve.

use std::{collections::BTreeSet, sync::Arc};

use records::{Event, Named, Phase, Purpose, SizeClosed, SizeOpened};
use search_api::Stop;

use super::{StudyFault, StudyJournal, growth, running::RunningStudy};
use crate::tuning::Finals;

/// What the journal says of the size that goes on searching. A resumed study decides nothing again.
struct Deepening {
    /// The event that opened the size again, with the limits of all its trials.
    opened: SizeOpened,
    /// What the size had tried before that.
    before: Vec<Named>,
    /// Sizes that were closed since.
    closed: BTreeSet<u64>,
}

impl Deepening {
    fn of(journal: &StudyJournal) -> Option<Self> {
        let mut closed = BTreeSet::new();
        let is_again = |event: &Event| match event {
            Event::SizeClosed(own) => {
                closed.insert(own.size);
                false
            }
            Event::SizeOpened(own) => own.purpose == Purpose::Growth && closed.contains(&own.size),
            _ => false,
        };
        let at = journal.events().position(is_again)?;
        let Event::SizeOpened(opened) = journal.events().nth(at)?.clone() else { return None };
        let tried = |event: &Event| match event {
            Event::Trial(event) if event.trial.size == opened.size => {
                let is_searched = event.trial.phase == Phase::Search;
                is_searched.then(|| event.trial.configuration.clone())
            }
            _ => None,
        };
        let before = journal.events().take(at).filter_map(tried).collect();
        let closed = |event: &Event| match event {
            Event::SizeClosed(closed) => Some(closed.size),
            _ => None,
        };
        let closed = journal.events().skip(at).filter_map(closed).collect();
        Some(Self { opened, before, closed })
    }
}

impl RunningStudy<'_> {
    /// Goes on searching at the knee, and tries the new winner at all other sizes.
    pub(super) fn deepen(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        let while_left = self.policy().others_tried_while;
        if Deepening::of(journal).is_none()
            && let Some(opened) = self.cut_short(journal, while_left)
        {
            journal.write(Event::SizeOpened(opened))?;
        }
        let Some(Deepening { opened, before, closed }) = Deepening::of(journal) else {
            return Ok(());
        };
        let size = opened.size;
        if !closed.contains(&size) {
            let space = Arc::new(self.subject.space(size).map_err(StudyFault::Benchmark)?);
            let known: Vec<_> = before.iter().filter_map(|name| name.id_in(&space)).collect();
            let limit = (opened.seconds.unwrap_or(f64::INFINITY), &known[..]);
            let (searched, stop) = self.search(journal, &space, &opened, limit)?;
            if stop == Some(Stop::Interrupted) {
                return Err(StudyFault::Interrupted);
            }
            self.try_and_close(journal, size, None, searched.unused_seconds)?;
        }
        let best = journal.closed().get(&size).and_then(|closed| closed.best.clone());
        let Some(winner) = best.map(|best| best.configuration) else { return Ok(()) };
        let others = journal.closed().into_keys();
        let others: Vec<u64> =
            others.filter(|other| *other != size && !closed.contains(other)).collect();
        for other in others {
            if self.has_left(journal, while_left) {
                self.try_and_close(journal, other, Some(&winner), 0.0)?;
            }
        }
        Ok(())
    }

    /// Returns how the size at the knee so far is opened again, if time cut its search short: with
    /// as many evaluations again, and the seconds that leave this share of the study's time.
    fn cut_short(&mut self, journal: &StudyJournal, while_left: f64) -> Option<SizeOpened> {
        // What follows growth shows that nothing was cut short.
        let is_later = |event: &&Event| !matches!(event, Event::GrowthEnded { .. });
        let mut since = journal.events().rev().take_while(is_later);
        if since.any(|event| matches!(event, Event::Trial(_) | Event::Rounds(_))) {
            return None;
        }
        let seconds = self.plan.settings.budget.seconds? * (1.0 - while_left) - journal.charged();
        let wanted = self.plan.settings.budget.evaluations.filter(|_| seconds > 0.0)?;
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
        let spent: f64 = journal.trials(size).map(|trial| trial.outcome.costs.total()).sum();
        let is_cut = self.plan.inherits() && tried < wanted.min(opened.configurations);
        let (evaluations, seconds) = (Some(tried + wanted), Some(spent + seconds));
        is_cut.then_some(SizeOpened { evaluations, seconds, ..opened })
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
