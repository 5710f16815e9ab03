//! What second looks may take. Where kernels compile in a second, a look at a dozen neighbours takes as long as growth did,
//! and nothing would be left for rounds: an answer of points that were measured once.

use std::collections::HashSet;

use super::{StudyJournal, running::RunningStudy};
use crate::records::{Costs, Event, Named, Trial};

/// Share of the seconds behind growth that all looks take at most: the rest is for rounds.
const LOOKS: f64 = 0.5;
/// Share of them after which no size is looked at once more.
const ONCE_MORE: f64 = 0.25;

impl RunningStudy<'_> {
    /// The charge after which so large a share of the seconds behind growth is spent; infinite without a budget of time.
    fn limit(&self, share: f64) -> f64 {
        let growth = self.plan.growth_share();
        let seconds = self.plan.settings.budget.seconds.unwrap_or(f64::INFINITY);
        (growth + share * (1.0 - growth)) * seconds
    }

    /// Whether sizes that were looked at may be looked at once more.
    pub(super) fn may_look_once_more(&self, journal: &StudyJournal) -> bool {
        journal.charged() < self.limit(ONCE_MORE)
    }

    /// The first of these challengers that all looks have time for. Those that no size has tried are expected to cost what
    /// trials that compiled have cost, in the mean.
    pub(super) fn in_time(&self, journal: &StudyJournal, challengers: Vec<Named>) -> Vec<Named> {
        let left = self.limit(LOOKS) - journal.charged();
        let costs = KnownCosts::of(journal);
        let mut needed = 0.0;
        let fits = |name: &Named| {
            needed += costs.of_one(name);
            needed <= left
        };
        challengers.into_iter().take_while(fits).collect()
    }
}

/// Mean seconds of trials before the last size closed, so that a look which was cut short takes the same challengers again.
struct KnownCosts {
    tried: HashSet<String>,
    compiled: f64,
    found: f64,
}

impl KnownCosts {
    fn of(journal: &StudyJournal) -> Self {
        let behind = |event: &&Event| !matches!(event, Event::SizeClosed(_));
        let trials: Vec<&Trial> = (journal.events().rev().skip_while(behind))
            .filter_map(|event| match event {
                Event::Trial(event) => Some(&event.trial),
                _ => None,
            })
            .collect();
        let (compiled, found): (Vec<Costs>, Vec<Costs>) =
            (trials.iter()).map(|trial| trial.outcome.costs).partition(|costs| costs.compile > 0.0);
        let mean = |costs: &[Costs]| match costs.len() {
            0 => 0.0,
            count => costs.iter().map(Costs::total).sum::<f64>() / count as f64,
        };
        let tried = trials.iter().map(|trial| trial.configuration.key()).collect();
        Self { tried, compiled: mean(&compiled), found: mean(&found) }
    }

    fn of_one(&self, name: &Named) -> f64 {
        if self.tried.contains(&name.key()) { self.found } else { self.compiled }
    }
}
