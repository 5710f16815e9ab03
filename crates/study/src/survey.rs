//! The survey before the first size: sizes that may be measured, and the largest that fits.

use std::time::Instant;

use records::{Event, Named, Started, settings::Goal};
use space::Space;

use super::{Plan, StudyFault, StudyJournal};
use crate::scaling::{self, Rounding, largest_size};

/// The subject of a study: a benchmark, or a recorded space.
pub trait Subject {
    /// Returns the space of a size, narrowed as the user asked.
    fn space(&mut self, size: u64) -> Result<Space, String> {
        self.narrowed(size, &[])
    }
    /// Returns the part of that space where parameters have these values, each as `NAME=VALUE`.
    fn narrowed(&mut self, size: u64, kept: &[String]) -> Result<Space, String>;
    /// Returns the bytes of device memory that a size needs in the worst configuration.
    fn footprint(&mut self, size: u64) -> Result<u64, String>;
    /// Examines the device: its free bytes, an A/A run, and warnings. `first` is the size with
    /// which the study begins.
    fn conditions(&mut self, first: u64, goal: Goal) -> Result<Started, String>;
    /// Returns the only size, if the subject has just one.
    fn only_size(&self) -> Option<u64>;
    /// Returns the size with which a study begins by default.
    fn first_size(&self) -> u64;
    /// Returns the largest size that the subject allows, regardless of memory.
    fn size_limit(&self) -> Option<u64>;
    /// How sizes are rounded.
    fn rounding(&self) -> Rounding;
    /// Returns all metrics of a configuration whose run took this many seconds.
    fn metrics(
        &mut self,
        size: u64,
        configuration: &Named,
        seconds: f64,
    ) -> std::collections::BTreeMap<String, f64>;
}

/// First and largest size of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// The first size.
    pub first: u64,
    /// The largest size.
    pub largest: u64,
}

impl Survey {
    /// Returns all rungs of the study, ascending; growth may skip some of them.
    #[must_use]
    pub fn sizes(&self, plan: &Plan) -> Vec<u64> {
        scaling::sizes(&plan.settings.sizes, (self.first, self.largest), plan.rounding)
    }

    /// Returns the survey that a device with this many free bytes would give.
    pub fn estimate(
        plan: &Plan,
        subject: &mut dyn Subject,
        free_bytes: u64,
    ) -> Result<Self, StudyFault> {
        let first = first_size(plan, subject);
        let mut started = Started { free_bytes: Some(free_bytes), ..Started::default() };
        let largest = match subject.only_size() {
            Some(size) => size,
            None => fitting(plan, subject, &mut started, first)?,
        };
        Ok(Self { first, largest })
    }
}

fn first_size(plan: &Plan, subject: &dyn Subject) -> u64 {
    subject.only_size().or(plan.settings.sizes.first()).unwrap_or_else(|| subject.first_size())
}

/// Examines the device once; a resumed study takes the survey from its journal.
pub(super) fn survey(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &mut StudyJournal,
) -> Result<Survey, StudyFault> {
    let first = first_size(plan, subject);
    if let Some(started) = journal.started() {
        return Ok(Survey { first, largest: started.largest.unwrap_or(first) });
    }
    let begun = Instant::now();
    let mut started =
        subject.conditions(first, plan.settings.goal).map_err(StudyFault::Benchmark)?;
    let largest = match subject.only_size() {
        Some(size) => size,
        None => fitting(plan, subject, &mut started, first)?,
    };
    started.largest = Some(largest);
    // A recorded space takes none of the time that it tells of. Tuning one size is short, and has all
    // of its time for the search.
    if subject.only_size().is_none() && plan.settings.goal == Goal::Saturate {
        started.seconds = begun.elapsed().as_secs_f64();
    }
    journal.write(Event::Started(started))?;
    Ok(Survey { first, largest })
}

/// Returns the rungs of the study, ascending, by the survey in the journal.
pub(super) fn ladder(plan: &Plan, subject: &dyn Subject, journal: &StudyJournal) -> Vec<u64> {
    let first = first_size(plan, subject);
    let largest = journal.started().and_then(|started| started.largest).unwrap_or(first);
    Survey { first, largest }.sizes(plan)
}

fn fitting(
    plan: &Plan,
    subject: &mut dyn Subject,
    started: &mut Started,
    first: u64,
) -> Result<u64, StudyFault> {
    let free = started.free_bytes.unwrap_or(u64::MAX);
    let share = plan.settings.sizes.memory_share;
    let available = (free as f64 * share) as u64;
    let limit = match (subject.size_limit(), plan.settings.sizes.largest) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let rounding = subject.rounding();
    let largest = largest_size(first, limit, available, rounding, |n| subject.footprint(n))
        .map_err(|e| StudyFault::NoSize(e.to_string()))?;
    started.largest_bytes = subject.footprint(largest).ok();
    started.why = if Some(largest) == limit.map(|l| rounding.down(l)) {
        "the largest size that was asked for or that the benchmark allows".to_owned()
    } else {
        format!("{:.0} % of the memory that is free", share * 100.0)
    };
    Ok(largest)
}
