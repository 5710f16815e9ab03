//! Working time of a study, from the timestamps of its journal.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::{Event, JournalEntry, Phase};

/// Working time of a study.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hours {
    /// Times of the first and the last line of each session.
    pub sessions: Vec<(DateTime<Utc>, DateTime<Utc>)>,
    /// Seconds between the trials of a search, in which the strategy chose configurations.
    pub choosing: f64,
}

impl Hours {
    /// Computes the working time in one pass over the journal.
    #[must_use]
    pub fn of(entries: &[JournalEntry]) -> Self {
        let mut sessions: Vec<(DateTime<Utc>, DateTime<Utc>)> = Vec::new();
        let mut choosing: BTreeMap<u64, f64> = BTreeMap::new();
        let mut since = None;
        for JournalEntry { utc, event, .. } in entries {
            let resumed = matches!(event, Event::Resumed { .. });
            match sessions.last_mut() {
                Some(session) if !resumed => session.1 = *utc,
                _ => sessions.push((*utc, *utc)),
            }
            since = match event {
                Event::SizeOpened(_) | Event::Resumed { .. } => Some(*utc),
                Event::Trial(trial) if trial.trial.phase == Phase::Search => {
                    if let Some(since) = since {
                        let took = between(since, *utc) - trial.trial.outcome.costs.total();
                        *choosing.entry(trial.trial.size).or_default() += took;
                    }
                    Some(*utc)
                }
                _ => None,
            };
        }
        // With several devices, trials overlap and the sum can be negative.
        Self { sessions, choosing: choosing.into_values().map(|seconds| seconds.max(0.0)).sum() }
    }

    /// Wall seconds from the start to the journal's last line, without the gaps between sessions.
    #[must_use]
    pub fn wall(&self, started: DateTime<Utc>) -> f64 {
        let before = self.sessions.first().map_or(0.0, |(first, _)| between(started, *first));
        let within = self.sessions.iter().map(|(from, to)| between(*from, *to).max(0.0));
        before.max(0.0) + within.sum::<f64>()
    }
}

fn between(from: DateTime<Utc>, to: DateTime<Utc>) -> f64 {
    (to - from).as_seconds_f64()
}
