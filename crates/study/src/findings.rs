//! Findings of a study's detectors over its curve, and which of them is the answer.

use knees::{DetectorSettings, Finding, compare, confirmed, find, find_repeated};
use records::{KneeFinding, RoundsPurpose};

use super::{
    Plan, StudyJournal, Subject,
    curve::{curve, points, still_climbs},
    survey, values_in_rounds,
};

/// Resamples for intervals while the study is still measuring.
const RESAMPLES: usize = 60;
/// Stated against a knee if the curve has not levelled off.
pub(super) const STILL_CLIMBS: &str = "the curve still climbs at its end";

/// Findings over the rounds of a purpose.
struct Answered {
    found: Vec<Finding>,
    /// Index of the finding that is the answer.
    answer: usize,
    points: usize,
    rounds: usize,
}

/// Returns the findings of all named detectors over the rounds of a purpose, with the confidence of
/// each, and the index of the answer.
pub(super) fn findings(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> (Vec<KneeFinding>, usize) {
    let answered = answered(plan, subject, journal, purpose, &plan.detector_settings);
    let Answered { mut found, answer, points, rounds } = answered;
    if purpose == RoundsPurpose::Answer && still_climbs(plan, subject, journal, purpose) {
        found = found.into_iter().map(|own| own.doubted(STILL_CLIMBS.to_owned())).collect();
    }
    (found.iter().map(|finding| record(finding, points, rounds)).collect(), answer)
}

fn answered(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
    settings: &DetectorSettings,
) -> Answered {
    let preparation = plan.preparation;
    let (mut found, points, rounds): (Vec<Finding>, usize, usize) =
        match values_in_rounds::repeated(plan, subject, journal, purpose) {
            Some(repeated) => {
                let find = |d| {
                    let found = find_repeated(d, &repeated, settings, preparation);
                    if repeated.is_repeated() { found } else { found.unrepeated() }
                };
                let found = plan.all_detectors().map(find).collect();
                (found, repeated.x().len(), repeated.rounds())
            }
            None => match curve(&points(journal)) {
                Some(curve) => {
                    let find = |d| find(d, &curve, settings, preparation).unrepeated();
                    (plan.all_detectors().map(find).collect(), curve.len(), 0)
                }
                None => (Vec::new(), 0, 0),
            },
        };
    let asked = plan.detectors.len().min(found.len());
    compare(&mut found[..asked]);
    let steps = survey::ladder(plan, subject, journal);
    let steps: Vec<f64> = steps.into_iter().map(|rung| rung as f64).collect();
    let answer = confirmed(&mut found, asked, &steps);
    Answered { found, answer, points, rounds }
}

/// Whether all confirming detectors confirm the knee, over the rounds of a purpose.
pub(super) fn all_confirm(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> bool {
    if plan.confirming.is_empty() {
        return true;
    }
    let settings = DetectorSettings { resamples: RESAMPLES, ..plan.detector_settings.clone() };
    let found = answered(plan, subject, journal, purpose, &settings).found;
    found.first().is_some_and(|first| first.confirmed_by.len() == plan.confirming.len())
}

fn record(finding: &Finding, points: usize, rounds: usize) -> KneeFinding {
    KneeFinding {
        detector: finding.detector.to_owned(),
        knee: finding.knee.map(|knee| knee.x),
        interval: finding.interval,
        probability: finding.probability,
        share: finding.share,
        why: finding.why.clone(),
        facts: finding.facts.iter().cloned().collect(),
        points: points as u64,
        rounds: rounds as u64,
        confidence: finding.confidence.word().to_owned(),
        against: finding.against.clone(),
        confirmed_by: finding.confirmed_by.iter().map(|name| (*name).to_owned()).collect(),
    }
}
