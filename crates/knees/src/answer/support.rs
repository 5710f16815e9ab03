//! Lets detectors confirm each other's knees, and picks the finding with most support.

use super::finding::{Confidence, Finding};

/// Returns the index of the finding that is the answer, and marks it weak if a voter disagrees.
///
/// Voters are the first finding (the proposal) and those from index `asked` on; the findings in
/// between do not vote. Two findings agree if their knees are within one step, or if each knee lies
/// in the other's interval. `steps` are the ascending x values that define steps. The proposal is
/// the answer unless another voter has more support.
pub fn confirmed(findings: &mut [Finding], asked: usize, steps: &[f64]) -> usize {
    let voters: Vec<usize> =
        (0..findings.len()).filter(|at| *at == 0 || *at >= asked.max(1)).collect();
    if voters.len() < 2 {
        return 0;
    }
    let supporters = |of: usize| -> Vec<usize> {
        let supports =
            |other: &usize| *other != of && agree(&findings[of], &findings[*other], steps);
        voters.iter().copied().filter(supports).collect()
    };
    let support: Vec<Vec<usize>> = voters.iter().map(|voter| supporters(*voter)).collect();
    // `max_by_key` returns the last maximum, so the reversed order prefers the first voter.
    let best = (0..voters.len()).rev().max_by_key(|at| support[*at].len()).unwrap_or(0);
    let (answer, supporters) = (voters[best], &support[best]);
    let doubts: Vec<String> = voters
        .iter()
        .filter(|voter| **voter != answer && !supporters.contains(voter))
        .map(|voter| doubt(&findings[answer], &findings[*voter], *voter == 0, steps))
        .collect();
    let names: Vec<&'static str> = supporters.iter().map(|at| findings[*at].detector).collect();
    let finding = &mut findings[answer];
    finding.confirmed_by = names;
    if finding.knee.is_some() && !doubts.is_empty() {
        finding.confidence = Confidence::Weak;
        finding.against.extend(doubts);
    }
    answer
}

/// Number of steps between two values of x.
fn apart(a: f64, b: f64, steps: &[f64]) -> usize {
    let place = |x: f64| steps.partition_point(|step| *step <= x);
    place(a).abs_diff(place(b))
}

fn agree(a: &Finding, b: &Finding, steps: &[f64]) -> bool {
    let (Some(at), Some(other)) = (a.knee, b.knee) else { return false };
    let within = |x: f64, interval: Option<(f64, f64)>| {
        interval.is_some_and(|(low, high)| low <= x && x <= high)
    };
    apart(at.x, other.x, steps) <= 1 || (within(at.x, b.interval) && within(other.x, a.interval))
}

/// The reason against an answer from a detector that does not confirm it.
fn doubt(answer: &Finding, other: &Finding, proposed: bool, steps: &[f64]) -> String {
    let name = other.detector;
    let role = if proposed { "which proposes" } else { "which should confirm it" };
    match answer.knee.zip(other.knee) {
        Some((knee, seen)) => {
            let apart = apart(knee.x, seen.x, steps);
            format!("{name}, {role}, sees it {apart} steps away")
        }
        None => format!("{name}, {role}, sees none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Knee;

    const STEPS: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

    fn finding(detector: &'static str, x: f64) -> Finding {
        let knee = (x > 0.0).then_some(Knee { index: x as usize, x });
        let confidence = if knee.is_some() { Confidence::Settled } else { Confidence::None };
        Finding { knee, confidence, ..Finding::none(detector, "") }
    }

    fn within(x: f64, interval: (f64, f64)) -> Finding {
        Finding { interval: Some(interval), ..finding("plateau", x) }
    }

    #[test]
    fn a_proposal_that_all_confirm_is_the_answer_as_it_was() {
        let mut found =
            [finding("kneedle", 32.0), finding("triangle", 64.0), within(16.0, (8.0, 32.0))];
        assert_eq!(confirmed(&mut found, 1, &STEPS), 0);
        assert_eq!(found[0].confirmed_by, ["triangle", "plateau"]);
        assert_eq!((found[0].confidence, found[0].against.len()), (Confidence::Settled, 0));
    }

    #[test]
    fn a_knee_further_away_confirms_if_each_lies_within_the_others_interval() {
        let wide = |x, interval| Finding { interval: Some(interval), ..finding("kneedle", x) };
        for (own, other, confirms) in [
            (wide(32.0, (8.0, 128.0)), within(128.0, (16.0, 256.0)), true),
            (wide(32.0, (16.0, 64.0)), within(128.0, (16.0, 256.0)), false),
            (finding("kneedle", 32.0), within(128.0, (16.0, 256.0)), false),
        ] {
            let mut found = [own, other];
            assert_eq!(confirmed(&mut found, 1, &STEPS), 0);
            assert_eq!(found[0].confidence == Confidence::Settled, confirms, "{found:?}");
        }
    }

    #[test]
    fn where_they_disagree_the_answer_with_most_support_is_weak_and_says_who_does_not_confirm_it() {
        let mut found =
            [finding("kneedle", 4.0), finding("triangle", 64.0), finding("plateau", 128.0)];
        assert_eq!(confirmed(&mut found, 1, &STEPS), 1);
        assert_eq!(found[1].confirmed_by, ["plateau"]);
        assert_eq!(found[1].confidence, Confidence::Weak);
        assert_eq!(found[1].against, ["kneedle, which proposes, sees it 4 steps away"]);
        let mut found =
            [finding("kneedle", 4.0), finding("triangle", 0.0), finding("plateau", 64.0)];
        assert_eq!(confirmed(&mut found, 1, &STEPS), 0, "none has more support");
        assert_eq!(
            found[0].against,
            [
                "triangle, which should confirm it, sees none",
                "plateau, which should confirm it, sees it 4 steps away"
            ]
        );
    }

    #[test]
    fn no_knee_stays_none_unless_two_others_agree_on_one() {
        let mut found = [finding("kneedle", 0.0), finding("triangle", 64.0)];
        assert_eq!(confirmed(&mut found, 1, &STEPS), 0);
        assert_eq!((found[0].confidence, found[0].against.len()), (Confidence::None, 0));
        let mut found =
            [finding("kneedle", 0.0), finding("triangle", 64.0), finding("plateau", 64.0)];
        assert_eq!(confirmed(&mut found, 1, &STEPS), 1);
        assert_eq!(found[1].against, ["kneedle, which proposes, sees none"]);
    }

    #[test]
    fn those_that_were_only_asked_besides_have_no_say() {
        let mut found =
            [finding("kneedle", 32.0), finding("menger", 1.0), finding("triangle", 32.0)];
        assert_eq!(confirmed(&mut found, 2, &STEPS), 0);
        assert_eq!(found[0].confirmed_by, ["triangle"]);
        let before = found.clone();
        assert_eq!(confirmed(&mut found[..2], 2, &STEPS), 0);
        assert_eq!(found, before, "nobody was named to confirm it");
    }
}
