//! One study: a benchmark on a device, from the first size to the knee.
//!
//! ```text
//! largest size that fits ─▶ sizes ─▶ tune each ─▶ knee? ─▶ refine ─▶ conclude
//! ```
//!
//! A study is a function of its plan and its chronicle (the journal): whatever the chronicle
//! knows is not done again, so a study that was cut short goes on where it stopped.

mod again;
mod benchmarked;
mod chronicle;
mod conclusion;
mod fault;
mod figure;
mod growth;
mod objectives;
mod plan;
mod point;
mod replayed;
mod survey;

use std::sync::atomic::AtomicBool;

pub use benchmarked::Benchmarked;
pub use chronicle::Chronicle;
pub use conclusion::{Conclusion, conclude};
pub use fault::StudyFault;
pub use plan::{Facts, Plan, PlanFault};
pub use replayed::Replayed;
pub use survey::{Subject, Survey};

use crate::{
    records::{Goal, Purpose},
    scaling,
    tuning::{Evaluator, Watcher},
};

/// Who is told how a study goes, besides its trials.
pub trait Audience: Watcher {
    /// The sizes that may follow, the current one first, and the seconds charged so far.
    fn sizes(&mut self, remaining: &[u64], charged: f64);
    /// A closed size is looked at again.
    fn looks_again(&mut self, size: u64);
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
    let survey = survey::survey(plan, subject, chronicle)?;
    let sizes = plan.sizes(&survey);
    let mut visit = point::Visit { plan, subject, evaluator, audience, interrupted };

    let mut knee = None;
    let mut afforded = true;
    for (at, size) in sizes.iter().enumerate() {
        if let Some(why) = growth::ended_by_budget(plan, chronicle, at) {
            chronicle.growth_ended(&why)?;
            afforded = false;
            break;
        }
        visit.tune(chronicle, *size, Purpose::Growth, &sizes[at..])?;
        for look in again::due(chronicle) {
            visit.look_again(chronicle, &look)?;
        }
        if let Some(why) = growth::ended_by_failure(chronicle, *size) {
            chronicle.growth_ended(&why)?;
            break;
        }
        knee = growth::knee_so_far(plan, chronicle)?;
        if knee.is_some() {
            break;
        }
    }
    if knee.is_none() && plan.settings.goal == Goal::Saturate {
        if afforded {
            chronicle.growth_ended("the largest size was reached")?;
        }
        knee = growth::knee_of_all(plan, chronicle, afforded)?;
    }
    if let Some(knee) = knee.filter(|_| plan.refines()) {
        let between = scaling::refinement(&chronicle.grown_sizes(), knee, plan.rounding);
        chronicle.refined(knee, &between)?;
        for (at, size) in between.iter().enumerate() {
            visit.tune(chronicle, *size, Purpose::Refinement, &between[at..])?;
        }
        for look in again::due(chronicle) {
            visit.look_again(chronicle, &look)?;
        }
    }
    conclude(plan, chronicle)
}
