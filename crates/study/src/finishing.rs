//! Finishes the sizes of a study once no larger one follows: each tries winners of other sizes, and
//! measures its best few and its default again, alternating. Then the winner is checked on fresh
//! inputs.

use std::sync::{Arc, atomic::Ordering};

use records::{Event, Named, Phase, SizeClosed, settings::Goal};
use search_api::{Budget, Problem as _, Stop};
use space::{ConfigurationId, Space};

use super::{StudyFault, StudyJournal, candidates::winners_elsewhere, running::RunningStudy};
use crate::tuning::{Remeasurement, Searched, SizeSearch, Tuner, best_of_search, finalists};

impl RunningStudy<'_> {
    /// Finishes all sizes: those next to the knee first, since time may run out.
    pub(super) fn finish_sizes(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        let closed = journal.closed();
        let open = closed.values().filter(|closed| closed.provisional && closed.best.is_some());
        let mut sizes: Vec<u64> = open.map(|closed| closed.size).collect();
        if let Some(knee) = journal.refined_around() {
            let distance = |size: u64| (size as f64 / knee as f64).ln().abs();
            sizes.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        }
        sizes.into_iter().try_for_each(|size| self.finish(journal, size))
    }

    fn finish(&mut self, journal: &mut StudyJournal, size: u64) -> Result<(), StudyFault> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(StudyFault::Interrupted);
        }
        self.listener.finals(size, journal.charged());
        let Some(before) = journal.closed().get(&size).copied().cloned() else { return Ok(()) };
        let space = Arc::new(self.subject.space(size).map_err(StudyFault::Benchmark)?);
        let others = self.winners_to_try(journal, size, &space);
        let searched = self.try_also(journal, size, &space, &others)?;
        self.go_on()?;
        let seconds = journal.opened(size).and_then(|opened| opened.seconds);
        let patience = self.patience(seconds.unwrap_or(f64::INFINITY));
        // A front is of fresh samples, and a single size has its own share of the time.
        let single = self.plan.settings.goal == Goal::Tune || self.plan.ranking.seeks_front();
        let has_time = single || self.has_left(journal, self.policy().finals_while);
        let mut remeasurement =
            Remeasurement { evaluator: self.evaluator, store: journal, patience };
        let ranking = &self.plan.ranking;
        let decide = if has_time { finalists } else { best_of_search };
        let policy = &self.plan.settings.policy;
        let finals = decide(size, &space, (ranking, policy), &searched.trials, &mut remeasurement)
            .map_err(StudyFault::Records)?;
        self.go_on()?;
        let closed = self.close(size, &searched, &finals, None);
        // Without a best configuration, `closed` says why there is none.
        let why = if closed.best.is_some() { before.why } else { closed.why };
        let (seconds, fault) = (before.seconds + journal.seconds_since_closed(size), before.fault);
        journal.write(Event::SizeClosed(SizeClosed { why, seconds, fault, ..closed }))
    }

    /// Evaluates further configurations of a size. What was tried before is known, and gives its
    /// scores again.
    pub(super) fn try_also(
        &mut self,
        journal: &mut StudyJournal,
        size: u64,
        space: &Arc<Space>,
        others: &[ConfigurationId],
    ) -> Result<Searched, StudyFault> {
        let tried = tried(journal, size, space);
        let search = SizeSearch {
            size,
            phase: Phase::Search,
            space: Arc::clone(space),
            ranking: &self.plan.ranking,
            budget: Budget::default(),
            starts: Vec::new(),
            memory: Arc::clone(&self.plan.memory),
            rng: space::seeded(self.plan.settings.seed, size),
            interrupted: self.interrupted,
        };
        let mut tuner = Tuner::new(search, self.evaluator, journal, self.listener);
        for configuration in tried.iter().chain(others) {
            if let Err(Stop::Interrupted) = tuner.evaluate(*configuration) {
                break;
            }
        }
        let searched = tuner.finish().map_err(StudyFault::Records)?;
        self.go_on()?;
        Ok(searched)
    }

    /// Whether this share of the study's seconds is left.
    pub(super) fn has_left(&self, journal: &StudyJournal, share: f64) -> bool {
        let all = self.plan.settings.budget.seconds;
        all.is_none_or(|all| all - journal.charged() >= share * all)
    }

    /// Returns the winners of other sizes that a size tries before its finals.
    fn winners_to_try(
        &self,
        journal: &StudyJournal,
        size: u64,
        space: &Space,
    ) -> Vec<ConfigurationId> {
        if !self.plan.inherits() || !self.has_left(journal, self.policy().others_tried_while) {
            return Vec::new();
        }
        let tried = tried(journal, size, space);
        let is_new = |name: &Named| name.id_in(space).is_some_and(|id| !tried.contains(&id));
        let names = winners_elsewhere(journal, size, is_new);
        let names = names.iter().take(self.policy().others_tried as usize);
        names.filter_map(|name| name.id_in(space)).collect()
    }
}

/// Returns the configurations that a size has tried, in order.
fn tried(journal: &StudyJournal, size: u64, space: &Space) -> Vec<ConfigurationId> {
    journal.trials(size).filter_map(|trial| trial.configuration.id_in(space)).collect()
}
