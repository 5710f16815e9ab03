//! Winners that lost in the rounds, by failing or to a faster configuration, are replaced.

use math::{median, median_interval};
use records::{Event, Figure, Named, Phase, RoundsPurpose, SizeClosed};

use super::{
    StudyFault, StudyJournal,
    round_samples::{RoundSamples, Sample},
    running::RunningStudy,
    values_in_rounds::{Ratio, figure, ratio},
};
use crate::tuning::{TrialStore as _, holds_on_fresh_inputs};

/// A rival replaces the winner if the lower end of its speed-up's interval exceeds this.
/// Replacements by chance among equally fast configurations would bend the curve.
const LEAD: f64 = 1.01;
/// Fewest pairs of samples to call a rival faster: rounds are judged many times, and few pairs
/// raise false alarms.
const LEAST_PAIRS: usize = 24;

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
    /// Sort key: the fastest successor has the lowest.
    rank: f64,
    /// Its samples in rounds.
    samples: Vec<Sample>,
}

impl Successor {
    fn new(name: &Named, samples: &[Sample], rank: f64) -> Self {
        Self { name: name.clone(), rank, samples: samples.to_vec() }
    }
}

impl RunningStudy<'_> {
    /// Replaces winners that lost in the rounds. Returns whether any were replaced. Once the rounds
    /// are over, a default replaces the winner however small its lead is.
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
                (None, Some(_)) => "a rival was faster in rounds".to_owned(),
            };
            any = true;
            // The speed-up of a rival is computed from the rounds when they are over.
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
        // With several objectives, the first one decides the winner.
        let by_time = ranking.follows_time() || ranking.objective.metric == "seconds";
        let rounds = RoundSamples::of(journal, RoundsPurpose::Answer).all();
        let of_size = |closed: &SizeClosed| {
            let best = &closed.best.as_ref()?.configuration;
            let default = closed.default.as_ref().map(|default| &default.configuration);
            let in_rounds = rounds.get(&closed.size).map_or(&[][..], Vec::as_slice);
            let stays = |name: &Named| name != best && journal.dropped(closed.size, name).is_none();
            let others = || in_rounds.iter().filter(|(name, _)| stays(name));
            let failed = journal.dropped(closed.size, best).map(str::to_owned);
            let mut successors: Vec<Successor> = if failed.is_some() {
                let seen = |name: &Named| others().any(|(other, _)| *other == name);
                let unseen = default.filter(|name| stays(name) && !seen(name));
                let unseen = unseen.map(|name| Successor::new(name, &[], f64::INFINITY));
                others()
                    .map(|(name, own)| Successor::new(name, own, middle(own)))
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
                    leads.then(|| Successor::new(name, samples, 1.0 / value))
                };
                others().filter_map(faster).collect()
            } else {
                Vec::new()
            };
            successors.sort_by(|a, b| a.rank.total_cmp(&b.rank));
            let is_beaten = failed.is_some() || !successors.is_empty();
            is_beaten.then(|| Beaten { closed: closed.clone(), failed, successors })
        };
        journal.tuned().into_values().filter_map(of_size).collect()
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
        for Successor { name, samples, .. } in successors {
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
            let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
            let interval = median_interval(&seconds, CONFIDENCE).unwrap_or((time, time));
            let by = (time, interval);
            return Ok(Some(figure(self.plan, self.subject, size, &checked, &samples, by)));
        }
        Ok(None)
    }
}

/// Returns the median run time; infinite without samples.
fn middle(samples: &[Sample]) -> f64 {
    let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    if seconds.is_empty() { f64::INFINITY } else { median(&seconds) }
}
