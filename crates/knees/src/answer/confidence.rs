//! Confidence in a finding, and the reasons against it.

use super::finding::{Confidence, Finding};
use crate::MachineInRounds;

/// A knee must reach this share of the level; below it the curve has not saturated.
pub(crate) const LEAST_SHARE: f64 = 0.5;
/// Share of the level below which a knee is weak.
const USUAL_SHARE: f64 = 0.65;
/// Knees of two detectors that are more steps apart contradict each other.
const FAR_STEPS: usize = 2;
/// A knee is settled if it lies within a step with this probability.
pub const SETTLED_PROBABILITY: f64 = 0.95;
/// Fewer rounds give too few blocks for an interval.
pub const LEAST_ROUNDS: usize = 40;
/// What sizes have of their own is named if it is this many times the error of their samples.
const NOTABLE_SCATTER: f64 = 2.0;
/// A state of the machine is named if it had less than this share of the rounds.
const NOTABLE_SHARE: f64 = 0.8;
/// Lost time is named from this share on.
const NOTABLE_LOSS: f64 = 0.1;

/// The confidence of a finding, and the reasons against it, one phrase each.
pub(crate) fn judge(
    finding: &Finding,
    machine: Option<MachineInRounds>,
) -> (Confidence, Vec<String>) {
    if finding.knee.is_none() {
        return (Confidence::None, Vec::new());
    }
    let mut against = Vec::new();
    if let Some(rounds) =
        machine.map(|machine| machine.rounds).filter(|rounds| *rounds < LEAST_ROUNDS)
    {
        against.push(format!("{rounds} rounds; {LEAST_ROUNDS} are the least that settle anything"));
    }
    match finding.probability {
        None => against.push("it has no interval".to_owned()),
        Some(probability) if probability < SETTLED_PROBABILITY => {
            let percent = 100.0 * probability;
            let cause = machine.and_then(cause).map_or_else(String::new, |why| format!(": {why}"));
            against
                .push(format!("{percent:.0} % of the redrawn curves have it within a step{cause}"));
        }
        Some(_) => {}
    }
    if let Some(share) = finding.share.filter(|share| *share < USUAL_SHARE) {
        against.push(format!("it reaches only {:.0} % of the level", 100.0 * share));
    }
    let confidence = if against.is_empty() { Confidence::Settled } else { Confidence::Weak };
    (confidence, against)
}

/// What the rounds say of the machine that explains an uncertain knee best.
fn cause(machine: MachineInRounds) -> Option<String> {
    let MachineInRounds { states, share, own_scatter, error, lost, .. } = machine;
    if own_scatter > NOTABLE_SCATTER * error {
        let percent = 100.0 * own_scatter;
        Some(format!("sizes differ by {percent:.1} % that more rounds cannot average out"))
    } else if states > 1 && share < NOTABLE_SHARE {
        let percent = 100.0 * (1.0 - share);
        Some(format!("the machine was in another state in {percent:.0} % of the rounds"))
    } else if lost > NOTABLE_LOSS {
        Some(format!("others took {:.0} % of the time", 100.0 * lost))
    } else {
        None
    }
}

/// Marks findings as weak whose knee is several steps away from another detector's knee.
pub fn compare(findings: &mut [Finding]) {
    let knees: Vec<(&'static str, usize)> = findings
        .iter()
        .filter_map(|finding| Some((finding.detector, finding.knee?.index)))
        .collect();
    for finding in findings {
        let Some(knee) = finding.knee else { continue };
        let far = |(_, other): &&(&str, usize)| other.abs_diff(knee.index) > FAR_STEPS;
        if let Some((other, at)) = knees.iter().find(far) {
            let steps = at.abs_diff(knee.index);
            finding.against.push(format!("{other} sees it {steps} steps away"));
            finding.confidence = Confidence::Weak;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Knee;

    fn finding(detector: &'static str, index: usize, share: f64) -> Finding {
        let knee = Some(Knee { index, x: index as f64 });
        Finding { knee, share: Some(share), ..Finding::none(detector, "") }
    }

    const MACHINE: MachineInRounds = MachineInRounds {
        rounds: 50,
        states: 1,
        share: 1.0,
        own_scatter: 0.001,
        error: 0.001,
        lost: 0.0,
    };

    #[test]
    fn every_doubt_is_named() {
        let solid = Finding { probability: Some(0.97), ..finding("kneedle", 5, 0.9) };
        assert_eq!(judge(&solid, Some(MACHINE)), (Confidence::Settled, Vec::new()));
        let doubtful = Finding { probability: Some(0.6), ..solid.clone() };
        for (machine, word) in [
            (MACHINE, "60 % of the redrawn curves have it within a step"),
            (MachineInRounds { own_scatter: 0.12, ..MACHINE }, "sizes differ by 12.0 %"),
            (MachineInRounds { states: 2, share: 0.6, ..MACHINE }, "another state in 40 %"),
            (MachineInRounds { lost: 0.4, ..MACHINE }, "others took 40 %"),
        ] {
            let (confidence, against) = judge(&doubtful, Some(machine));
            assert_eq!(confidence, Confidence::Weak);
            assert!(against.len() == 1 && against[0].contains(word), "{against:?}");
        }
        let few = judge(&solid, Some(MachineInRounds { rounds: 7, ..MACHINE }));
        assert!(few.1[0].contains("7 rounds"), "{few:?}");
        let none = judge(&Finding { probability: None, ..solid.clone() }, None);
        assert_eq!(none.1, ["it has no interval"]);
        let low = judge(&Finding { share: Some(0.6), ..solid }, Some(MACHINE));
        assert!(low.1[0].contains("60 % of the level"), "{low:?}");
        assert_eq!(judge(&Finding::none("kneedle", "flat"), None).0, Confidence::None);
        assert_eq!(Confidence::named(Confidence::Weak.word()), Some(Confidence::Weak));
        assert_eq!(Confidence::named(""), None);
    }

    #[test]
    fn detectors_that_disagree_weaken_each_other() {
        let mut findings =
            [finding("kneedle", 5, 0.9), finding("plateau", 6, 0.9), finding("triangle", 9, 0.9)];
        findings.iter_mut().for_each(|finding| finding.confidence = Confidence::Settled);
        compare(&mut findings[..2]);
        assert!(findings[..2].iter().all(|f| f.confidence == Confidence::Settled));
        compare(&mut findings);
        assert!(findings.iter().all(|f| f.confidence == Confidence::Weak), "{findings:?}");
        assert_eq!(findings[0].against, ["triangle sees it 4 steps away"]);
    }
}
