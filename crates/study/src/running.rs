//! Tunes one size of a study: opens and searches the size, and closes it with what the search
//! measured. Its finals follow when all sizes are known.

use std::sync::{Arc, atomic::AtomicBool};

use records::{
    Event, Figure, Measurement, Named, Phase, Purpose, SizeClosed, SizeOpened, Trial,
    settings::{MeasuringPolicy, Objective},
};
use search_api::{Budget, Memory, Problem as _, Stop};
use space::{self, ConfigurationId, Space};

use super::{
    Plan, StudyFault, StudyJournal, StudyListener, Subject, earlier_sizes, figure::figure,
};
use crate::tuning::{
    Evaluator, Finals, Ranking, Searched, Searcher, SizeSearch, Tuner, Winner, speed_up,
};

/// Most share of a size's seconds for its finals, whatever the policy says.
const MOST_FINALS: f64 = 0.9;
/// Parts into which a final's seconds are divided: finalists and default, with room for the check.
const FINAL_PARTS: f64 = 7.0;

/// A study in progress.
pub(super) struct RunningStudy<'a> {
    pub(super) plan: &'a Plan,
    pub(super) subject: &'a mut dyn Subject,
    pub(super) evaluator: &'a mut dyn Evaluator,
    pub(super) listener: &'a mut dyn StudyListener,
    pub(super) interrupted: &'a AtomicBool,
}

impl RunningStudy<'_> {
    pub(super) fn tune(
        &mut self,
        journal: &mut StudyJournal,
        size: u64,
        purpose: Purpose,
        remaining: &[u64],
    ) -> Result<(), StudyFault> {
        if journal.closed().contains_key(&size) {
            return Ok(());
        }
        self.listener.sizes(remaining, journal.charged());
        let space = Arc::new(self.subject.space(size).map_err(StudyFault::Benchmark)?);
        let opened = self.open(journal, size, purpose, &space, remaining.len())?;
        if space.is_empty() {
            let why = "no configuration satisfies the restrictions at this size".to_owned();
            return journal.write(Event::SizeClosed(SizeClosed {
                size,
                why,
                ..SizeClosed::default()
            }));
        }
        let seconds = opened.seconds.unwrap_or(f64::INFINITY)
            * (1.0 - self.policy().finals_share.min(MOST_FINALS));
        let (searched, stop) = self.search(journal, &space, &opened, (seconds, &[]))?;
        if stop == Some(Stop::Interrupted) {
            return Err(StudyFault::Interrupted);
        }
        let finals = Finals::of_search(&space, &self.plan.ranking, &searched.trials);
        let closed = self.close(size, &searched, &finals, stop);
        journal
            .write(Event::SizeClosed(SizeClosed { provisional: closed.best.is_some(), ..closed }))
    }

    fn open(
        &mut self,
        journal: &mut StudyJournal,
        size: u64,
        purpose: Purpose,
        space: &Space,
        remaining: usize,
    ) -> Result<SizeOpened, StudyFault> {
        if let Some(opened) = journal.opened(size) {
            return Ok(opened.clone());
        }
        let share = self.plan.settings.budget.seconds.map(|seconds| {
            let left = (seconds * self.plan.growth_share() - journal.charged()).max(0.0);
            let visited = journal.closed().len();
            let expected = self.policy().expected_sizes as usize;
            let expected = expected.saturating_sub(visited / 2).max(4).min(remaining);
            let least = match purpose {
                Purpose::Refinement => self.policy().refinement_share * seconds,
                _ => 0.0,
            };
            (left / expected.max(1) as f64).max(least)
        });
        let mut starts = self.plan.starts.clone();
        if self.plan.inherits() {
            let transferred = self.starts(journal, size);
            starts.extend(transferred.into_iter().filter(|name| !self.plan.starts.contains(name)));
        }
        let opened = SizeOpened {
            size,
            purpose,
            configurations: space.len(),
            bytes: self.subject.footprint(size).ok().filter(|bytes| *bytes > 0),
            evaluations: self.plan.settings.budget.evaluations,
            seconds: share,
            starts,
        };
        journal.write(Event::SizeOpened(opened.clone()))?;
        Ok(opened)
    }

    /// Returns the configurations that smaller sizes transfer to this one as starts: their winners,
    /// then nearly as good configurations, which are compiled already.
    fn starts(&self, journal: &StudyJournal, size: u64) -> Vec<Named> {
        let policy = self.policy();
        let (sizes, most) = (policy.starts_from as usize, policy.starts as usize);
        let closed = journal.closed();
        let before: Vec<&SizeClosed> =
            closed.range(..size).rev().take(sizes).map(|(_, closed)| *closed).collect();
        let winners = before.iter().filter_map(|closed| Some(&closed.best.as_ref()?.configuration));
        let mut good: Vec<(f64, &Named)> = Vec::new();
        for closed in &before {
            let scored =
                || journal.trials(closed.size).filter_map(|t| Some((t.score?, &t.configuration)));
            let best = scored().map(|(score, _)| score).fold(f64::INFINITY, f64::min);
            // Lower scores are better; scores are negative if larger gains are better.
            let ratio = |score: f64| if best < 0.0 { best / score } else { score / best };
            good.extend(scored().map(|(score, name)| (ratio(score), name)));
        }
        good.retain(|(ratio, _)| (1.0..=policy.starts_ratio).contains(ratio));
        good.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = self.plan.settings.budget.evaluations.map_or(usize::MAX, |all| all as usize / 2);
        let mut starts: Vec<Named> = Vec::new();
        for (at, name) in winners.chain(good.into_iter().map(|(_, name)| name)).enumerate() {
            let room = at < sizes || starts.len() < most.min(half);
            if room && !starts.contains(name) {
                starts.push(name.clone());
            }
        }
        starts
    }

    /// Returns the prior of a size's search: the trials of the study's other sizes, then other
    /// studies.
    fn memory(&self, journal: &StudyJournal, size: u64) -> Arc<Memory> {
        let inherits = self.plan.inherits() && self.plan.ranking.further.is_empty();
        match inherits.then(|| earlier_sizes::source(journal, size)).flatten() {
            None => Arc::clone(&self.plan.memory),
            Some(own) => {
                let mut memory = Memory::clone(&self.plan.memory);
                memory.sources.insert(0, own);
                Arc::new(memory)
            }
        }
    }

    /// Searches a size for so many seconds. The costs of what it tried before count, and it is
    /// recalled first.
    pub(super) fn search(
        &mut self,
        journal: &mut StudyJournal,
        space: &Arc<Space>,
        opened: &SizeOpened,
        (seconds, before): (f64, &[ConfigurationId]),
    ) -> Result<(Searched, Option<Stop>), StudyFault> {
        let mut starts: Vec<ConfigurationId> = space.default_id().into_iter().collect();
        for start in &opened.starts {
            if let Some(id) = start.id_in(space)
                && !starts.contains(&id)
            {
                starts.push(id);
            }
        }
        let search = SizeSearch {
            size: opened.size,
            phase: Phase::Search,
            space: Arc::clone(space),
            ranking: &self.plan.ranking,
            budget: Budget {
                evaluations: opened.evaluations,
                cost_seconds: Some(seconds.max(f64::MIN_POSITIVE)),
                // The default and transferred winners run in any case: a size that is tuned worse
                // than the size before it would bend the curve.
                at_least: starts.len().min(1 + self.policy().starts_from as usize) as u64,
            },
            starts,
            memory: self.memory(journal, opened.size),
            rng: space::seeded(self.plan.settings.seed, opened.size),
            interrupted: self.interrupted,
        };
        let mut tuner = Tuner::new(search, self.evaluator, journal, self.listener);
        let searcher = Searcher {
            search: self.plan.strategy.search,
            knobs: &self.plan.knobs,
            order: self.plan.settings.order,
        };
        let recalled = before.iter().try_for_each(|id| tuner.evaluate(*id).map(drop));
        let stop = recalled.and_then(|()| searcher.search(&mut tuner)).err();
        Ok((tuner.finish().map_err(StudyFault::Records)?, stop))
    }

    pub(super) fn close(
        &mut self,
        size: u64,
        searched: &Searched,
        finals: &Finals,
        stop: Option<Stop>,
    ) -> SizeClosed {
        let trials = &searched.trials;
        let mut figure = |winner: &Winner| {
            let measurement = winner.outcome.measurement.as_ref()?;
            Some(self.figure(size, &winner.configuration, measurement))
        };
        let best = finals.winner.as_ref().and_then(&mut figure);
        let default = finals.default.as_ref().and_then(&mut figure);
        let (gain, gain_interval) = gain(measured(&finals.winner), measured(&finals.default));
        let fault = match &stop {
            Some(Stop::Fault(why)) => Some(why.to_string()),
            _ => None,
        };
        let why = match &best {
            Some(_) => ended(stop, trials.len(), self.plan.settings.budget.evaluations),
            None if matches!(stop, Some(Stop::Fault(_))) => ended(stop, trials.len(), None),
            None => why_nothing(trials, &self.plan.ranking),
        };
        let seconds =
            trials.iter().map(|(_, t)| t.outcome.costs.total()).sum::<f64>() + finals.seconds;
        let seconds = seconds + searched.unused_seconds;
        let (provisional, by_precision, rounds) = (false, false, 0);
        SizeClosed {
            size,
            why,
            best,
            default,
            gain,
            gain_interval,
            seconds,
            provisional,
            by_precision,
            rounds,
            fault,
        }
    }

    /// The numbers that decide the study's answer.
    pub(super) fn policy(&self) -> &MeasuringPolicy {
        &self.plan.settings.policy
    }

    /// Returns the seconds for which one finalist of a size with so many seconds may be sampled.
    pub(super) fn patience(&self, seconds: f64) -> f64 {
        (seconds * self.policy().finals_share / FINAL_PARTS).clamp(0.05, 2.0)
    }

    pub(super) fn figure(
        &mut self,
        size: u64,
        configuration: &Named,
        measurement: &Measurement,
    ) -> Figure {
        let by_mean = self.policy().mean > 0.0;
        figure(&self.plan.secondary, configuration, (measurement, by_mean), |seconds| {
            self.subject.metrics(size, configuration, seconds)
        })
    }
}

/// Returns the speed-up of the best over another configuration, with its interval, if both were
/// measured.
pub(super) fn gain(
    best: Option<&Measurement>,
    other: Option<&Measurement>,
) -> (Option<f64>, Option<(f64, f64)>) {
    best.zip(other).map(|(best, other)| speed_up(best, other)).unzip()
}

fn measured(winner: &Option<Winner>) -> Option<&Measurement> {
    winner.as_ref()?.outcome.measurement.as_ref()
}

fn ended(stop: Option<Stop>, evaluations: usize, limit: Option<u64>) -> String {
    let counted = limit.is_some_and(|limit| evaluations as u64 >= limit);
    match stop {
        Some(Stop::Budget) if counted => {
            format!("its budget of {evaluations} evaluations was spent")
        }
        Some(Stop::Budget) => {
            format!(
                "its seconds were spent after {evaluations} evaluations; raise them with --time"
            )
        }
        Some(Stop::Fault(why)) => {
            format!("the strategy failed after {evaluations} evaluations: {why}")
        }
        Some(Stop::Exhausted) => format!("all {evaluations} configurations were tried"),
        _ => format!("the search ended after {evaluations} evaluations"),
    }
}

/// Explains in one sentence why no configuration can be reported. The reason is the closest
/// configuration if all break a bound, an objective without a value, a failed second check, or the
/// most frequent failure.
fn why_nothing(trials: &[(ConfigurationId, Trial)], ranking: &Ranking) -> String {
    let count = trials.len();
    let measured = trials.iter().filter_map(|(_, trial)| {
        let measurement = trial.outcome.measurement.as_ref()?;
        let excess = ranking.bounds.excess(|metric| measurement.value(metric))?;
        Some((excess, measurement, &trial.configuration))
    });
    if let Some((excess, measurement, closest)) = measured.min_by(|a, b| a.0.total_cmp(&b.0))
        && excess > 0.0
    {
        let values = ranking.bounds.0.iter().filter_map(|bound| {
            let value = measurement.value(&bound.metric)?;
            Some(format!("{} {value:.2e}", bound.metric))
        });
        return format!(
            "none of {count} configurations satisfies {}; the closest is {closest} with {}",
            ranking.bounds,
            values.collect::<Vec<_>>().join(" and ")
        );
    }
    let measured = trials.iter().filter(|(_, t)| t.outcome.measurement.is_some()).count();
    let unseen = |o: &&Objective| !trials.iter().any(|(_, trial)| has_value(trial, o));
    if measured > 0
        && let Some(Objective { metric, .. }) = ranking.objectives().find(unseen)
    {
        return format!("no run has a value of `{metric}`: nothing here measures it");
    }
    if measured > 0 {
        return format!(
            "{measured} of {count} configurations ran, and none held when checked again"
        );
    }
    let mut reasons: Vec<(usize, &str)> = Vec::new();
    for (_, trial) in trials {
        let reason = trial.outcome.reason.as_str();
        match reasons.iter_mut().find(|(_, known)| *known == reason) {
            Some((count, _)) => *count += 1,
            None => reasons.push((1, reason)),
        }
    }
    let (times, reason) = reasons.into_iter().max_by_key(|(count, _)| *count).unwrap_or_default();
    format!("none of {count} configurations ran and was right ({times} of them: {reason})")
}

fn has_value(trial: &Trial, objective: &Objective) -> bool {
    trial.outcome.measurement.as_ref().is_some_and(|m| m.value(&objective.metric).is_some())
}
