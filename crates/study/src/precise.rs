//! Compares the winner with the best full-precision configuration, which a short search of its own
//! finds. In full precision, every format is as precise as it can be.

use std::sync::{Arc, atomic::Ordering};

use records::{
    Event, Figure, Measurement, Named, Phase, PreciseBest, SizeClosed, Summary, Trial,
    most_precise, settings::Objective,
};
use search_api::Budget;
use space::{self, ConfigurationId, Parameter, Space};

use super::{
    StudyFault, StudyJournal,
    round_samples::Sample,
    running::{self, RunningStudy},
    values_in_rounds,
};
use crate::tuning::{Ranking, SizeSearch, Tuner, holds_on_fresh_inputs, measured_together};

impl RunningStudy<'_> {
    /// Searches the full-precision configurations at the reported size. Does nothing if the winner
    /// has full precision, or if no parameter sets a precision.
    pub(super) fn weigh_precision(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        if journal.is_finished() || journal.precise().is_some() {
            return Ok(());
        }
        let view = journal.view();
        let Some((point, winner)) = view.winner() else { return Ok(()) };
        let (size, winner) = (point.size, winner.clone());
        let space = self.subject.space(size).map_err(StudyFault::Benchmark)?;
        let kept: Vec<String> = space.parameters().iter().filter_map(as_precise).collect();
        if kept.is_empty() {
            return Ok(());
        }
        let precise = self.subject.narrowed(size, &kept).map_err(StudyFault::Benchmark)?;
        if precise.is_empty() || winner.configuration.id_in(&precise).is_some() {
            return Ok(());
        }
        let default = space.default_id().map(|id| Named::of(&space, id));
        let starts = [default, Some(winner.configuration.clone())];
        let starts: Vec<ConfigurationId> = starts
            .iter()
            .flatten()
            .filter_map(|named| as_precise_as_can_be(&precise, named))
            .collect();
        // The speed-up compares run times, whatever the study's objective is.
        let ranking = Ranking {
            objective: Objective::default(),
            further: Vec::new(),
            ..self.plan.ranking.clone()
        };
        let budget = &self.plan.settings.budget;
        let seconds = budget.seconds.unwrap_or(f64::INFINITY);
        let left = (seconds - journal.charged()).max(0.0);
        let policy = &self.plan.settings.policy;
        let most = policy.precise_evaluations as u64;
        let search = SizeSearch {
            size,
            phase: Phase::Precise,
            space: Arc::new(precise),
            ranking: &ranking,
            budget: Budget {
                evaluations: Some(most.min(budget.evaluations.unwrap_or(most))),
                cost_seconds: Some(
                    (seconds * policy.precise_share).max(policy.precise_seconds).min(left),
                ),
                at_least: starts.len().max(1) as u64,
            },
            starts,
            memory: Arc::clone(&self.plan.memory),
            rng: space::seeded(self.plan.settings.seed, !size),
            interrupted: self.interrupted,
        };
        self.listener.full_precision(size);
        let mut tuner = Tuner::new(search, self.evaluator, journal, self.listener);
        // The reason why the search ended does not matter; `go_on` below detects an interruption.
        let _ = (self.plan.strategy.search)(&mut tuner, &self.plan.knobs);
        let searched = tuner.finish().map_err(StudyFault::Records)?;
        self.go_on()?;
        let own = searched.trials.iter().filter(|(_, trial)| trial.phase == Phase::Precise);
        let mut found = PreciseBest {
            size,
            evaluations: searched.trials.len() as u64,
            seconds: own.map(|(_, trial)| trial.outcome.costs.total()).sum::<f64>()
                + searched.unused_seconds,
            ..PreciseBest::default()
        };
        let cost = |trial: &Trial| ranking.admissible(&trial.outcome).map(|costs| costs[0]);
        let mut ranked: Vec<(f64, &Named)> = searched
            .trials
            .iter()
            .filter_map(|(_, t)| Some((cost(t)?, &t.configuration)))
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut holds = |named: &Named| {
            let spent = &mut found.seconds;
            holds_on_fresh_inputs(size, named, &ranking, self.evaluator, journal, spent)
        };
        let mut best = None;
        for (_, named) in ranked {
            if holds(named).map_err(StudyFault::Records)? {
                best = Some(named.clone());
                break;
            }
        }
        self.go_on()?;
        if let Some(best) = best {
            let names = [winner.configuration.clone(), best];
            let (phase, patience) = (Phase::PreciseFinal, self.patience(left));
            let outcomes =
                measured_together(size, phase, &names, &ranking, self.evaluator, journal, patience)
                    .map_err(StudyFault::Records)?;
            self.go_on()?;
            found.seconds += outcomes.iter().map(|outcome| outcome.costs.total()).sum::<f64>();
            let measured = |at: usize| outcomes[at].measurement.as_ref();
            (found.gain, found.gain_interval) = running::gain(measured(0), measured(1));
            found.best = measured(1).map(|best| self.figure(size, &names[1], best));
            // What is faster in full precision is the best.
            let over = found.gain.zip(found.gain_interval);
            if let (Some((over, (low, high))), Some(best), Some(own)) =
                (over, &found.best, measured(1))
                && high < 1.0
                && self.plan.ranking.is_by_time()
                && let Some(before) = journal.closed().get(&size).copied().cloned()
            {
                let best = self.as_in_rounds(size, best, own, (&winner.seconds, over));
                let mut closed = SizeClosed {
                    why: format!("{}; in full precision it was faster", before.why),
                    best: Some(best.clone()),
                    gain: before.gain.map(|gain| gain / over),
                    gain_interval: before.gain_interval.map(|(a, b)| (a / high, b / low)),
                    seconds: before.seconds + found.seconds,
                    by_precision: true,
                    ..before
                };
                let of_default = closed.default.as_ref().map(|own| &own.configuration);
                if of_default == Some(&best.configuration) {
                    (closed.gain, closed.gain_interval) = (Some(1.0), Some((1.0, 1.0)));
                    closed.default = Some(best);
                }
                return journal.write(Event::SizeClosed(closed));
            }
        }
        journal.write(Event::Precise(found))
    }

    /// Returns the estimate of a configuration that takes `over` times the time of the winner, at the
    /// machine speed of the winner's rounds.
    fn as_in_rounds(
        &mut self,
        size: u64,
        best: &Figure,
        own: &Measurement,
        (winner, over): (&Summary, f64),
    ) -> Figure {
        let time = winner.median * over;
        let pace = time / own.seconds.median;
        let sample =
            |seconds: &f32| Sample { seconds: pace * f64::from(*seconds), ..Sample::default() };
        let mut samples: Vec<Sample> = own.samples.iter().map(sample).collect();
        if samples.is_empty() {
            samples.push(Sample { seconds: time, ..Sample::default() });
        }
        let interval = (winner.interval.0 * over, winner.interval.1 * over);
        let by = (time, interval);
        values_in_rounds::figure(self.plan, self.subject, size, best, &samples, by)
    }

    /// Whether a configuration has full precision; false if no parameter sets a precision.
    pub(super) fn is_precise(&mut self, size: u64, named: &Named) -> Result<bool, StudyFault> {
        let space = self.subject.space(size).map_err(StudyFault::Benchmark)?;
        let precise =
            |p: &Parameter| most_precise(&p.values).map(|value| named.get(&p.name) == Some(value));
        let mut chosen = space.parameters().iter().filter_map(precise).peekable();
        Ok(chosen.peek().is_some() && chosen.all(|is| is))
    }

    pub(super) fn go_on(&self) -> Result<(), StudyFault> {
        match self.interrupted.load(Ordering::Relaxed) {
            true => Err(StudyFault::Interrupted),
            false => Ok(()),
        }
    }
}

/// Returns a parameter's most precise value as `NAME=VALUE`, if the parameter sets a precision.
fn as_precise(parameter: &Parameter) -> Option<String> {
    most_precise(&parameter.values).map(|value| format!("{}={value}", parameter.name))
}

/// Returns the ID of the configuration with its precisions raised: parameters that have one value
/// in `part` take that value. Returns `None` if the result is not valid.
fn as_precise_as_can_be(part: &Space, named: &Named) -> Option<ConfigurationId> {
    let values = part.parameters().iter().map(|parameter| {
        let value = match parameter.values.as_slice() {
            [only] => only,
            _ => named.get(&parameter.name)?,
        };
        Some((parameter.name.as_str(), value))
    });
    part.id_of_named(values.collect::<Option<Vec<_>>>()?)
}
