//! One study: a benchmark on a device, from the first size to the knee.
//!
//! ```text
//! largest size that fits ─▶ grow, tuning each size ─▶ rounds over all sizes ─▶ knee ─▶ conclude
//!                                                          ▲                   │
//!                                                          └─── sizes around ──┘
//! ```
//!
//! A study is a function of its plan and its journal: what the journal holds is not done again, so
//! a study that was cut short goes on where it stopped.

mod benchmarked;
mod conclusion;
mod fault;
mod figure;
mod growth;
mod listener;
mod objectives;
mod plan;
mod precise;
mod replayed;
mod round_schedule;
mod running;
mod second_looks;
mod study_journal;
mod subject_facts;
mod survey;
mod thresholds;
mod upheld;
mod values_in_rounds;

use std::sync::atomic::AtomicBool;

pub use benchmarked::Benchmarked;
pub use conclusion::{Conclusion, conclude};
pub use fault::StudyFault;
pub use listener::StudyListener;
pub use objectives::Threshold;
pub use plan::Plan;
pub use replayed::Replayed;
pub use study_journal::StudyJournal;
pub use subject_facts::{PlanFault, SubjectFacts};
pub use survey::{Subject, Survey};

use crate::{
    records::{GrowthEnd, Purpose, RoundsPurpose},
    scaling,
    settings::Goal,
    tuning::Evaluator,
};

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
    let survey = survey::survey(plan, subject, journal)?;
    let sizes = survey.sizes(plan);
    let mut running =
        running::RunningStudy { plan, subject, evaluator, listener, interrupted, decided: 0 };
    running.grow(journal, &sizes)?;
    running.look_around(journal)?;
    running.measure_in_rounds(journal)?;
    conclusion::settle(plan, running.subject, journal)?;
    running.weigh_precision(journal)?;
    running.hold_thresholds(journal)?;
    conclude(plan, subject, journal)
}

impl running::RunningStudy<'_> {
    /// Tunes size after size, until larger ones leave the knee where it is.
    fn grow(&mut self, journal: &mut StudyJournal, sizes: &[u64]) -> Result<(), StudyFault> {
        for (at, size) in sizes.iter().enumerate() {
            if journal.stood_still() {
                return Ok(());
            }
            if let Some(why) = growth::ended_by_budget(self.plan, journal, at) {
                return journal.growth_ended(&why, GrowthEnd::OutOfTime);
            }
            self.tune(journal, *size, Purpose::Growth, &sizes[at..])?;
            if let Some(why) = growth::ended_by_failure(journal, *size) {
                return journal.growth_ended(&why, GrowthEnd::NoLarger);
            }
            if self.plan.settings.goal == Goal::Saturate {
                self.listener.knee(growth::knee_so_far(self.plan, self.subject, journal));
            }
            if self.plan.settings.goal == Goal::Saturate
                && growth::is_long_enough(self.plan, journal)
            {
                self.scout(journal)?;
                if growth::stands_still(self.plan, self.subject, journal) {
                    let why = "larger sizes left the knee where it was";
                    return journal.growth_ended(why, GrowthEnd::Confirmed);
                }
            }
        }
        match self.plan.settings.goal {
            Goal::Saturate => {
                journal.growth_ended("the largest size was reached", GrowthEnd::NoLarger)
            }
            Goal::Tune => Ok(()),
        }
    }

    /// Measures all sizes in rounds, with further ones around the knee.
    fn measure_in_rounds(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        if self.plan.refines() {
            if !journal.is_refined() {
                let limit = LOCATING * self.seconds_for_rounds(journal);
                self.locate(journal, limit)?;
            }
            self.refine(journal)?;
        }
        let limit = self.seconds_for_rounds(journal);
        self.rounds_until_settled(journal, limit)?;
        self.uphold(journal)
    }

    /// Tunes sizes around the knee that rounds show.
    fn refine(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        let Some(knee) = self.knee(journal) else { return Ok(()) };
        let between = scaling::refinement(&journal.grown_sizes(), knee, self.plan.rounding);
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
            let findings = growth::findings(self.plan, self.subject, journal, purpose);
            let all = !journal.grew_out_of_time();
            let first = (findings.first()?, purpose);
            growth::knee_of(self.plan, self.subject, journal, first, all).map(|(size, _)| size)
        })
    }
}

/// Share of the rounds' seconds for locating the knee, before sizes around it are added.
const LOCATING: f64 = 0.2;
