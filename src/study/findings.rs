//! Findings of a study's detectors over its curve, and which of them is the answer.

use super::{
    Plan, StudyJournal, Subject,
    counted_rounds::CountedRounds,
    curve::{curve, points, still_climbs},
    slower_tempo::knee_when_slower,
    survey, values_in_rounds,
};
use crate::{
    knees::{DetectorSettings, Finding, compare, confirmed, find, find_repeated},
    records::{KneeFinding, RoundsEvent, RoundsPurpose, Tempos},
};

/// Resamples for intervals while nothing is answered yet.
pub(super) const RESAMPLES: usize = 60;
/// Share of the samples' time that others may take of a settled answer. A virtual machine of two cores lost 1 %
/// (once 8 %), and 55 to 73 % beside a compiler.
pub(super) const MOST_TAKEN: f64 = 0.25;
/// Factor between the speeds of memory within a settled answer. On a virtual machine whose answers repeat it is 1.1;
/// on one where it was 1.3 and more, answers of an hour lay between 20 736 and 236 196.
pub(super) const MOST_SWING: f64 = 1.2;

/// Against a knee below a level that no size has reached.
pub(super) const STILL_CLIMBS: &str = "the curve still climbs at its end";

/// Findings over the rounds of a purpose.
struct Answered {
    found: Vec<Finding>,
    /// Position of the one that is the answer.
    answer: usize,
    points: usize,
    rounds: usize,
}

/// Findings of all named detectors over the rounds of a purpose, how far each can be relied on, and which
/// of them is the answer.
pub(super) fn findings(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> (Vec<KneeFinding>, usize) {
    let answered = answered(plan, subject, journal, purpose, &plan.detector_settings);
    let Answered { mut found, answer, points, rounds } = answered;
    if purpose == RoundsPurpose::Answer {
        let climbs = still_climbs(plan, subject, journal, purpose).then(|| STILL_CLIMBS.to_owned());
        for why in climbs.into_iter().chain(doubts(journal)) {
            found = found.into_iter().map(|finding| finding.doubted(why.clone())).collect();
        }
    }
    let mut found: Vec<KneeFinding> =
        found.iter().map(|finding| record(finding, points, rounds)).collect();
    if let Some(answer) = found.get_mut(answer).filter(|_| purpose == RoundsPurpose::Answer) {
        answer.when_slower = knee_when_slower(plan, subject, journal, answer);
    }
    (found, answer)
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

/// What speaks against the answer of a machine that was not its own while the rounds were taken.
pub(super) fn doubts(journal: &StudyJournal) -> Vec<String> {
    [slower(journal), swinging(journal), crowded(journal)].into_iter().flatten().collect()
}

/// A machine whose cores others used, too: samples that waited are known and left out, but those that did
/// not wait shared caches and memory with what the others did.
fn crowded(journal: &StudyJournal) -> Option<String> {
    let taken = CountedRounds::of(journal, RoundsPurpose::Answer).share_taken()?;
    let in_percent = 100.0 * taken;
    (taken > MOST_TAKEN)
        .then(|| format!("others took {in_percent:.0} % of the time in which it was measured"))
}

/// A machine whose memory others use by turns: its curve is of no one machine.
fn swinging(journal: &StudyJournal) -> Option<String> {
    let swing = Tempos::swing(journal.rounds(RoundsPurpose::Answer))?;
    (swing > MOST_SWING).then(|| {
        format!(
            "the machine's memory was {swing:.1} times slower in a tenth of the rounds than in another"
        )
    })
}

/// A machine that was faster before: another tempo has another knee.
fn slower(journal: &StudyJournal) -> Option<String> {
    let own = Tempos::of(journal.rounds(RoundsPurpose::Answer));
    if let Some((tempos, faster)) = own.and_then(|own| own.faster.map(|faster| (own, faster))) {
        return Some(format!(
            "the machine's memory was {:.1} times faster in {} of the study's rounds, too few to count",
            tempos.seconds / faster.seconds,
            faster.rounds
        ));
    }
    let pace = journal.pace()?;
    let factor = pace.slower(journal.rounds(RoundsPurpose::Answer))?;
    let than = match pace.studies {
        1 => "in the study of this benchmark before".to_owned(),
        2..10 => format!("in the fastest of {} studies of this benchmark before", pace.studies),
        several => format!("in a tenth of the {several} studies of this benchmark before"),
    };
    Some(format!("the machine's memory was {factor:.1} times slower than {than}"))
}

/// Whether the machine's memory is likely to become faster than all rounds of the answer found it.
pub(super) fn may_become_faster(plan: &Plan, journal: &StudyJournal) -> bool {
    is_slowed(plan, journal, journal.rounds(RoundsPurpose::Answer))
}

/// Whether it was when so many seconds of rounds had been taken, which a study that goes on knows, too.
pub(super) fn were_slowed(plan: &Plan, journal: &StudyJournal, seconds: f64) -> bool {
    let mut spent = 0.0;
    let within = |event: &&RoundsEvent| {
        let begins_within = spent < seconds;
        spent += event.costs.total();
        begins_within
    };
    let rounds: Vec<&RoundsEvent> =
        journal.rounds(RoundsPurpose::Answer).take_while(within).collect();
    is_slowed(plan, journal, rounds.into_iter())
}

/// Whether rounds met a machine that was faster at other times, or, where there is time to wait, one that may be: a
/// virtual machine of which nothing is known and that shows a single tempo.
fn is_slowed<'a>(
    plan: &Plan,
    journal: &StudyJournal,
    rounds: impl Iterator<Item = &'a RoundsEvent> + Clone,
) -> bool {
    let tempos = Tempos::of(rounds.clone());
    match journal.pace() {
        _ if tempos.as_ref().is_some_and(|tempos| tempos.faster.is_some()) => true,
        Some(pace) if pace.is_unknown() => {
            let waits = plan.settings.budget.overtime.is_some_and(|overtime| overtime > 0.0);
            waits && tempos.is_none() && Tempos::copy_seconds(rounds).is_some()
        }
        Some(pace) => pace.slower(rounds).is_some(),
        None => false,
    }
}

/// Whether all detectors that were named to confirm the knee do, over the rounds of a purpose.
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
        share: finding.share,
        why: finding.why.clone(),
        facts: finding.facts.iter().cloned().collect(),
        points: points as u64,
        rounds: rounds as u64,
        confidence: finding.confidence.word().to_owned(),
        against: finding.against.clone(),
        confirmed_by: finding.confirmed_by.iter().map(|name| (*name).to_owned()).collect(),
        when_slower: None,
    }
}
