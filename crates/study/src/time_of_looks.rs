//! Limits the time of re-tuning. If kernels take a second to compile, a dozen neighbours cost as
//! much time as growth did. Nothing would be left for rounds, and each point would be measured only
//! once.

use std::collections::HashSet;

use records::{Event, Named, Phase, Trial};

use super::{StudyJournal, running::RunningStudy};

/// Re-tuning takes at most this share of the time after growth; the rest is for rounds.
const SHARE_OF_LATE_TIME: f64 = 0.5;
/// Once re-tuning has taken this share, it tries no configuration that is new to all sizes. Known
/// configurations cost little if they are compiled already.
const NEW: f64 = 0.35;
/// Once re-tuning has taken this share, no size is re-tuned a second time.
const ONCE_MORE: f64 = 0.25;
/// A new configuration is expected to cost the mean of this many last trials of new configurations.
const LAST: usize = 12;
/// Trials that every re-tuning adds: the winner, the default, and a check on fresh inputs.
const BESIDE: f64 = 3.0;

impl RunningStudy<'_> {
    /// Whether there is time to re-tune a size a second time.
    pub(super) fn may_look_once_more(&self, journal: &StudyJournal) -> bool {
        self.seconds_left(journal, &LooksSoFar::of(journal), ONCE_MORE) > 0.0
    }

    /// Returns the challengers for which re-tuning has time.
    pub(super) fn in_time(&self, journal: &StudyJournal, challengers: Vec<Named>) -> Vec<Named> {
        let so_far = LooksSoFar::of(journal);
        let [left, left_for_new] =
            [SHARE_OF_LATE_TIME, NEW].map(|share| self.seconds_left(journal, &so_far, share));
        let mut needed = BESIDE * so_far.known;
        let fits = |name: &Named| {
            let (cost, left) = match so_far.tried.contains(&name.key()) {
                true => (so_far.known, left),
                false => (so_far.new, left_for_new),
            };
            let fits = needed + cost <= left;
            needed += if fits { cost } else { 0.0 };
            fits
        };
        challengers.into_iter().filter(fits).collect()
    }

    /// Returns the seconds until re-tuning has taken this share of the time after growth; infinite
    /// without a time budget.
    fn seconds_left(&self, journal: &StudyJournal, so_far: &LooksSoFar, share: f64) -> f64 {
        let Some(seconds) = self.plan.settings.budget.seconds else { return f64::INFINITY };
        share * (seconds - journal.charged() + so_far.seconds) - so_far.seconds
    }
}

/// Costs of re-tuning and of trials until the last size closed. Later trials do not count, so that
/// a resumed study takes the same challengers again.
struct LooksSoFar {
    /// Seconds of re-tuning.
    seconds: f64,
    /// Configurations that any size has tried.
    tried: HashSet<String>,
    /// Mean seconds of a trial of a configuration that is new to all sizes.
    new: f64,
    /// Mean seconds of a trial of a known configuration. It equals about `new` if every size
    /// compiles its own kernels.
    known: f64,
}

impl LooksSoFar {
    fn of(journal: &StudyJournal) -> Self {
        let events: Vec<&Event> = journal.events().collect();
        let closed = events.iter().rposition(|event| matches!(event, Event::SizeClosed(_)));
        let trials: Vec<&Trial> = (events[..closed.unwrap_or(0)].iter())
            .filter_map(|event| match event {
                Event::Trial(event) => Some(&event.trial),
                _ => None,
            })
            .collect();
        let mut tried = HashSet::new();
        let (mut new, mut known) = (Vec::new(), Vec::new());
        for trial in &trials {
            let is_new = tried.insert(trial.configuration.key());
            let seconds = trial.outcome.costs.total();
            if is_new { new.push(seconds) } else { known.push(seconds) }
        }
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
        let looks = trials.iter().filter(|trial| trial.phase == Phase::Again);
        Self {
            seconds: looks.map(|trial| trial.outcome.costs.total()).sum(),
            tried,
            new: mean(&new[new.len().saturating_sub(LAST)..]),
            known: mean(&known),
        }
    }
}
