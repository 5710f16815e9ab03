//! The conclusion of a study.

use records::{Event, KneeFinding, RoundsPurpose, SizeClosed, settings::Goal};

use super::{Plan, StudyFault, StudyJournal, Subject, acceptance, findings, values_in_rounds};

/// The answer of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// Findings of all named detectors, the deciding one first.
    pub findings: Vec<KneeFinding>,
    /// The reported size: the knee, or without a knee the largest size that has values from rounds.
    pub chosen: SizeClosed,
    /// Whether the chosen size is a knee.
    pub knee: bool,
    /// Whether the chosen size is the largest that was measured.
    pub is_largest: bool,
    /// Whether larger sizes confirmed the knee; false if none could be measured.
    pub confirmed: bool,
    /// Why growth ended, if not by a confirmed knee.
    pub why_ended: Option<String>,
    /// Number of sizes measured.
    pub sizes: usize,
}

/// Writes the values of all sizes from rounds and, for a saturation study, the answer. Does nothing
/// if the journal has a conclusion, or a winner that follows from the answer.
pub(super) fn settle(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &mut StudyJournal,
) -> Result<(), StudyFault> {
    // The comparison with full precision follows the answer, and may have changed its best.
    let is_compared = journal.closed().values().any(|closed| closed.by_precision);
    if journal.is_finished() || is_compared {
        return Ok(());
    }
    for closed in values_in_rounds::figures(plan, subject, journal) {
        if journal.closed().get(&closed.size).copied() != Some(&closed) {
            journal.write(Event::SizeClosed(closed))?;
        }
    }
    match plan.settings.goal {
        Goal::Saturate => answer(plan, subject, journal),
        Goal::Tune => Ok(()),
    }
}

/// Concludes the study and closes the journal. A conclusion in the journal is kept.
pub fn conclude(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &mut StudyJournal,
) -> Result<Conclusion, StudyFault> {
    settle(plan, subject, journal)?;
    let closed = journal.closed();
    let measured: Vec<&SizeClosed> =
        closed.values().copied().filter(|c| c.best.is_some()).collect();
    let Some(last) = measured.last() else {
        let why = closed.values().next_back().map_or("no size was measured", |c| c.why.as_str());
        return Err(StudyFault::NothingValid(why.to_owned()));
    };
    let answer = journal.answer();
    let view = journal.view();
    let winner = view.winner().and_then(|(point, _)| point.closed.as_ref());
    let chosen = winner.unwrap_or(last).clone();
    let findings = plan.all_detectors().filter_map(|d| journal.finding(d.name).cloned());
    let conclusion = Conclusion {
        knee: answer.is_some_and(|(knee, _)| knee == chosen.size),
        confirmed: answer.is_some_and(|(_, confirmed)| confirmed),
        is_largest: chosen.size == last.size,
        chosen,
        why_ended: journal.why_growth_ended().map(str::to_owned),
        sizes: measured.len(),
        findings: findings.collect(),
    };
    if !journal.is_finished() {
        let seconds = journal.charged();
        journal.write(Event::Finished { seconds })?;
    }
    Ok(conclusion)
}

/// Writes the findings of the detectors, and the knee that is the answer, if any.
fn answer(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &mut StudyJournal,
) -> Result<(), StudyFault> {
    let (findings, at) = findings::findings(plan, subject, journal, RoundsPurpose::Answer);
    for finding in &findings {
        journal.found(finding.clone())?;
    }
    let all_measured = !journal.grew_out_of_time();
    let Some(finding) = findings.get(at) else { return Ok(()) };
    let of = (finding, RoundsPurpose::Answer);
    let knee = acceptance::accepted_knee(plan, subject, journal, of, all_measured);
    let Some((size, doubt)) = knee else { return Ok(()) };
    let why = match doubt {
        None => format!("confirmed by larger sizes: {}", finding.why),
        Some(doubt) => format!("not confirmed, {doubt}: {}", finding.why),
    };
    journal.accept(&finding.detector, size, why, doubt.is_none())
}
