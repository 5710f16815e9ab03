//! Phrases about knees.

use knees::Confidence;
use records::{KneeFinding, StudyRecord, StudyView};

use super::{
    knee_answer::{KneeAnswer, whole},
    quantities::{grouped, percent},
};

/// Formats the finding of one detector: `354 294 by kneedle, weak, 95 % interval …`.
#[must_use]
pub fn finding(finding: &KneeFinding) -> String {
    match finding.knee {
        None => format!("none by {}: {}", finding.detector, finding.why),
        Some(at) => {
            let confidence = Confidence::named(&finding.confidence);
            let mut text = format!("{} {}", whole(at), details(finding, confidence).join(", "));
            if !finding.why.is_empty() {
                text += &format!(": {}", finding.why);
            }
            if finding.against.is_empty() {
                return text;
            }
            format!("{text}; against it: {}", finding.against.join("; "))
        }
    }
}

/// Returns the details of a knee: detector, confidence, interval and share.
fn details(finding: &KneeFinding, confidence: Option<Confidence>) -> Vec<String> {
    let mut parts = vec![format!("by {}", finding.detector)];
    parts.extend(confidence.map(|confidence| confidence.word().to_owned()));
    parts.extend(
        finding
            .interval
            .map(|(low, high)| format!("95 % interval {} to {}", whole(low), whole(high))),
    );
    parts.extend(finding.share.map(share));
    parts.extend(confirmed_by(finding));
    parts
}

/// Formats the detectors that confirm a knee: `confirmed by triangle and plateau`.
#[must_use]
pub fn confirmed_by(finding: &KneeFinding) -> Option<String> {
    let names = &finding.confirmed_by;
    (!names.is_empty()).then(|| format!("confirmed by {}", names.join(" and ")))
}

/// Formats the share of a knee: `95.9 % of the level` that the curve reaches.
#[must_use]
pub fn share(share: f64) -> String {
    format!("{} of the level", percent(share))
}

/// Returns the level that the curve reaches: the metric at the knee over its share.
#[must_use]
pub fn level(answer: &KneeAnswer<'_>, view: &StudyView) -> Option<f64> {
    let (size, share) = (answer.knee?, answer.finding?.share?);
    let (_, figure) = view.measured().find(|(point, _)| point.size == size)?;
    let level = figure.metric.as_ref()?.value / share;
    level.is_finite().then_some(level)
}

/// Formats the size of the answer: `354 294`, `none`.
#[must_use]
pub fn size(answer: &KneeAnswer<'_>) -> String {
    answer.knee.map_or_else(|| "none".to_owned(), grouped)
}

/// Formats the details of the answer: detector, confidence, interval and share of the knee, or why
/// there is no knee.
#[must_use]
pub fn more(answer: &KneeAnswer<'_>) -> String {
    match (answer.knee, answer.finding) {
        (Some(_), Some(finding)) => details(finding, answer.confidence).join(", "),
        _ => answer.why.clone(),
    }
}

/// Formats what speaks against the knee: `weak: its interval spans 5 steps of the sizes`.
#[must_use]
pub fn doubt(answer: &KneeAnswer<'_>) -> Option<String> {
    let doubts = || format!("weak: {}", answer.against.join("; "));
    (answer.knee.is_some() && answer.is_weak()).then(doubts)
}

/// A note if sizes were added around another knee than the answer's.
#[must_use]
pub fn refinement(answer: &KneeAnswer<'_>, view: &StudyView) -> Option<String> {
    let around = view.refined_around.filter(|around| Some(*around) != answer.knee)?;
    let around = grouped(around);
    Some(match answer.knee {
        Some(_) => format!("first rounds had it at {around}, and sizes were added around that"),
        None => {
            format!("first rounds had one at {around}, and rounds with sizes around it did not")
        }
    })
}

/// Formats a knee for a legend: detector, size, interval, share and confidence.
#[must_use]
pub fn legend(finding: &KneeFinding, confidence: Option<Confidence>) -> String {
    let mut words =
        format!("knee by {}: {}", finding.detector, finding.knee.map_or_else(String::new, whole));
    if let Some((low, high)) = finding.interval {
        words += &format!(" (95 % interval {} to {})", whole(low), whole(high));
    }
    let verdict = confidence.map(|confidence| confidence.word().to_owned());
    for part in finding.share.map(share).into_iter().chain(verdict) {
        words += &format!(", {part}");
    }
    words
}

/// Formats the answer in a line:
/// `46 656 by kneedle, settled, 95 % interval 38 094 to 85 713, 90.8 % of the level`.
#[must_use]
pub fn short(answer: &KneeAnswer<'_>) -> String {
    let joint = if answer.knee.is_some() { " " } else { ": " };
    format!("{}{joint}{}", size(answer), more(answer))
}

/// Formats the answer and the findings of all other detectors as lines, for `show --all`.
#[must_use]
pub fn lines(record: &StudyRecord, view: &StudyView) -> Vec<String> {
    let Some(answer) = KneeAnswer::of(record, view) else { return Vec::new() };
    let mut lines = vec![short(&answer)];
    if answer.is_weak() {
        lines.push(format!("against it: {}", answer.against.join("; ")));
    }
    if answer.knee.is_some() && !answer.why.is_empty() {
        lines.push(answer.why.clone());
    }
    lines.extend(refinement(&answer, view));
    lines.extend(answer.others.iter().map(|other| format!("beside it: {}", finding(other))));
    lines
}
