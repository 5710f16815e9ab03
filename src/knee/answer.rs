//! The findings of the detectors, as text and as JSON.

use knees::{Confidence, Curve, Finding};
use report::exporters::quantities::significant;
use serde_json::{Map, Value, json};

/// Significant digits of an interval's ends.
const DIGITS: usize = 6;

/// Writes an array with one object per detector. `answer` is the position of the answer if
/// detectors were asked to confirm it.
pub(super) fn json(findings: &[Finding], answer: Option<usize>) -> String {
    let all: Vec<Value> = findings
        .iter()
        .enumerate()
        .map(|(at, finding)| {
            let facts: Map<String, Value> =
                finding.facts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            let mut object = json!({
                "detector": finding.detector,
                "knee_x": finding.knee.map(|k| k.x),
                "knee_index": finding.knee.map(|k| k.index),
                "interval": finding.interval.map(|(low, high)| [low, high]),
                "share": finding.share,
                "confidence": finding.confidence.word(),
                "against": finding.against,
                "why": finding.why,
                "facts": facts,
            });
            if let Some(answer) = answer {
                object["answer"] = json!(at == answer);
                object["confirmed_by"] = json!(finding.confirmed_by);
            }
            object
        })
        .collect();
    format!("{:#}", Value::Array(all))
}

/// Writes one line per detector. The last line is the confirmed answer, or how far the detectors
/// disagree.
pub(super) fn text(curve: &Curve, findings: &[Finding], answer: Option<usize>) -> String {
    let mut lines: Vec<String> = findings.iter().map(|finding| line(curve, finding)).collect();
    if let Some(answer) = answer.and_then(|at| findings.get(at)) {
        lines.push(of_all(answer));
        return lines.join("\n");
    }
    let knees: Vec<usize> = findings.iter().filter_map(|f| f.knee).map(|k| k.index).collect();
    if let (Some(low), Some(high)) = (knees.iter().min(), knees.iter().max())
        && knees.len() > 1
    {
        lines.push(match high - low {
            0 if knees.len() == findings.len() => "all of them agree".to_owned(),
            0 => "those that find a knee agree".to_owned(),
            apart => format!(
                "they lie {apart} {} apart, from {} to {}",
                if apart == 1 { "point" } else { "points" },
                curve.x()[*low],
                curve.x()[*high]
            ),
        });
    }
    lines.join("\n")
}

/// The answer, and which detectors confirmed it.
fn of_all(answer: &Finding) -> String {
    let by = match answer.confirmed_by.as_slice() {
        [] => "confirmed by none".to_owned(),
        names => format!("confirmed by {}", names.join(" and ")),
    };
    match answer.knee {
        Some(knee) => format!("answer: {} by {}, {by}", knee.x, answer.detector),
        None => format!("answer: no knee by {}", answer.detector),
    }
}

fn line(curve: &Curve, finding: &Finding) -> String {
    let name = finding.detector;
    let Some(knee) = finding.knee else {
        return format!("{name:<10} no knee: {}", finding.why);
    };
    let mut line =
        format!("{name:<10} knee at {} (point {} of {}", knee.x, knee.index + 1, curve.len());
    if let Some((low, high)) = finding.interval {
        let (low, high) = (significant(low, DIGITS), significant(high, DIGITS));
        line += &format!(", 95 % within {low} to {high}");
    }
    if let Some(share) = finding.share {
        line += &format!(", {:.1} % of the level", 100.0 * share);
    }
    line = format!("{line}): {}", finding.why);
    match finding.confidence {
        Confidence::Weak => format!("{line}; weak, for {}", finding.against.join(", ")),
        Confidence::Settled | Confidence::None => line,
    }
}

#[cfg(test)]
mod tests {
    use knees::Knee;

    use super::*;

    fn findings() -> Vec<Finding> {
        let none = Finding {
            facts: vec![("r2".to_owned(), f64::NAN)],
            ..Finding::none("hockney", "not this model")
        };
        let some = Finding {
            knee: Some(Knee { index: 1, x: 4.0 }),
            interval: Some((2.0, 4.0)),
            share: Some(0.9),
            confidence: Confidence::Weak,
            against: vec!["7 rounds are few".to_owned()],
            ..Finding::none("triangle", "0.3 from the chord")
        };
        vec![none, some]
    }

    #[test]
    fn json_has_one_object_per_detector_and_null_for_no_knee() {
        let all: Value = serde_json::from_str(&json(&findings(), None)).expect("JSON");
        assert_eq!(all[0]["knee_x"], Value::Null);
        assert_eq!(all[0]["facts"]["r2"], Value::Null);
        assert_eq!(all[1]["knee_x"], 4.0);
        assert_eq!(all[1]["knee_index"], 1);
        assert_eq!(all[1]["interval"], json!([2.0, 4.0]));
        assert_eq!(
            (&all[0]["confidence"], &all[1]["confidence"]),
            (&json!("none"), &json!("weak"))
        );
        assert_eq!(all[1]["against"], json!(["7 rounds are few"]));
    }

    #[test]
    fn the_answer_that_others_confirm_is_named() {
        let mut findings = findings();
        findings[1].confirmed_by = vec!["kneedle"];
        let all: Value = serde_json::from_str(&json(&findings, Some(1))).expect("JSON");
        assert_eq!((&all[0]["answer"], &all[1]["answer"]), (&json!(false), &json!(true)));
        assert_eq!(all[1]["confirmed_by"], json!(["kneedle"]));
        let curve = Curve::new(&[2.0, 4.0, 8.0], &[1.0, 3.0, 3.3]).expect("a curve");
        let text = text(&curve, &findings, Some(1));
        assert!(text.ends_with("answer: 4 by triangle, confirmed by kneedle"), "{text}");
    }

    #[test]
    fn people_read_a_line_per_detector() {
        let curve = Curve::new(&[2.0, 4.0, 8.0], &[1.0, 3.0, 3.3]).expect("a curve");
        let text = text(&curve, &findings(), None);
        assert!(text.contains("hockney    no knee: not this model"), "{text}");
        assert!(text.contains("triangle   knee at 4 (point 2 of 3, 95 % within 2 to 4"), "{text}");
        assert!(text.contains("chord; weak, for 7 rounds are few"), "{text}");
    }
}
