//! What is known already when a study is taken up again: trials by size, phase and configuration,
//! and decisions by what they decided.

use std::collections::HashMap;

use super::{Entry, Event, Phase, SizeClosed, SizeOpened, Started, TrialEvent};

/// The trials and decisions of a journal, by what they are about. Where something was recorded
/// twice, the later record counts.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    trials: HashMap<(u64, Phase, String), TrialEvent>,
    opened: HashMap<u64, SizeOpened>,
    closed: HashMap<u64, SizeClosed>,
    started: Option<Started>,
    accepted: Option<(String, u64)>,
    growth_ended: Option<String>,
    refined: Option<(u64, Vec<u64>)>,
    finished: bool,
    charged: f64,
}

impl Ledger {
    /// The ledger of a journal.
    #[must_use]
    pub fn new(entries: &[Entry]) -> Self {
        let mut ledger = Self::default();
        for entry in entries {
            ledger.add(&entry.event);
        }
        ledger
    }

    fn add(&mut self, event: &Event) {
        match event {
            Event::Started(started) => self.started = Some(started.clone()),
            Event::SizeOpened(opened) => {
                self.opened.insert(opened.size, opened.clone());
            }
            Event::Trial(trial) => {
                let t = &trial.trial;
                self.charged += trial.charged;
                self.trials.insert((t.size, t.phase, t.configuration.key()), trial.clone());
            }
            Event::SizeClosed(closed) => {
                self.closed.insert(closed.size, closed.clone());
            }
            Event::KneeAccepted { detector, size, .. } => {
                self.accepted = Some((detector.clone(), *size));
            }
            Event::GrowthEnded { why } => self.growth_ended = Some(why.clone()),
            Event::Refined { around, sizes } => self.refined = Some((*around, sizes.clone())),
            Event::Finished { .. } => self.finished = true,
            Event::Resumed { .. } => self.finished = false,
            Event::Knee(_) | Event::Interrupted { .. } | Event::Note { .. } => {}
        }
    }

    /// What became of a configuration, if it was tried; `key` is [`super::Named::key`].
    #[must_use]
    pub fn trial(&self, size: u64, phase: Phase, key: &str) -> Option<&TrialEvent> {
        self.trials.get(&(size, phase, key.to_owned()))
    }

    /// How many trials it holds.
    #[must_use]
    pub fn trials(&self) -> usize {
        self.trials.len()
    }

    /// What was known before the first size.
    #[must_use]
    pub fn started(&self) -> Option<&Started> {
        self.started.as_ref()
    }

    /// How a size was opened, with its share of the budget.
    #[must_use]
    pub fn opened(&self, size: u64) -> Option<&SizeOpened> {
        self.opened.get(&size)
    }

    /// How a size ended, if it did.
    #[must_use]
    pub fn closed(&self, size: u64) -> Option<&SizeClosed> {
        self.closed.get(&size)
    }

    /// The detector and size of the accepted knee.
    #[must_use]
    pub fn accepted(&self) -> Option<(&str, u64)> {
        self.accepted.as_ref().map(|(detector, size)| (detector.as_str(), *size))
    }

    /// Why no larger size followed, if that was decided.
    #[must_use]
    pub fn growth_ended(&self) -> Option<&str> {
        self.growth_ended.as_deref()
    }

    /// The knee that was refined, and the sizes chosen around it.
    #[must_use]
    pub fn refined(&self) -> Option<(u64, &[u64])> {
        self.refined.as_ref().map(|(around, sizes)| (*around, sizes.as_slice()))
    }

    /// Whether nothing is left to do.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.finished
    }

    /// Seconds charged to the budget so far.
    #[must_use]
    pub fn charged(&self) -> f64 {
        self.charged
    }
}
