//! One study: a benchmark on a device, from the first size to the knee.
//!
//! [`Study::prepare`] makes one of settings, [`Study::begin`] gives it a folder, and [`BegunStudy::run`] answers. A
//! program of its own links devices and strategies with the crate `autobench`, whose page shows a whole one.
//!
//! ```text
//! largest size that fits ─▶ grow, tuning each size ─▶ rounds over all sizes ─▶ knee ─▶ conclude
//!                                                          ▲                   │
//!                                                          └─── sizes around ──┘
//! ```
//!
//! A study is a function of its plan and its journal: what the journal holds is not done again, so
//! a study that was cut short goes on where it stopped.
//!
//! It never knows exporters and the terminal. Begin with `perform/mod.rs`.

// Strategies register themselves.
#[cfg(test)]
use search as _;

mod benchmarked;
mod conclusion;
mod counted_rounds;
mod curve;
mod doubts;
mod earlier_sizes;
mod fault;
mod figure;
mod findings;
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
mod replaced;
mod replayed;
mod rivals;
mod round_schedule;
mod running;
pub mod scaling;
mod second_looks;
mod settled;
mod slow_memory;
mod slower_tempo;
mod study_journal;
mod subject_facts;
mod survey;
mod thresholds;
mod time_of_looks;
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

/// Runs a study to its end, or goes on with one.
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
    let mut running =
        running::RunningStudy { plan, subject, evaluator, listener, interrupted, decided: 0 };
    running.grow(journal)?;
    running.look_around(journal)?;
    running.measure_in_rounds(journal)?;
    conclusion::settle(plan, running.subject, journal)?;
    running.weigh_precision(journal)?;
    running.hold_thresholds(journal)?;
    conclude(plan, subject, journal)
}

impl running::RunningStudy<'_> {
    /// Measures all sizes in rounds, with further ones around the knee.
    fn measure_in_rounds(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        // What takes part in the rounds of the answer stays as it was when they began.
        let begun = journal.rounds(RoundsPurpose::Answer).next().is_some();
        if self.plan.refines() && !begun {
            if !journal.is_refined() {
                let limit = LOCATING * self.seconds_for_rounds(journal);
                self.locate(journal, limit)?;
            }
            self.refine(journal)?;
        }
        if !journal.rounds_are_over() {
            let limit = self.seconds_for_rounds(journal);
            self.rounds_until_settled(journal, limit)?;
        }
        self.replace_beaten(journal, true).map(drop)
    }

    /// Tunes sizes around the knee that rounds show: rungs that growth left out, and between rungs.
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
        self.look_around(journal)
    }

    /// The knee that further sizes are measured around.
    fn knee(&mut self, journal: &StudyJournal) -> Option<u64> {
        let purpose = RoundsPurpose::Growth;
        let around = journal.refined_around();
        around.or_else(|| {
            let (findings, answer) = findings::findings(self.plan, self.subject, journal, purpose);
            let all = !journal.grew_out_of_time();
            let answer = (findings.get(answer)?, purpose);
            growth::knee_of(self.plan, self.subject, journal, answer, all).map(|(size, _)| size)
        })
    }
}

/// Share of the rounds' seconds for locating the knee, before sizes around it are added.
const LOCATING: f64 = 0.2;
