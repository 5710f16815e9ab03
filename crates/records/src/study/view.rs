//! A study for readers: sizes in order, knees and the winner. Computed from the journal alone.

use std::collections::BTreeMap;

use crate::{
    CeilingsUsed, Event, Figure, Hours, JournalEntry, KneeFinding, PreciseBest, Purpose,
    RoundsEvent, SizeOpened, SizePoint, Started, ThresholdBests, TrialEvent,
};

/// How far a study came.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Progress {
    /// The end is not recorded: the study is running, or was killed.
    #[default]
    Open,
    /// The study was stopped, for this reason.
    Interrupted(String),
    /// The study has ended. The value is the seconds charged to its budget.
    Finished(f64),
}

/// The knee that the study answers with.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedKnee {
    /// The detector that decided.
    pub detector: String,
    /// The size.
    pub size: u64,
    /// Why the knee was accepted, in one sentence.
    pub why: String,
    /// Whether larger sizes confirmed the knee.
    pub confirmed: bool,
}

/// A trial with its number.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRow {
    /// Number, from 1 over the whole study.
    pub number: u64,
    /// The trial.
    pub event: TrialEvent,
}

/// A whole study, for exporters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudyView {
    /// Facts that were known before the first size.
    pub started: Started,
    /// Sizes, smallest first.
    pub sizes: Vec<SizePoint>,
    /// Trials in the order in which they were made.
    pub trials: Vec<TrialRow>,
    /// Rounds in the order in which they were taken.
    pub rounds: Vec<RoundsEvent>,
    /// The latest finding of every detector, in the order of their first findings.
    pub knees: Vec<KneeFinding>,
    /// The knee that the study answers with.
    pub accepted: Option<AcceptedKnee>,
    /// Why no larger size was measured.
    pub growth_ended: Option<String>,
    /// Sizes added around the knee.
    pub refined: Vec<u64>,
    /// The knee around which sizes were added.
    pub refined_around: Option<u64>,
    /// The winner compared with the best configuration in full precision.
    pub precise: Option<PreciseBest>,
    /// The best configuration under each error threshold.
    pub thresholds: Option<ThresholdBests>,
    /// Ceilings of the device, if some were known when the study ended.
    pub ceilings: Option<CeilingsUsed>,
    /// Number of times the study was resumed.
    pub resumed: usize,
    /// Whether the plan changed when the study was resumed, so that its trials belong to several
    /// plans.
    pub is_mixed: bool,
    /// How far the study came.
    pub progress: Progress,
    /// Working hours of the study.
    pub hours: Hours,
}

impl StudyView {
    /// View of a journal, finished or not.
    #[must_use]
    pub fn from_events(entries: &[JournalEntry]) -> Self {
        let mut view = Self::default();
        let mut sizes: BTreeMap<u64, SizePoint> = BTreeMap::new();
        for entry in entries {
            match &entry.event {
                Event::SizeOpened(opened) => open(&mut sizes, opened),
                Event::SizeClosed(closed) => {
                    let point = sizes.entry(closed.size).or_default();
                    point.size = closed.size;
                    point.closed = Some(closed.clone());
                }
                Event::Trial(trial) => {
                    let point = sizes.entry(trial.trial.size).or_default();
                    point.size = trial.trial.size;
                    point.counts.add(&trial.trial);
                    let number = view.trials.len() as u64 + 1;
                    view.trials.push(TrialRow { number, event: trial.clone() });
                }
                other => view.add(other),
            }
        }
        view.sizes = sizes.into_values().collect();
        view.hours = Hours::of(entries);
        view
    }

    fn add(&mut self, event: &Event) {
        match event {
            Event::Started(started) => self.started = started.clone(),
            Event::Knee(finding) => {
                match self.knees.iter_mut().find(|k| k.detector == finding.detector) {
                    Some(known) => *known = finding.clone(),
                    None => self.knees.push(finding.clone()),
                }
            }
            Event::KneeAccepted { detector, size, why, confirmed } => {
                let (detector, why) = (detector.clone(), why.clone());
                let (size, confirmed) = (*size, *confirmed);
                self.accepted = Some(AcceptedKnee { detector, size, why, confirmed });
            }
            Event::GrowthEnded { why, .. } => self.growth_ended = Some(why.clone()),
            Event::Refined { around, sizes } => {
                self.refined_around = Some(*around);
                self.refined.extend_from_slice(sizes);
            }
            Event::Finished { seconds } => self.progress = Progress::Finished(*seconds),
            Event::Interrupted { why } => self.progress = Progress::Interrupted(why.clone()),
            Event::Resumed { accepted, .. } => {
                self.resumed += 1;
                self.is_mixed |= !accepted.is_empty();
                self.progress = Progress::Open;
            }
            Event::Rounds(event) => self.rounds.push(event.clone()),
            Event::Precise(best) => self.precise = Some(best.clone()),
            Event::Thresholds(bests) => self.thresholds = Some(bests.clone()),
            Event::Ceilings(used) => self.ceilings = Some(used.clone()),
            Event::SizeOpened(_)
            | Event::SizeClosed(_)
            | Event::Trial(_)
            | Event::EarlierTuning
            | Event::EarlierSpeeds => {}
        }
    }

    /// Sizes that have a best configuration, smallest first.
    pub fn measured(&self) -> impl Iterator<Item = (&SizePoint, &Figure)> {
        self.sizes.iter().filter_map(|point| Some((point, point.best()?)))
    }

    /// Measured sizes whose results come from rounds; all measured sizes if there were no rounds.
    pub fn held(&self) -> impl Iterator<Item = (&SizePoint, &Figure)> {
        let in_rounds = |point: &SizePoint| point.closed.as_ref().is_some_and(|c| c.rounds > 0);
        let any = self.measured().any(|(point, _)| in_rounds(point));
        self.measured().filter(move |(point, _)| !any || in_rounds(point))
    }

    /// The size of the answer: the first of [`Self::held`] at or above the knee, otherwise the
    /// last.
    #[must_use]
    pub fn winner(&self) -> Option<(&SizePoint, &Figure)> {
        let knee = self.accepted.as_ref().map(|knee| knee.size);
        let at_knee = knee.and_then(|size| self.held().find(|(point, _)| point.size >= size));
        at_knee.or_else(|| self.held().last())
    }

    /// Finding of the deciding detector, if a knee was accepted.
    #[must_use]
    pub fn deciding(&self) -> Option<&KneeFinding> {
        let accepted = self.accepted.as_ref()?;
        self.knees.iter().find(|k| k.detector == accepted.detector)
    }

    /// Largest value of the secondary metric over the sizes.
    #[must_use]
    pub fn best_metric(&self) -> Option<f64> {
        let values = self.measured().filter_map(|(_, figure)| figure.metric.as_ref());
        values.map(|metric| metric.value).reduce(f64::max)
    }
}

fn open(sizes: &mut BTreeMap<u64, SizePoint>, opened: &SizeOpened) {
    let point = sizes.entry(opened.size).or_default();
    // A size of the schedule keeps its purpose when refinement opens it again.
    let again = point.opened.as_ref().is_some_and(|o| o.purpose == Purpose::Growth);
    point.size = opened.size;
    let mut opened = opened.clone();
    if again {
        opened.purpose = Purpose::Growth;
    }
    point.opened = Some(opened);
}
