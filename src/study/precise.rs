//! What precision costs: the winner beside the best configuration whose formats are all as precise
//! as they can be, found by a short search of its own.

use std::sync::{Arc, atomic::Ordering};

use super::{
    StudyFault, StudyJournal,
    running::{self, RunningStudy},
};
use crate::{
    records::{Event, Measurement, Named, Phase, PreciseBest, most_precise},
    space::{self, ConfigurationId, Parameter, Space},
    strategies::Budget,
    tuning::{SizeSearch, Tuner, measured_together},
};

/// Most evaluations of the search.
const EVALUATIONS: u64 = 24;
/// Most seconds of the search: a share of the study's, and seconds at least.
const SECONDS: (f64, f64) = (0.05, 1.0);

impl RunningStudy<'_> {
    /// Searches the most precise configurations at the size that counts, unless its winner is one
    /// of them anyway or nothing there chooses a precision.
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
        let starts = [
            space.default_id().map(|id| Named::of(&space, id)),
            Some(winner.configuration.clone()),
        ];
        let starts: Vec<ConfigurationId> =
            starts.iter().flatten().filter_map(|named| in_part(&precise, named)).collect();
        let precise = Arc::new(precise);
        let study = self.plan.settings.budget.seconds.unwrap_or(f64::INFINITY);
        let search = SizeSearch {
            size,
            space: Arc::clone(&precise),
            ranking: &self.plan.ranking,
            budget: Budget {
                evaluations: Some(EVALUATIONS),
                cost_seconds: Some((study * SECONDS.0).max(SECONDS.1)),
                at_least: starts.len().max(1) as u64,
            },
            starts,
            rng: space::seeded(self.plan.settings.seed, !size),
            interrupted: self.interrupted,
        };
        let mut tuner = Tuner::new(search, self.evaluator, journal, self.listener);
        // Every end is an ordinary one; an interruption is seen below.
        let _ = (self.plan.strategy.search)(&mut tuner, &self.plan.knobs);
        let searched = tuner.finish().map_err(StudyFault::Records)?;
        self.go_on()?;
        let ranking = &self.plan.ranking;
        let costs = searched
            .trials
            .iter()
            .filter_map(|(_, trial)| Some((ranking.admissible(&trial.outcome)?[0], trial)));
        let best =
            costs.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, trial)| trial.configuration.clone());
        let mut found = PreciseBest {
            size,
            evaluations: searched.trials.len() as u64,
            seconds: searched
                .trials
                .iter()
                .map(|(_, trial)| trial.outcome.costs.total())
                .sum::<f64>()
                + searched.unused_seconds,
            ..PreciseBest::default()
        };
        if let Some(best) = best {
            let names = [winner.configuration, best];
            let patience = running::patience(study);
            let phase = Phase::Precise;
            let outcomes =
                measured_together(size, phase, &names, ranking, self.evaluator, journal, patience)
                    .map_err(StudyFault::Records)?;
            self.go_on()?;
            found.seconds += outcomes.iter().map(|outcome| outcome.costs.total()).sum::<f64>();
            let mut figure = |at: usize| {
                let measurement: &Measurement = outcomes[at].measurement.as_ref()?;
                Some(self.figure(size, &names[at], measurement))
            };
            let (winner, best) = (figure(0), figure(1));
            (found.gain, found.gain_interval) = running::gain(winner.as_ref(), best.as_ref());
            found.best = best;
        }
        journal.write(Event::Precise(found))
    }

    fn go_on(&self) -> Result<(), StudyFault> {
        match self.interrupted.load(Ordering::Relaxed) {
            true => Err(StudyFault::Interrupted),
            false => Ok(()),
        }
    }
}

/// A parameter's most precise value as `NAME=VALUE`, if it chooses a precision.
fn as_precise(parameter: &Parameter) -> Option<String> {
    most_precise(&parameter.values).map(|value| format!("{}={value}", parameter.name))
}

/// The configuration with the same values where the part leaves a choice, if it is valid.
fn in_part(part: &Space, named: &Named) -> Option<ConfigurationId> {
    let values = part.parameters().iter().map(|parameter| {
        let value = match parameter.values.as_slice() {
            [only] => only,
            _ => named.get(&parameter.name)?,
        };
        Some((parameter.name.as_str(), value))
    });
    part.id_of_named(values.collect::<Option<Vec<_>>>()?)
}
