//! The journal of a study, with the entries that earlier processes of the study wrote.

use std::collections::{BTreeMap, HashMap};

use records::{
    Event, GrowthEnd, Journal, JournalEntry, KneeFinding, Named, Phase, PreciseBest, Purpose,
    RoundEntry, RoundsEvent, RoundsPurpose, SizeClosed, SizeOpened, Started, StudyView,
    ThresholdBests, Trial, TrialEvent,
};

use super::StudyFault;
use crate::tuning::TrialStore;

/// The journal of a study with its entries so far.
#[derive(Debug)]
pub struct StudyJournal {
    journal: Journal,
    entries: Vec<JournalEntry>,
    known: HashMap<(u64, Phase, String), Trial>,
}

impl StudyJournal {
    /// Returns the journal of a new study, or of one whose journal was read.
    #[must_use]
    pub fn new(journal: Journal, entries: Vec<JournalEntry>) -> Self {
        let mut own = Self { journal, entries: Vec::new(), known: HashMap::new() };
        for entry in &entries {
            if let Event::Trial(event) = &entry.event {
                own.know(&event.trial);
            }
        }
        Self { entries, ..own }
    }

    fn know(&mut self, trial: &Trial) {
        self.known.insert(key(trial), trial.clone());
    }

    /// Appends an event.
    pub fn write(&mut self, event: Event) -> Result<(), StudyFault> {
        let entry = self.journal.append(event)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Returns the events, in order.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> + Clone {
        self.entries.iter().map(|entry| &entry.event)
    }

    /// Returns the survey before the first size, if there is one.
    #[must_use]
    pub fn started(&self) -> Option<&Started> {
        self.events().find_map(|e| if let Event::Started(s) = e { Some(s) } else { None })
    }

    /// Returns the closed sizes, ascending.
    #[must_use]
    pub fn closed(&self) -> BTreeMap<u64, &SizeClosed> {
        self.events()
            .filter_map(|e| if let Event::SizeClosed(c) = e { Some((c.size, c)) } else { None })
            .collect()
    }

    /// Returns the closed sizes as tuning left them, without values from rounds.
    #[must_use]
    pub fn tuned(&self) -> BTreeMap<u64, &SizeClosed> {
        self.events()
            .filter_map(|e| match e {
                Event::SizeClosed(closed) if closed.rounds == 0 => Some((closed.size, closed)),
                _ => None,
            })
            .collect()
    }

    /// Returns the trials of a size's search, in order.
    pub fn trials(&self, size: u64) -> impl Iterator<Item = &Trial> {
        self.events().filter_map(move |e| match e {
            Event::Trial(event) if event.trial.size == size => {
                (event.trial.phase == Phase::Search).then_some(&event.trial)
            }
            _ => None,
        })
    }

    /// Returns the seconds of a size's trials since it was last closed.
    pub(super) fn seconds_since_closed(&self, size: u64) -> f64 {
        self.events().fold(0.0, |seconds, event| match event {
            Event::SizeClosed(closed) if closed.size == size => 0.0,
            Event::Trial(event) if event.trial.size == size => {
                seconds + event.trial.outcome.costs.total()
            }
            _ => seconds,
        })
    }

    /// Returns the sizes of the growth that were measured successfully, ascending.
    #[must_use]
    pub fn grown_sizes(&self) -> Vec<u64> {
        let refined =
            |size: u64| self.opened(size).is_some_and(|o| o.purpose == Purpose::Refinement);
        let closed = self.closed();
        closed.values().filter(|c| c.best.is_some() && !refined(c.size)).map(|c| c.size).collect()
    }

    /// Returns how a size was opened, if it was.
    #[must_use]
    pub fn opened(&self, size: u64) -> Option<&SizeOpened> {
        self.events().find_map(|e| match e {
            Event::SizeOpened(opened) if opened.size == size => Some(opened),
            _ => None,
        })
    }

    /// Returns the seconds charged for the survey, closed sizes, rounds, the full-precision
    /// search and thresholds.
    #[must_use]
    pub fn charged(&self) -> f64 {
        let precise = self.precise().map_or(0.0, |precise| precise.seconds);
        let thresholds = self.thresholds().map_or(0.0, |bests| bests.seconds);
        self.charged_for_curve() + precise + thresholds
    }

    /// Returns the seconds charged for the survey, closed sizes and rounds.
    pub(super) fn charged_for_curve(&self) -> f64 {
        let survey = self.started().map_or(0.0, |started| started.seconds);
        let sizes: f64 = self.closed().values().map(|c| c.seconds).sum();
        let rounds = self.events().filter_map(|e| match e {
            Event::Rounds(event) => Some(event.costs.total()),
            _ => None,
        });
        survey + sizes + rounds.sum::<f64>()
    }

    /// Returns the comparison of the winner with full precision, if there is one.
    #[must_use]
    pub fn precise(&self) -> Option<&PreciseBest> {
        self.events().find_map(|e| if let Event::Precise(best) = e { Some(best) } else { None })
    }

    /// Returns the best configurations under the error thresholds, if they were measured.
    #[must_use]
    pub fn thresholds(&self) -> Option<&ThresholdBests> {
        self.events()
            .find_map(|e| if let Event::Thresholds(bests) = e { Some(bests) } else { None })
    }

    /// Whether the answer's rounds have ended: an event that is derived from them follows the last.
    pub(super) fn rounds_are_over(&self) -> bool {
        let is_answer = |e: &&Event| matches!(e, Event::Rounds(event) if event.purpose == RoundsPurpose::Answer);
        let gives_figures = |closed: &SizeClosed| closed.rounds > 0;
        let follows = |e: &Event| match e {
            Event::SizeClosed(closed) => gives_figures(closed),
            e => matches!(e, Event::Knee(_)),
        };
        let mut later = self.events().rev().take_while(|e| !is_answer(e));
        self.rounds(RoundsPurpose::Answer).next().is_some() && later.any(follows)
    }

    /// Returns the rounds of a purpose, in order.
    pub fn rounds(&self, purpose: RoundsPurpose) -> impl Iterator<Item = &RoundsEvent> + Clone {
        self.events().filter_map(move |e| match e {
            Event::Rounds(event) if event.purpose == purpose => Some(event),
            _ => None,
        })
    }

    /// Returns the rounds of a purpose that all remaining participants of the last rounds took part
    /// in, in order. The machine changes, so samples of different times cannot be compared.
    #[must_use]
    pub fn common_rounds(&self, purpose: RoundsPurpose) -> Vec<&RoundsEvent> {
        let all: Vec<&RoundsEvent> = self.rounds(purpose).collect();
        let Some(last) = all.last() else { return all };
        let has = |event: &RoundsEvent, entry: &RoundEntry| {
            let same = |other: &RoundEntry| {
                other.size == entry.size && other.configuration == entry.configuration
            };
            event.entries.iter().any(same)
        };
        let stayed = || last.entries.iter().filter(|entry| entry.dropped.is_none());
        all.iter().copied().filter(|event| stayed().all(|entry| has(event, entry))).collect()
    }

    /// Returns the trials of a size before the rounds, in order.
    pub fn before_rounds(&self, size: u64) -> impl Iterator<Item = &Trial> {
        let before = |phase| matches!(phase, Phase::Search | Phase::Final | Phase::Again);
        self.events().filter_map(move |event| match event {
            Event::Trial(TrialEvent { trial, .. }) => {
                (trial.size == size && before(trial.phase)).then_some(trial)
            }
            _ => None,
        })
    }

    /// Whether a configuration has a trial that failed in rounds.
    #[must_use]
    pub fn failed_in_rounds(&self, size: u64, configuration: &Named) -> bool {
        self.events().any(|event| match event {
            Event::Trial(event) => {
                let trial = &event.trial;
                trial.phase == Phase::Round
                    && (trial.size, &trial.configuration) == (size, configuration)
            }
            _ => false,
        })
    }

    /// Returns why a configuration dropped out of rounds, if it did.
    #[must_use]
    pub fn dropped(&self, size: u64, configuration: &Named) -> Option<&str> {
        self.events().find_map(|event| match event {
            Event::Rounds(event) => event.entries.iter().find_map(|entry| {
                let same = entry.size == size && entry.configuration == *configuration;
                entry.dropped.as_deref().filter(|_| same)
            }),
            _ => None,
        })
    }

    /// Whether the study is finished.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.events().any(|e| matches!(e, Event::Finished { .. }))
    }

    /// Writes why growth ended, unless the journal has the reason.
    pub fn growth_ended(&mut self, why: &str, by: GrowthEnd) -> Result<(), StudyFault> {
        if self.events().any(|e| matches!(e, Event::GrowthEnded { .. })) {
            return Ok(());
        }
        let confirmed = by == GrowthEnd::Confirmed;
        self.write(Event::GrowthEnded { why: why.to_owned(), confirmed, by: Some(by) })
    }

    /// Whether growth has ended, for whatever reason.
    #[must_use]
    pub fn growth_has_ended(&self) -> bool {
        self.events().any(|e| match e {
            Event::GrowthEnded { .. } => true,
            // Written by earlier versions.
            Event::KneeAccepted { confirmed, .. } => *confirmed,
            _ => false,
        })
    }

    /// Returns why growth ended, if not by a confirmed knee.
    #[must_use]
    pub fn why_growth_ended(&self) -> Option<&str> {
        self.events().find_map(|e| match e {
            Event::GrowthEnded { why, confirmed: false, .. } => Some(why.as_str()),
            _ => None,
        })
    }

    /// Whether growth ended because its time was spent.
    #[must_use]
    pub fn grew_out_of_time(&self) -> bool {
        self.events().any(|event| event.growth_end() == Some(GrowthEnd::OutOfTime))
    }

    /// Returns the study's knee, and whether larger sizes confirmed it.
    #[must_use]
    pub fn answer(&self) -> Option<(u64, bool)> {
        self.events().rev().find_map(|e| match e {
            Event::KneeAccepted { size, confirmed, .. } => Some((*size, *confirmed)),
            _ => None,
        })
    }

    /// Returns the last finding of a detector.
    #[must_use]
    pub fn finding(&self, detector: &str) -> Option<&KneeFinding> {
        self.events().rev().find_map(|e| match e {
            Event::Knee(finding) if finding.detector == detector => Some(finding),
            _ => None,
        })
    }

    /// Writes which knee is the study's answer, unless the last answer is the same.
    pub fn accept(
        &mut self,
        detector: &str,
        size: u64,
        why: String,
        confirmed: bool,
    ) -> Result<(), StudyFault> {
        if self.answer() == Some((size, confirmed)) {
            return Ok(());
        }
        let detector = detector.to_owned();
        self.write(Event::KneeAccepted { detector, size, why, confirmed })
    }

    /// Returns the knee around which further sizes were measured.
    #[must_use]
    pub fn refined_around(&self) -> Option<u64> {
        self.events().find_map(|e| match e {
            Event::Refined { around, .. } => Some(*around),
            _ => None,
        })
    }

    /// Whether sizes around a knee were added.
    #[must_use]
    pub fn is_refined(&self) -> bool {
        self.refined_around().is_some()
    }

    /// Writes which sizes are measured around the knee, once.
    pub fn refined(&mut self, around: u64, sizes: &[u64]) -> Result<(), StudyFault> {
        if sizes.is_empty() || self.is_refined() {
            return Ok(());
        }
        self.write(Event::Refined { around, sizes: sizes.to_vec() })
    }

    /// Writes a finding, unless the detector's last one is the same.
    pub fn found(&mut self, finding: KneeFinding) -> Result<(), StudyFault> {
        if self.finding(&finding.detector) == Some(&finding) {
            return Ok(());
        }
        self.write(Event::Knee(finding))
    }

    /// Returns the view of the study for exporters.
    #[must_use]
    pub fn view(&self) -> StudyView {
        StudyView::from_events(&self.entries)
    }
}

impl TrialStore for StudyJournal {
    fn recall(&mut self, size: u64, phase: Phase, configuration: &Named) -> Option<Trial> {
        self.known.get(&(size, phase, configuration.key())).cloned()
    }

    fn record(&mut self, trials: &[Trial]) -> Result<(), String> {
        let entries =
            self.journal.append_trials(trials.iter().cloned()).map_err(|e| e.to_string())?;
        self.entries.extend(entries);
        trials.iter().for_each(|trial| self.know(trial));
        Ok(())
    }
}

fn key(trial: &Trial) -> (u64, Phase, String) {
    (trial.size, trial.phase, trial.configuration.key())
}
