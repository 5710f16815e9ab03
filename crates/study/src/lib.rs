//! One study: a benchmark on a device, from the first size to the knee.
//!
//! [`Study::prepare`] makes a study from settings, [`Study::begin`] gives it a folder, and
//! [`BegunStudy::run`] runs it and returns the result. Your own program gets devices and strategies
//! from the crate `autobench`, whose page shows a whole example.
//!
//! ```text
//! largest size that fits ─▶ grow, searching each size ─▶ sizes around the knee ─▶ finals of every
//! size ─▶ rounds over all sizes and their candidates ─▶ knee ─▶ conclude
//! ```
//!
//! A study depends only on its plan and its journal. Work that the journal holds is not repeated,
//! so an interrupted study goes on where it stopped.
//!
//! This crate never knows exporters or the terminal. Begin with `perform/mod.rs`.

// Strategies register themselves.
#[cfg(test)]
use search as _;

mod acceptance;
mod benchmarked;
mod candidates;
mod conclusion;
mod curve;
mod deepening;
mod earlier_sizes;
mod fault;
mod figure;
mod findings;
mod finishing;
mod growing;
mod growth;
pub mod health;
mod listener;
mod objectives;
pub mod perform;
mod plan;
mod precise;
pub mod prepare;
pub mod prior;
mod race;
mod replayed;
mod round_samples;
mod round_schedule;
mod running;
pub mod scaling;
mod settled;
mod study_journal;
mod subject_facts;
mod survey;
mod thresholds;
pub mod tuning;
mod values_in_rounds;

use std::sync::atomic::AtomicBool;

pub use benchmarked::Benchmarked;
pub use conclusion::{Conclusion, conclude};
pub use fault::StudyFault;
pub use listener::{Silent, StudyListener};
pub use objectives::Threshold;
pub use perform::{BegunStudy, StudyResult};
pub use plan::Plan;
pub use prepare::{PrepareFault, Preparing, Study};
pub use replayed::Replayed;
pub use study_journal::StudyJournal;
pub use subject_facts::{PlanFault, SubjectFacts};
pub use survey::{Subject, Survey};

use records::{Purpose, RoundsPurpose};

use crate::tuning::Evaluator;

/// Runs a study to its end, or resumes one from its journal.
pub fn run(
    plan: &Plan,
    subject: &mut dyn Subject,
    evaluator: &mut dyn Evaluator,
    journal: &mut StudyJournal,
    listener: &mut dyn StudyListener,
    interrupted: &AtomicBool,
) -> Result<Conclusion, StudyFault> {
    if journal.is_finished() {
        return conclude(plan, subject, journal);
    }
    survey::survey(plan, subject, journal)?;
    let mut running = running::RunningStudy { plan, subject, evaluator, listener, interrupted };
    running.grow(journal)?;
    running.measure_in_rounds(journal)?;
    conclusion::settle(plan, running.subject, journal)?;
    running.weigh_precision(journal)?;
    running.hold_thresholds(journal)?;
    conclude(plan, subject, journal)
}

impl running::RunningStudy<'_> {
    /// Adds sizes around the knee, finishes all sizes, and measures them in rounds.
    fn measure_in_rounds(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        // Once a size is finished, no further ones are added.
        let begun = journal.closed().values().any(|of| of.best.is_some() && !of.provisional);
        if self.plan.refines() && !begun {
            if !journal.is_refined() {
                self.deepen(journal)?;
                let all = self.plan.settings.budget.seconds;
                let all = all.unwrap_or(self.policy().unlimited_rounds);
                let limit = self.policy().locating_share * all;
                self.locate(journal, limit)?;
            }
            self.refine(journal)?;
        }
        self.finish_sizes(journal)?;
        if !journal.rounds_are_over() {
            let limit = self.seconds_for_rounds(journal);
            self.rounds_until_settled(journal, limit)?;
            self.replace_beaten(journal, true)?;
        }
        Ok(())
    }

    /// Tunes sizes around the knee: rungs that growth skipped, and sizes between rungs.
    fn refine(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        let Some(knee) = self.knee(journal) else { return Ok(()) };
        let ladder = survey::ladder(self.plan, self.subject, journal);
        let mut rungs = journal.grown_sizes();
        let mut between = scaling::left_out(&ladder, &rungs, knee);
        rungs.extend(&between);
        rungs.sort_unstable();
        between.extend(scaling::refinement(&rungs, knee, self.plan.rounding));
        between.sort_unstable();
        journal.refined(knee, &between)?;
        for (at, size) in between.iter().enumerate() {
            self.tune(journal, *size, Purpose::Refinement, &between[at..])?;
        }
        Ok(())
    }

    /// Returns the knee around which further sizes are measured.
    fn knee(&mut self, journal: &StudyJournal) -> Option<u64> {
        let purpose = RoundsPurpose::Growth;
        let around = journal.refined_around();
        around.or_else(|| {
            let (findings, answer) = findings::findings(self.plan, self.subject, journal, purpose);
            let all = !journal.grew_out_of_time();
            let answer = (findings.get(answer)?, purpose);
            acceptance::accepted_knee(self.plan, self.subject, journal, answer, all)
                .map(|(size, _)| size)
        })
    }
}
