//! The fastest configuration under each error threshold. The fastest few trials are measured again,
//! alternating with the best full-precision configuration, and checked on fresh inputs.

use records::{
    Event, Measurement, Named, Outcome, Phase, StudyView, ThresholdBest, ThresholdBests,
    settings::{Bound, Bounds, Objective},
};

use super::{
    StudyFault, StudyJournal,
    running::{self, RunningStudy},
};
use crate::tuning::{Ranking, TrialStore, holds_on_fresh_inputs, measured_together, paced_costs};

impl RunningStudy<'_> {
    /// Finds the best configuration under each threshold at the reported size.
    pub(super) fn hold_thresholds(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        if self.plan.thresholds.is_empty()
            || journal.is_finished()
            || journal.thresholds().is_some()
        {
            return Ok(());
        }
        let view = journal.view();
        let Some((point, winner)) = view.winner() else { return Ok(()) };
        let (size, winner) = (point.size, winner.configuration.clone());
        let mut found = ThresholdBests { size, ..ThresholdBests::default() };
        let mut names = self.fastest_under(&view, size);
        let precise = match journal.precise().filter(|precise| precise.size == size) {
            Some(precise) => precise.best.as_ref().map(|best| best.configuration.clone()),
            None => self.is_precise(size, &winner)?.then_some(winner),
        };
        names.extend(
            precise.iter().filter(|named| !names.contains(named)).cloned().collect::<Vec<_>>(),
        );
        let seconds = self.plan.settings.budget.seconds.unwrap_or(f64::INFINITY);
        let patience = self.patience(seconds);
        // No bound on the error applies here: each threshold has its own.
        let every = self.under(f64::INFINITY);
        let outcomes: Vec<Outcome> = match names.as_slice() {
            [] => Vec::new(),
            names => measured_together(
                size,
                Phase::Threshold,
                names,
                &every,
                self.evaluator,
                journal,
                patience,
            )
            .map_err(StudyFault::Records)?,
        };
        self.go_on()?;
        found.seconds += outcomes.iter().map(|outcome| outcome.costs.total()).sum::<f64>();
        let measured = |at: usize| outcomes[at].measurement.as_ref();
        let precise = precise.and_then(|named| names.iter().position(|name| *name == named));
        let over = precise.and_then(measured);
        found.precise = precise.zip(over).map(|(at, over)| self.figure(size, &names[at], over));
        for threshold in &self.plan.thresholds {
            let ranking = self.under(threshold.bound);
            let held = self.best_held(journal, (size, &names, &outcomes), &ranking, &mut found)?;
            let of = held.and_then(|(at, _)| measured(at).map(|of| (at, of)));
            let (gain, gain_interval) = running::gain(of.map(|(_, of)| of), over);
            let best = of.map(|(at, of)| self.figure(size, &names[at], of));
            let fresh_error = held.and_then(|(_, error)| error);
            let (name, bound) = (threshold.name.clone(), threshold.bound);
            found.bests.push(ThresholdBest { name, bound, best, fresh_error, gain, gain_interval });
        }
        self.go_on()?;
        journal.write(Event::Thresholds(found))
    }

    /// Returns the fastest few configurations that the trials measured within each threshold.
    fn fastest_under(&self, view: &StudyView, size: u64) -> Vec<Named> {
        let freshest = view.freshest(size);
        let mut names: Vec<Named> = Vec::new();
        for threshold in &self.plan.thresholds {
            let bounds = self.under(threshold.bound).bounds;
            let holds = |m: &Measurement| bounds.hold(|metric| m.value(metric));
            let mut within: Vec<_> = freshest.iter().filter(|(_, m)| holds(m)).collect();
            within.sort_by(|a, b| a.1.seconds.median.total_cmp(&b.1.seconds.median));
            for (named, _) in within.into_iter().take(self.policy().threshold_candidates as usize) {
                if !names.contains(named) {
                    names.push((*named).clone());
                }
            }
        }
        names
    }

    /// Returns the position of the fastest outcome that holds on fresh inputs, and its error there.
    fn best_held(
        &mut self,
        journal: &mut StudyJournal,
        (size, names, outcomes): (u64, &[Named], &[Outcome]),
        ranking: &Ranking,
        found: &mut ThresholdBests,
    ) -> Result<Option<(usize, Option<f64>)>, StudyFault> {
        let costs = paced_costs(ranking, names, outcomes);
        let admissible = |at: &usize| ranking.admissible(&outcomes[*at]).is_some();
        let mut ranked: Vec<(f64, usize)> =
            (0..outcomes.len()).filter(admissible).map(|at| (costs[at], at)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, at) in ranked {
            let (named, spent) = (&names[at], &mut found.seconds);
            let held = holds_on_fresh_inputs(size, named, ranking, self.evaluator, journal, spent);
            if held.map_err(StudyFault::Records)? {
                let check = journal.recall(size, Phase::Check, named);
                let error = check.and_then(|trial| trial.outcome.measurement?.error);
                return Ok(Some((at, error)));
            }
            self.go_on()?;
        }
        Ok(None)
    }

    /// Returns the study's ranking with run time as objective and this bound on the error.
    fn under(&self, bound: f64) -> Ranking {
        let others = self.plan.ranking.bounds.0.iter().filter(|bound| bound.metric != "error");
        let of_error = bound.is_finite().then(|| Bound::on_error(bound));
        Ranking {
            objective: Objective::default(),
            further: Vec::new(),
            bounds: Bounds(of_error.into_iter().chain(others.cloned()).collect()),
            ..self.plan.ranking.clone()
        }
    }
}
