//! Phrases about knees.

use knees::Confidence;
use records::{KneeFinding, SettledKnee, StudyRecord, StudyView};

use super::{
    knee_answer::{KneeAnswer, whole},
    quantities::{grouped, percent},
};

/// A detector's finding by itself: `354 294 by kneedle, weak, 95 % interval …`.
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

/// Details of a knee: detector, confidence, interval and share.
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

/// Who confirms a knee, of the detectors that were named to: `confirmed by triangle and plateau`.
#[must_use]
pub fn confirmed_by(finding: &KneeFinding) -> Option<String> {
    let names = &finding.confirmed_by;
    (!names.is_empty()).then(|| format!("confirmed by {}", names.join(" and ")))
}

/// The share of a knee: `95.9 % of the level`, the level that the curve reaches.
#[must_use]
pub fn share(share: f64) -> String {
    format!("{} of the level", percent(share))
}

/// The size of the answer: `354 294`, `none`.
#[must_use]
pub fn size(answer: &KneeAnswer<'_>) -> String {
    answer.knee.map_or_else(|| "none".to_owned(), grouped)
}

/// Details of the answer: detector, confidence, interval and share of a knee; why there is none.
#[must_use]
pub fn more(answer: &KneeAnswer<'_>) -> String {
    match (answer.knee, answer.finding) {
        (Some(_), Some(finding)) => details(finding, answer.confidence).join(", "),
        _ => answer.why.clone(),
    }
}

/// What speaks against the knee: `weak: its interval spans 5 steps of the sizes`.
#[must_use]
pub fn doubt(answer: &KneeAnswer<'_>) -> Option<String> {
    let doubts = || format!("weak: {}", answer.against.join("; "));
    (answer.knee.is_some() && answer.is_weak()).then(doubts)
}

/// A knee that is known from before: `69 984, the middle of what 6 earlier studies of the same plan settled on (46 656 to
/// 69 984, the last on 2026-11-28)`.
#[must_use]
pub fn known(before: &SettledKnee) -> String {
    format!("{}, {}", grouped(before.size), known_from(before))
}

/// Where it is known from.
#[must_use]
pub fn known_from(before: &SettledKnee) -> String {
    let range = format!("{} to {}", grouped(before.least), grouped(before.most));
    let differ = before.least != before.most;
    let as_they = if differ { "the middle of what" } else { "as" };
    let more = [differ.then_some(range), last(before)];
    let more: Vec<String> = more.into_iter().flatten().collect();
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
    format!("{as_they} {} of the same plan settled on{more}", studies(before))
}

/// What studies settled on before that do not agree: `4 earlier studies of the same plan settled on 128 to 384 (the last on
/// 2026-11-28)`.
#[must_use]
pub fn settled_apart(answer: &KneeAnswer<'_>) -> Option<String> {
    let before = answer.settled_before.as_ref().filter(|before| !before.is_agreed())?;
    let (least, most) = (grouped(before.least), grouped(before.most));
    let last = last(before).map_or_else(String::new, |last| format!(" ({last})"));
    Some(format!("{} of the same plan settled on {least} to {most}{last}", studies(before)))
}

fn studies(before: &SettledKnee) -> String {
    match before.studies {
        1 => "an earlier study".to_owned(),
        several => format!("{several} earlier studies"),
    }
}

fn last(before: &SettledKnee) -> Option<String> {
    let which = if before.studies == 1 { "on" } else { "the last on" };
    before.last.map(|last| format!("{which} {}", last.format("%Y-%m-%d")))
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

/// A knee in a legend: detector, size, interval, share and confidence.
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

/// The answer in a line: `46 656 by kneedle, settled, 95 % interval 38 094 to 85 713, 90.8 % of the level`.
#[must_use]
pub fn short(answer: &KneeAnswer<'_>) -> String {
    if let Some(before) = answer.known() {
        let (least, most) = (grouped(before.least), grouped(before.most));
        let weak = if answer.is_weak() { ", weak" } else { "" };
        return format!(
            "{} by {} ({least} to {most}); this time {}{weak}",
            grouped(before.size),
            studies(before),
            size(answer)
        );
    }
    let others = answer.others.iter();
    let others = others.filter_map(|other| Some((other.knee?, &other.detector)));
    let others = others.map(|(knee, detector)| format!("; {} by {detector}", whole(knee)));
    this_time(answer) + &others.collect::<String>()
}

fn this_time(answer: &KneeAnswer<'_>) -> String {
    let joint = if answer.knee.is_some() { " " } else { ": " };
    format!("{}{joint}{}", size(answer), more(answer))
}

/// The answer and every other detector's finding, line by line, as `show --all` prints it.
#[must_use]
pub fn lines(record: &StudyRecord, view: &StudyView) -> Vec<String> {
    let Some(answer) = KneeAnswer::of(record, view) else { return Vec::new() };
    let own = this_time(&answer);
    let mut lines = match answer.known() {
        Some(before) => vec![known(before), format!("this time {own}")],
        None => vec![own],
    };
    if answer.is_weak() {
        lines.push(format!("against it: {}", answer.against.join("; ")));
    }
    lines.extend(settled_apart(&answer));
    if answer.knee.is_some() && !answer.why.is_empty() {
        lines.push(answer.why.clone());
    }
    lines.extend(refinement(&answer, view));
    lines.extend(answer.others.iter().map(|other| format!("beside it: {}", finding(other))));
    lines
}
