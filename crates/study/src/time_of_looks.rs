//! What second looks may take. Where kernels compile in a second, a look at a dozen neighbours takes as long as growth did,
//! and nothing would be left for rounds: an answer of points that were measured once.

use std::collections::HashSet;

use records::{Event, Named, Phase, Trial};

use super::{StudyJournal, running::RunningStudy};

/// Share of the time behind growth that looks take at most: the rest is for rounds.
const SHARE_OF_LATE_TIME: f64 = 0.5;
/// Share of it after which no configuration is tried that no size has tried: what others found costs little where it
/// has been compiled, and is lent to all sizes in the time that is left.
const NEW: f64 = 0.35;
/// Share of it after which no size is looked at once more.
const ONCE_MORE: f64 = 0.25;
/// The last trials of new configurations, whose mean the next is expected to cost.
const LAST: usize = 12;
/// Trials of known configurations that come with every look: of the winner, the default, and on fresh inputs.
const BESIDE: f64 = 3.0;

impl RunningStudy<'_> {
    /// Whether sizes that were looked at may be looked at once more.
    pub(super) fn may_look_once_more(&self, journal: &StudyJournal) -> bool {
        self.seconds_left(journal, &LooksSoFar::of(journal), ONCE_MORE) > 0.0
    }

    /// These challengers of a size's winner, without those for which looks have no time.
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

    /// Seconds until looks have taken this share of the time that growth left; infinite without a budget of time.
    fn seconds_left(&self, journal: &StudyJournal, so_far: &LooksSoFar, share: f64) -> f64 {
        let Some(seconds) = self.plan.settings.budget.seconds else { return f64::INFINITY };
        share * (seconds - journal.charged() + so_far.seconds) - so_far.seconds
    }
}

/// What looks have cost, and what trials cost, until the last size closed: a look that was cut short takes the same
/// challengers again.
struct LooksSoFar {
    /// Seconds of looks.
    seconds: f64,
    /// Configurations that any size has tried.
    tried: HashSet<String>,
    /// Mean seconds of a trial of one that none has tried.
    new: f64,
    /// And of one that was tried before: where every size compiles its own kernels, that is as much.
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
