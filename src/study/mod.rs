//! One study: a benchmark on a device, from the first size to the knee.
//!
//! ```text
//! largest size that fits ─▶ grow, tuning each size ─▶ rounds over all sizes ─▶ knee ─▶ conclude
//!                                                          ▲                   │
//!                                                          └─── sizes around ──┘
//! ```
//!
//! A study is a function of its plan and its chronicle (the journal): whatever the chronicle
//! knows is not done again, so a study that was cut short goes on where it stopped.

mod again;
mod benchmarked;
mod chronicle;
mod conclusion;
mod facts;
mod fault;
mod figure;
mod growth;
mod levels;
mod objectives;
mod plan;
mod point;
mod replayed;
mod rounds;
mod survey;
mod upheld;

use std::sync::atomic::AtomicBool;

pub use benchmarked::Benchmarked;
pub use chronicle::Chronicle;
pub use conclusion::{Conclusion, conclude};
pub use facts::{Facts, PlanFault};
pub use fault::StudyFault;
pub use plan::Plan;
pub use replayed::Replayed;
pub use survey::{Subject, Survey};

use crate::{
    records::{Purpose, RoundsPurpose},
    scaling,
    settings::Goal,
    tuning::{Evaluator, Watcher},
};

/// Who is told how a study goes, besides its trials.
pub trait Audience: Watcher {
    /// The sizes that may follow, the current one first, and the seconds charged so far.
    fn sizes(&mut self, remaining: &[u64], charged: f64);
    /// A closed size is looked at again.
    fn looks_again(&mut self, size: u64);
    /// All sizes are measured in rounds: how many were taken, and in how many seconds of those that
    /// they may take.
    fn rounds(&mut self, taken: u64, seconds: f64, limit: f64) {
        let _ = (taken, seconds, limit);
    }
}

/// Runs a study to its end, or goes on with one.
pub fn run(
    plan: &Plan,
    subject: &mut dyn Subject,
    evaluator: &mut dyn Evaluator,
    chronicle: &mut Chronicle,
    audience: &mut dyn Audience,
    interrupted: &AtomicBool,
) -> Result<Conclusion, StudyFault> {
    if chronicle.is_finished() {
        return conclude(plan, subject, chronicle);
    }
    let survey = survey::survey(plan, subject, chronicle)?;
    let sizes = survey.sizes(plan);
    let mut visit = point::Visit { plan, subject, evaluator, audience, interrupted, decided: 0 };
    visit.grow(chronicle, &sizes)?;
    visit.look_around(chronicle)?;
    visit.measure_in_rounds(chronicle)?;
    conclude(plan, subject, chronicle)
}

impl point::Visit<'_> {
    /// Tunes size after size, until larger ones leave the knee where it is.
    fn grow(&mut self, chronicle: &mut Chronicle, sizes: &[u64]) -> Result<(), StudyFault> {
        for (at, size) in sizes.iter().enumerate() {
            if chronicle.stood_still() {
                return Ok(());
            }
            if let Some(why) = growth::ended_by_budget(self.plan, chronicle, at) {
                return chronicle.growth_ended(&why, false);
            }
            self.tune(chronicle, *size, Purpose::Growth, &sizes[at..])?;
            if let Some(why) = growth::ended_by_failure(chronicle, *size) {
                return chronicle.growth_ended(&why, false);
            }
            if self.plan.settings.goal == Goal::Saturate
                && growth::is_long_enough(self.plan, chronicle)
            {
                self.scout(chronicle)?;
                if growth::stands_still(self.plan, self.subject, chronicle) {
                    let why = "larger sizes left the knee where it was";
                    return chronicle.growth_ended(why, true);
                }
            }
        }
        match self.plan.settings.goal {
            Goal::Saturate => chronicle.growth_ended("the largest size was reached", false),
            Goal::Tune => Ok(()),
        }
    }

    /// Measures all sizes in rounds, with further ones around the knee.
    fn measure_in_rounds(&mut self, chronicle: &mut Chronicle) -> Result<(), StudyFault> {
        if self.plan.refines() {
            if !chronicle.is_refined() {
                let limit = LOCATING * self.seconds_for_rounds(chronicle);
                self.locate(chronicle, limit)?;
            }
            self.refine(chronicle)?;
        }
        let limit = self.seconds_for_rounds(chronicle);
        self.settle(chronicle, limit)?;
        self.uphold(chronicle)
    }

    /// Tunes sizes around the knee that rounds show.
    fn refine(&mut self, chronicle: &mut Chronicle) -> Result<(), StudyFault> {
        let Some(knee) = self.knee(chronicle) else { return Ok(()) };
        let between = scaling::refinement(&chronicle.grown_sizes(), knee, self.plan.rounding);
        chronicle.refined(knee, &between)?;
        for (at, size) in between.iter().enumerate() {
            self.tune(chronicle, *size, Purpose::Refinement, &between[at..])?;
        }
        self.look_around(chronicle)
    }

    /// The knee that further sizes are measured around.
    fn knee(&mut self, chronicle: &Chronicle) -> Option<u64> {
        let purpose = RoundsPurpose::Growth;
        let around = chronicle.refined_around();
        around.or_else(|| {
            let findings = growth::findings(self.plan, self.subject, chronicle, purpose);
            let all = growth::reached_the_end(chronicle);
            let first = (findings.first()?, purpose);
            growth::knee_of(self.plan, self.subject, chronicle, first, all).map(|(size, _)| size)
        })
    }
}

/// The share of the rounds' seconds in which the knee is located before sizes around it are added.
const LOCATING: f64 = 0.2;
