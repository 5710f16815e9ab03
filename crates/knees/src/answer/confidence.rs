//! Confidence in an answer, and what speaks against it.

use super::finding::{Confidence, Finding};

/// Share of the level that a knee reaches at least; less is no saturation.
pub(crate) const LEAST_SHARE: f64 = 0.5;
/// Share of the level below which a knee is weak.
const USUAL_SHARE: f64 = 0.65;
/// Steps of sizes that a settled knee's interval spans at most.
pub(super) const WIDEST: usize = 2;
/// Share of redrawn curves that have a knee, at least, if it is settled.
const STEADY: f64 = 0.9;
/// Rounds that a settled knee needs.
const LEAST_ROUNDS: usize = 20;
/// Share of disturbed measurements above which a knee is weak.
const MOST_DISTURBED: f64 = 0.5;

/// What is known about an answer besides the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Grounds {
    /// Steps between the ends of the interval, if there is one.
    pub(crate) width: Option<usize>,
    /// Share of redrawn curves that have a knee.
    pub(crate) steady: f64,
    pub(crate) rounds: Option<usize>,
    /// Share of measurements that were disturbed.
    pub(crate) disturbed: f64,
}

/// The confidence of a finding, and phrases that say what speaks against it.
pub(crate) fn judge(finding: &Finding, grounds: Grounds) -> (Confidence, Vec<String>) {
    if finding.knee.is_none() {
        return (Confidence::None, Vec::new());
    }
    let mut against = Vec::new();
    if let Some(rounds) = grounds.rounds.filter(|rounds| *rounds < LEAST_ROUNDS) {
        against.push(format!("{rounds} rounds; {LEAST_ROUNDS} are the least that settle anything"));
    }
    match grounds.width {
        None => against.push("it has no interval".to_owned()),
        Some(width) if width > WIDEST => {
            against.push(format!("its interval spans {width} steps of the sizes"));
        }
        Some(_) => {}
    }
    if grounds.steady < STEADY {
        against.push(format!(
            "{:.0} % of the redrawn curves have no knee",
            100.0 * (1.0 - grounds.steady)
        ));
    }
    if let Some(share) = finding.share.filter(|share| *share < USUAL_SHARE) {
        against.push(format!("it reaches only {:.0} % of the level", 100.0 * share));
    }
    if grounds.disturbed > MOST_DISTURBED {
        against
            .push(format!("{:.0} % of the measurements were disturbed", 100.0 * grounds.disturbed));
    }
    let confidence = if against.is_empty() { Confidence::Settled } else { Confidence::Weak };
    (confidence, against)
}

/// Makes answers weak that differ by more than a step or two from another detector's.
pub fn compare(findings: &mut [Finding]) {
    let knees: Vec<(&'static str, usize)> = findings
        .iter()
        .filter_map(|finding| Some((finding.detector, finding.knee?.index)))
        .collect();
    for finding in findings {
        let Some(knee) = finding.knee else { continue };
        let far = |(_, other): &&(&str, usize)| other.abs_diff(knee.index) > WIDEST;
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

    const SOLID: Grounds =
        Grounds { width: Some(1), steady: 1.0, rounds: Some(50), disturbed: 0.1 };

    #[test]
    fn every_doubt_is_named() {
        let solid = finding("kneedle", 5, 0.9);
        assert_eq!(judge(&solid, SOLID), (Confidence::Settled, Vec::new()));
        for (grounds, word) in [
            (Grounds { width: Some(3), ..SOLID }, "3 steps"),
            (Grounds { width: None, ..SOLID }, "no interval"),
            (Grounds { steady: 0.6, ..SOLID }, "40 % of the redrawn"),
            (Grounds { rounds: Some(7), ..SOLID }, "7 rounds"),
            (Grounds { disturbed: 0.8, ..SOLID }, "80 % of the measurements"),
        ] {
            let (confidence, against) = judge(&solid, grounds);
            assert_eq!(confidence, Confidence::Weak);
            assert!(against.len() == 1 && against[0].contains(word), "{against:?}");
        }
        let low = judge(&finding("kneedle", 5, 0.6), SOLID);
        assert!(low.1[0].contains("60 % of the level"), "{low:?}");
        assert_eq!(judge(&Finding::none("kneedle", "flat"), SOLID).0, Confidence::None);
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
