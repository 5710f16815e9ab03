//! Whether rounds uphold a winner: not one that fails in them, or is outrun in them by its default or a rival.

use super::{
    StudyFault, StudyJournal,
    counted_rounds::{CountedRounds, Sample},
    running::RunningStudy,
    values_in_rounds::{Ratio, figure, ratio},
};
use crate::{
    numeric::median,
    records::{Event, Figure, Named, Phase, RoundsPurpose, SizeClosed},
    tuning::{TrialStore as _, holds_on_fresh_inputs},
};

/// How many times faster than the winner a rival is at least, by the lower end of the interval: which of several equal ones
/// is called the winner makes no difference, and to choose the one that chance favours would bend the curve.
const LEAD: f64 = 1.01;
/// Pairs from which on one is told faster: rounds are looked at again and again, and of many comparisons of a few
/// pairs some err.
const LEAST_PAIRS: usize = 24;

/// A winner that rounds do not uphold.
struct Outrun {
    closed: SizeClosed,
    /// Why it failed in rounds, if it did.
    failed: Option<String>,
    /// What may follow it, the fastest first.
    heirs: Vec<Heir>,
}

/// What may follow a winner.
struct Heir {
    name: Named,
    /// The fastest has the least.
    rank: f64,
    /// What rounds have of it.
    samples: Vec<Sample>,
}

impl Heir {
    fn new(name: &Named, samples: &[Sample], rank: f64) -> Self {
        Self { name: name.clone(), rank, samples: samples.to_vec() }
    }
}

impl RunningStudy<'_> {
    /// Closes sizes anew whose winners rounds do not uphold, with the fastest of what outran them that holds; whether there
    /// were any. When rounds are over, no winner may be slower than its default, by however little.
    pub(super) fn uphold(
        &mut self,
        journal: &mut StudyJournal,
        are_over: bool,
    ) -> Result<bool, StudyFault> {
        let outrun = self.outrun(journal, are_over);
        let mut any = false;
        for Outrun { closed, failed, heirs } in outrun {
            let mut seconds = closed.seconds;
            let heir = self.heir(journal, &closed, heirs, &mut seconds)?;
            let default = closed.default.as_ref().map(|default| &default.configuration);
            let is_default = heir.as_ref().is_some_and(|heir| Some(&heir.configuration) == default);
            let why = match (failed, &heir) {
                (None, None) => continue,
                (Some(why), _) => format!("the best failed in rounds: {why}"),
                (None, Some(_)) if is_default => "the default was faster in rounds".to_owned(),
                (None, Some(_)) => "a rival was faster in rounds".to_owned(),
            };
            any = true;
            // Rounds give the speed-up of a rival when they are over.
            let gain = is_default.then_some(1.0);
            journal.write(Event::SizeClosed(SizeClosed {
                why: format!("{}; {why}", closed.why),
                best: heir,
                gain,
                gain_interval: gain.map(|one| (one, one)),
                seconds,
                ..closed
            }))?;
        }
        Ok(any)
    }

    fn outrun(&self, journal: &StudyJournal, are_over: bool) -> Vec<Outrun> {
        let ranking = &self.plan.ranking;
        // Of several objectives, the first one names the winner.
        let by_time = ranking.follows_time() || ranking.objective.metric == "seconds";
        let rounds = CountedRounds::of(journal, RoundsPurpose::Answer).all_samples();
        let of_size = |closed: &SizeClosed| {
            let best = &closed.best.as_ref()?.configuration;
            let default = closed.default.as_ref().map(|default| &default.configuration);
            let in_rounds = rounds.get(&closed.size).map_or(&[][..], Vec::as_slice);
            let stays = |name: &Named| name != best && journal.dropped(closed.size, name).is_none();
            let others = || in_rounds.iter().filter(|(name, _)| stays(name));
            let failed = journal.dropped(closed.size, best).map(str::to_owned);
            let mut heirs: Vec<Heir> = if failed.is_some() {
                let seen = |name: &Named| others().any(|(other, _)| *other == name);
                let unseen = default.filter(|name| stays(name) && !seen(name));
                let unseen = unseen.map(|name| Heir::new(name, &[], f64::INFINITY));
                others()
                    .map(|(name, own)| Heir::new(name, own, middle(own)))
                    .chain(unseen)
                    .collect()
            } else if let (true, Some((_, own))) =
                (by_time, in_rounds.iter().find(|(name, _)| *name == best))
            {
                let faster = |(name, samples): &(&Named, Vec<Sample>)| {
                    let Ratio { value, interval, pairs } = ratio(own, samples);
                    let (lead, least) = match are_over && Some(*name) == default {
                        true => (1.0, 0),
                        false => (LEAD, LEAST_PAIRS),
                    };
                    let leads = interval.is_some_and(|(low, _)| low > lead) && pairs >= least;
                    leads.then(|| Heir::new(name, samples, 1.0 / value))
                };
                others().filter_map(faster).collect()
            } else {
                Vec::new()
            };
            heirs.sort_by(|a, b| a.rank.total_cmp(&b.rank));
            let is_outrun = failed.is_some() || !heirs.is_empty();
            is_outrun.then(|| Outrun { closed: closed.clone(), failed, heirs })
        };
        journal.tuned().into_values().filter_map(of_size).collect()
    }

    /// The first of the heirs that holds on fresh inputs.
    fn heir(
        &mut self,
        journal: &mut StudyJournal,
        closed: &SizeClosed,
        heirs: Vec<Heir>,
        spent: &mut f64,
    ) -> Result<Option<Figure>, StudyFault> {
        let (size, ranking) = (closed.size, &self.plan.ranking);
        for Heir { name, samples, .. } in heirs {
            if !holds_on_fresh_inputs(size, &name, ranking, self.evaluator, journal, spent)
                .map_err(StudyFault::Records)?
            {
                continue;
            }
            let default = closed.default.as_ref().filter(|d| d.configuration == name);
            if let Some(default) = default {
                return Ok(Some(default.clone()));
            }
            let checked = journal.recall(size, Phase::Check, &name);
            let checked = checked.and_then(|trial| trial.outcome.measurement);
            let Some(checked) = checked.filter(|_| !samples.is_empty()) else { continue };
            let checked = self.figure(size, &name, &checked);
            let time = middle(&samples);
            return Ok(Some(figure(self.plan, self.subject, size, &checked, &samples, time)));
        }
        Ok(None)
    }
}

/// Middle of some run times; infinite without any.
fn middle(samples: &[Sample]) -> f64 {
    let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    if seconds.is_empty() { f64::INFINITY } else { median(&seconds) }
}
