//! What a study knows: its journal, and what earlier lives of it wrote there.

use std::collections::{BTreeMap, HashMap};

use super::StudyFault;
use crate::{
    records::{
        Entry, Event, Journal, KneeFinding, Named, Phase, Purpose, SizeClosed, SizeOpened, Started,
        StudyView, Trial,
    },
    tuning::Book,
};

/// The journal of a study with what it says so far.
#[derive(Debug)]
pub struct Chronicle {
    journal: Journal,
    entries: Vec<Entry>,
    known: HashMap<(u64, Phase, String), Trial>,
}

impl Chronicle {
    /// A study that begins, or one whose journal was read.
    #[must_use]
    pub fn new(journal: Journal, entries: Vec<Entry>) -> Self {
        let mut known = HashMap::new();
        for entry in &entries {
            if let Event::Trial(event) = &entry.event {
                known.insert(key(&event.trial), event.trial.clone());
            }
        }
        Self { journal, entries, known }
    }

    /// Appends an event.
    pub fn write(&mut self, event: Event) -> Result<(), StudyFault> {
        let entry = self.journal.append(event)?;
        self.entries.push(entry);
        Ok(())
    }

    /// The events, in order.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.entries.iter().map(|entry| &entry.event)
    }

    /// What was known before the first size, if that is known already.
    #[must_use]
    pub fn started(&self) -> Option<&Started> {
        self.events().find_map(|e| if let Event::Started(s) = e { Some(s) } else { None })
    }

    /// The sizes that are done, ascending.
    #[must_use]
    pub fn closed(&self) -> BTreeMap<u64, &SizeClosed> {
        self.events()
            .filter_map(|e| if let Event::SizeClosed(c) = e { Some((c.size, c)) } else { None })
            .collect()
    }

    /// Whether a search tried a configuration at a size.
    #[must_use]
    pub fn tried(&self, size: u64, configuration: &Named) -> bool {
        self.known.contains_key(&(size, Phase::Search, configuration.key()))
    }

    /// Whether a size was closed a second time.
    #[must_use]
    pub fn closed_again(&self, size: u64) -> bool {
        let times = |e: &&Event| matches!(e, Event::SizeClosed(c) if c.size == size);
        self.events().filter(times).count() > 1
    }

    /// The sizes of the schedule that were measured with success, ascending.
    #[must_use]
    pub fn grown_sizes(&self) -> Vec<u64> {
        let refined =
            |size: u64| self.opened(size).is_some_and(|o| o.purpose == Purpose::Refinement);
        let closed = self.closed();
        closed.values().filter(|c| c.best.is_some() && !refined(c.size)).map(|c| c.size).collect()
    }

    /// How a size was opened, if it was.
    #[must_use]
    pub fn opened(&self, size: u64) -> Option<&SizeOpened> {
        self.events().find_map(|e| match e {
            Event::SizeOpened(opened) if opened.size == size => Some(opened),
            _ => None,
        })
    }

    /// Seconds that all closed sizes were charged.
    #[must_use]
    pub fn charged(&self) -> f64 {
        self.closed().values().map(|c| c.seconds).sum()
    }

    /// Writes why no larger size follows, once.
    pub fn growth_ended(&mut self, why: &str) -> Result<(), StudyFault> {
        if self.events().any(|e| matches!(e, Event::GrowthEnded { .. })) {
            return Ok(());
        }
        self.write(Event::GrowthEnded { why: why.to_owned() })
    }

    /// Why growth ended, if it did.
    #[must_use]
    pub fn why_growth_ended(&self) -> Option<&str> {
        self.events().find_map(|e| match e {
            Event::GrowthEnded { why } => Some(why.as_str()),
            _ => None,
        })
    }

    /// The knee as it was accepted, before refinement.
    #[must_use]
    pub fn accepted(&self) -> Option<u64> {
        self.events().find_map(|e| match e {
            Event::KneeAccepted { size, .. } => Some(*size),
            _ => None,
        })
    }

    /// The knee that counts in the end, and whether larger sizes confirmed it.
    #[must_use]
    pub fn answer(&self) -> Option<(u64, bool)> {
        self.events().rev().find_map(|e| match e {
            Event::KneeAccepted { size, confirmed, .. } => Some((*size, *confirmed)),
            _ => None,
        })
    }

    /// What a detector said last.
    #[must_use]
    pub fn finding(&self, detector: &str) -> Option<&KneeFinding> {
        self.events().rev().find_map(|e| match e {
            Event::Knee(finding) if finding.detector == detector => Some(finding),
            _ => None,
        })
    }

    /// Writes that a knee is accepted and what was found, once.
    pub fn accept(
        &mut self,
        finding: KneeFinding,
        size: u64,
        why: String,
        confirmed: bool,
    ) -> Result<(), StudyFault> {
        if self.accepted().is_some() {
            return Ok(());
        }
        let detector = finding.detector.clone();
        self.found(finding)?;
        self.write(Event::KneeAccepted { detector, size, why, confirmed })
    }

    /// Writes that refinement moved the accepted knee, once.
    pub fn refine_accepted(&mut self, detector: &str, size: u64) -> Result<(), StudyFault> {
        let Some((before, confirmed)) = self.answer().filter(|(before, _)| *before != size) else {
            return Ok(());
        };
        let why = format!("sizes measured between the neighbours of {before} moved it");
        let detector = detector.to_owned();
        self.write(Event::KneeAccepted { detector, size, why, confirmed })
    }

    /// Writes which sizes are measured around the knee, once.
    pub fn refined(&mut self, around: u64, sizes: &[u64]) -> Result<(), StudyFault> {
        if sizes.is_empty() || self.events().any(|e| matches!(e, Event::Refined { .. })) {
            return Ok(());
        }
        self.write(Event::Refined { around, sizes: sizes.to_vec() })
    }

    /// Writes what a detector found, unless it said the same before.
    pub fn found(&mut self, finding: KneeFinding) -> Result<(), StudyFault> {
        if self.finding(&finding.detector) == Some(&finding) {
            return Ok(());
        }
        self.write(Event::Knee(finding))
    }

    /// All of it, for exporters.
    #[must_use]
    pub fn view(&self) -> StudyView {
        StudyView::from_events(&self.entries)
    }
}

impl Book for Chronicle {
    fn recall(&mut self, size: u64, phase: Phase, configuration: &Named) -> Option<Trial> {
        self.known.get(&(size, phase, configuration.key())).cloned()
    }

    fn record(&mut self, trials: &[Trial]) -> Result<(), String> {
        let entries =
            self.journal.append_trials(trials.iter().cloned()).map_err(|e| e.to_string())?;
        self.entries.extend(entries);
        self.known.extend(trials.iter().map(|trial| (key(trial), trial.clone())));
        Ok(())
    }
}

fn key(trial: &Trial) -> (u64, Phase, String) {
    (trial.size, trial.phase, trial.configuration.key())
}
