//! The race of a size's candidates in the rounds. A winner that fails, or that another candidate
//! beats, is replaced by the best of the others.

use std::collections::{BTreeMap, BTreeSet};

use math::{is_lower_in_pairs, median, median_interval};
use records::{Event, Figure, Measurement, Named, Phase, RoundsPurpose, SizeClosed, Trial};

use super::{
    StudyFault, StudyJournal,
    round_samples::{RoundSamples, Sample},
    running::RunningStudy,
    values_in_rounds::{figure, speed_up},
};
use crate::tuning::{TrialStore as _, holds_on_fresh_inputs};

/// Confidence of the interval of a run time.
const CONFIDENCE: f64 = 0.95;

/// A winner that lost in the rounds.
struct Beaten {
    closed: SizeClosed,
    /// Why the winner failed in rounds, if it did.
    failed: Option<String>,
    /// Configurations that may replace the winner, the fastest first.
    successors: Vec<Successor>,
}

/// A configuration that may replace a winner.
struct Successor {
    name: Named,
    /// Median run time at the machine speed of the rounds; the cost before the rounds if run time
    /// is not the objective.
    cost: f64,
    /// Its samples in rounds; none if it took no part.
    samples: Vec<Sample>,
    /// Its estimate from before the rounds.
    before: Option<Measurement>,
}

impl Successor {
    fn in_rounds(name: &Named, samples: &[Sample]) -> Self {
        let (cost, samples) = (middle(samples), samples.to_vec());
        Self { name: name.clone(), cost, samples, before: None }
    }

    fn before_rounds(name: &Named, measured: &Measurement, cost: f64) -> Self {
        let (name, samples) = (name.clone(), Vec::new());
        Self { name, cost, samples, before: Some(measured.clone()) }
    }
}

impl RunningStudy<'_> {
    /// Replaces winners that lost in the rounds. Returns whether any were replaced. Once the rounds
    /// are over, a default that was not slower replaces the winner: no answer is slower than what
    /// it is compared with.
    pub(super) fn replace_beaten(
        &mut self,
        journal: &mut StudyJournal,
        are_over: bool,
    ) -> Result<bool, StudyFault> {
        let beaten = self.beaten(journal, are_over);
        let mut any = false;
        for Beaten { closed, failed, successors } in beaten {
            let mut seconds = closed.seconds;
            let successor = self.successor(journal, &closed, successors, &mut seconds)?;
            let default = closed.default.as_ref().map(|default| &default.configuration);
            let is_default = successor
                .as_ref()
                .is_some_and(|successor| Some(&successor.configuration) == default);
            let why = match (failed, &successor) {
                (None, None) => continue,
                (Some(why), _) => format!("the best failed in rounds: {why}"),
                (None, Some(_)) if is_default => "the default was faster in rounds".to_owned(),
                (None, Some(_)) => "another candidate was faster in rounds".to_owned(),
            };
            any = true;
            // The speed-up of another candidate is computed from the rounds when they are over.
            let gain = is_default.then_some(1.0);
            journal.write(Event::SizeClosed(SizeClosed {
                why: format!("{}; {why}", closed.why),
                best: successor,
                gain,
                gain_interval: gain.map(|one| (one, one)),
                seconds,
                ..closed
            }))?;
        }
        Ok(any)
    }

    fn beaten(&self, journal: &StudyJournal, are_over: bool) -> Vec<Beaten> {
        let ranking = &self.plan.ranking;
        let by_time = ranking.is_by_time();
        let is_default = |closed: &SizeClosed, name: &Named| {
            closed.default.as_ref().is_some_and(|default| default.configuration == *name)
        };
        let rounds = RoundSamples::of(journal, RoundsPurpose::Answer).all();
        let of_size = |closed: &SizeClosed| {
            let best = &closed.best.as_ref()?.configuration;
            let in_rounds = rounds.get(&closed.size).map_or(&[][..], Vec::as_slice);
            let stays = |name: &Named| name != best && journal.dropped(closed.size, name).is_none();
            let others = || in_rounds.iter().filter(|(name, _)| stays(name));
            let failed = journal.dropped(closed.size, best).map(str::to_owned);
            let mut successors: Vec<Successor> = if failed.is_some() {
                self.successors_of_failed(journal, closed, others().map(|(name, own)| (*name, own)))
            } else if let (true, Some((_, own))) =
                (by_time, in_rounds.iter().find(|(name, _)| *name == best))
            {
                let faster = |(name, samples): &(&Named, Vec<Sample>)| {
                    let level = speed_up(samples, own).value <= 1.0;
                    let is_better =
                        beats(samples, own) || (are_over && is_default(closed, name) && level);
                    is_better.then(|| Successor::in_rounds(name, samples))
                };
                others().filter_map(faster).collect()
            } else {
                Vec::new()
            };
            successors.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            let is_beaten = failed.is_some() || !successors.is_empty();
            is_beaten.then(|| Beaten { closed: closed.clone(), failed, successors })
        };
        journal.tuned().into_values().filter_map(of_size).collect()
    }

    /// Returns what may replace a winner that failed: the others of the rounds, and all that were
    /// measured at the size before.
    fn successors_of_failed<'a>(
        &self,
        journal: &StudyJournal,
        closed: &SizeClosed,
        others: impl Iterator<Item = (&'a Named, &'a Vec<Sample>)>,
    ) -> Vec<Successor> {
        let ranking = &self.plan.ranking;
        let others = others.filter(|(_, own)| ranking.is_by_time() && !own.is_empty());
        let mut all: Vec<Successor> =
            others.map(|(name, own)| Successor::in_rounds(name, own)).collect();
        let mut failed: BTreeSet<String> = BTreeSet::new();
        // The last trial counts, since finals follow the search.
        let mut before: BTreeMap<String, &Trial> = BTreeMap::new();
        for trial in journal.before_rounds(closed.size) {
            let key = trial.configuration.key();
            // What failed or broke a bound in any trial is no valid answer.
            if ranking.admissible(&trial.outcome).is_none() {
                failed.insert(key.clone());
            }
            before.insert(key, trial);
        }
        let change =
            |of: &Successor| Some(of.cost / ranking.cost(&before.get(&of.name.key())?.outcome));
        let changes: Vec<f64> = all.iter().filter_map(change).filter(|c| c.is_finite()).collect();
        // How much slower the machine is in rounds than before them.
        let slower = if changes.is_empty() { 1.0 } else { median(&changes) };
        // The fastest of many estimates is too fast: what rounds measured comes before its like.
        let before_is = slower * (1.0 + self.policy().tie);
        for trial in before.values() {
            let name = &trial.configuration;
            let is_new = all.iter().all(|other| other.name != *name);
            let stays = is_new && journal.dropped(closed.size, name).is_none();
            if let Some(measured) = trial.outcome.measurement.as_ref().filter(|_| stays) {
                let cost = before_is * ranking.cost(&trial.outcome);
                all.push(Successor::before_rounds(name, measured, cost));
            }
        }
        all.retain(|other| !failed.contains(&other.name.key()));
        all
    }

    /// Returns the first successor whose results are correct on fresh inputs.
    fn successor(
        &mut self,
        journal: &mut StudyJournal,
        closed: &SizeClosed,
        successors: Vec<Successor>,
        spent: &mut f64,
    ) -> Result<Option<Figure>, StudyFault> {
        let (size, ranking) = (closed.size, &self.plan.ranking);
        for Successor { name, samples, before, .. } in successors {
            if !holds_on_fresh_inputs(size, &name, ranking, self.evaluator, journal, spent)
                .map_err(StudyFault::Records)?
            {
                continue;
            }
            let default = closed.default.as_ref().filter(|d| d.configuration == name);
            if let Some(default) = default {
                return Ok(Some(default.clone()));
            }
            if let Some(before) = before {
                return Ok(Some(self.figure(size, &name, &before)));
            }
            let checked = journal.recall(size, Phase::Check, &name);
            let checked = checked.and_then(|trial| trial.outcome.measurement);
            let Some(checked) = checked.filter(|_| !samples.is_empty()) else { continue };
            let checked = self.figure(size, &name, &checked);
            let time = middle(&samples);
            let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
            let interval = median_interval(&seconds, CONFIDENCE).unwrap_or((time, time));
            let by = (time, interval);
            return Ok(Some(figure(self.plan, self.subject, size, &checked, &samples, by)));
        }
        Ok(None)
    }
}

/// Whether one configuration is faster than another in the rounds that both took part in.
fn beats(samples: &[Sample], other: &[Sample]) -> bool {
    let of: BTreeMap<u64, f64> = other.iter().map(|own| (own.round, own.seconds)).collect();
    let pair = |own: &Sample| Some((own.seconds, *of.get(&own.round)?));
    is_lower_in_pairs(samples.iter().filter_map(pair))
}

/// Returns the median run time; infinite without samples.
fn middle(samples: &[Sample]) -> f64 {
    let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    if seconds.is_empty() { f64::INFINITY } else { median(&seconds) }
}
