//! What a study says at its end.

use super::{Chronicle, Plan, StudyFault, growth};
use crate::records::{Event, Goal, KneeFinding, SizeClosed};

/// The answer of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// What every named detector says, the deciding one first.
    pub findings: Vec<KneeFinding>,
    /// The size that counts: the knee, or the largest measured where there is no knee.
    pub workload: SizeClosed,
    /// Whether the workload is a knee.
    pub knee: bool,
    /// Whether larger sizes left that knee where it was; not so where none could be measured.
    pub confirmed: bool,
    /// Why growth ended, where it was not the knee.
    pub why_ended: Option<String>,
    /// How many sizes were measured.
    pub sizes: usize,
}

/// Draws the conclusion and closes the journal.
pub fn conclude(plan: &Plan, chronicle: &mut Chronicle) -> Result<Conclusion, StudyFault> {
    let findings = match plan.settings.goal {
        Goal::Saturate => growth::findings(plan, chronicle)?,
        Goal::Tune => Vec::new(),
    };
    let closed = chronicle.closed();
    let measured: Vec<&SizeClosed> =
        closed.values().copied().filter(|c| c.best.is_some()).collect();
    let Some(last) = measured.last() else {
        let why = closed.values().next_back().map_or("no size was measured", |c| c.why.as_str());
        return Err(StudyFault::NothingValid(why.to_owned()));
    };
    let answer = chronicle.answer();
    let at_knee = answer.and_then(|(knee, _)| measured.iter().find(|c| c.size == knee));
    let workload = (*at_knee.unwrap_or(last)).clone();
    let conclusion = Conclusion {
        knee: at_knee.is_some(),
        confirmed: answer.is_some_and(|(_, confirmed)| confirmed),
        workload,
        why_ended: chronicle.why_growth_ended().map(str::to_owned),
        sizes: measured.len(),
        findings,
    };
    if !chronicle.events().any(|e| matches!(e, Event::Finished { .. })) {
        let seconds = chronicle.charged();
        chronicle.write(Event::Finished { seconds })?;
    }
    Ok(conclusion)
}
