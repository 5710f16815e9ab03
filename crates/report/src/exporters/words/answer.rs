//! The answer of a study in at most eight lines, as `run`, `tune` and `show` print it.

use std::path::Path;

use records::{Progress, SizePoint, StudyRecord, StudyView};

use super::{
    at_size, figure, gain, knee,
    knee_answer::KneeAnswer,
    quantities::{counted, grouped, significant},
    thresholds, trade_offs, unsettled,
};

/// Warnings of more characters are cut at their first semicolon.
const LONG: usize = 90;

/// The lines.
#[must_use]
pub fn lines(record: &StudyRecord, view: &StudyView, folder: &Path) -> Vec<String> {
    let mut lines = vec![title(record, view)];
    let mut add = |word: &str, text: &str| lines.push(format!("{word:<10}{text}"));
    let answer = KneeAnswer::of(record, view);
    if let Some(answer) = &answer {
        add("knee", &knee::short(answer));
    }
    if let Some((point, best)) = view.winner() {
        let mut word = "best";
        let configuration = best.configuration.to_string();
        if !configuration.is_empty() {
            add(std::mem::take(&mut word), &configuration);
        }
        let place = place(answer.as_ref(), record, view, point);
        let place = if place.is_empty() { place } else { place + ": " };
        add(word, &format!("{place}{}", figure(record, best)));
        if let Some(closed) = &point.closed {
            add("gain", &gain::both(closed, view.precise.as_ref()));
        }
    }
    if let Some((word, text)) = accuracy(record, view) {
        add(word, &text);
    }
    add("results", &folder.display().to_string());
    if let Some(warning) = warning(&warnings(view, answer.as_ref())) {
        add("warning", &warning);
    }
    lines
}

/// Formats the title: `vecadd on AMD EPYC: 20 sizes (elements), 668 trials`.
fn title(record: &StudyRecord, view: &StudyView) -> String {
    let replayed = record.is_replayed();
    let meaning = match record.benchmark.size_meaning.as_str() {
        meaning if replayed || meaning.is_empty() => String::new(),
        meaning => format!(" ({meaning})"),
    };
    let sizes = match record.has_sizes() {
        true => counted(view.measured().count(), "size") + &meaning + ", ",
        false => String::new(),
    };
    format!(
        "{} on {}{}: {sizes}{}",
        record.benchmark.name,
        record.device.name,
        if replayed { ", replayed" } else { "" },
        counted(view.trials.len(), "trial")
    )
}

/// Formats which size the best configuration belongs to.
fn place(
    answer: Option<&KneeAnswer<'_>>,
    record: &StudyRecord,
    view: &StudyView,
    point: &SizePoint,
) -> String {
    let size = grouped(point.size);
    let last = view.measured().last().map(|(point, _)| point.size);
    match answer {
        Some(answer) if answer.knee == Some(point.size) => "at the knee".to_owned(),
        Some(answer) if answer.knee.is_none() && last == Some(point.size) => {
            format!("at the largest size, {size}")
        }
        Some(answer) if answer.knee.is_none() => {
            format!("at size {size}, the largest whose rounds held")
        }
        _ => at_size(record, point.size).trim_start().to_owned(),
    }
}

/// Formats what speed costs in accuracy: the front or the thresholds if the user asked for them, or
/// else the error of full precision if it is lower.
fn accuracy(record: &StudyRecord, view: &StudyView) -> Option<(&'static str, String)> {
    if let Some(front) = view.answering_front(record) {
        return Some(("front", trade_offs::count(record, &front)));
    }
    if let Some(bests) = &view.thresholds {
        let gains: Vec<String> = bests.bests.iter().map(thresholds::gain).collect();
        return Some(("within", format!("{} the speed of full precision", gains.join("; "))));
    }
    let error = view.winner()?.1.error?;
    let precise = view.precise.as_ref()?.best.as_ref()?.error?;
    let bound = record.settings.max_error.unwrap_or(record.benchmark.error.1);
    let (full, allowed) = (significant(precise, 2), significant(bound, 2));
    (error > precise).then(|| {
        ("accuracy", format!("in full precision the error is {full}; {allowed} is allowed"))
    })
}

/// Everything to beware of, the most important first.
fn warnings(view: &StudyView, answer: Option<&KneeAnswer<'_>>) -> Vec<String> {
    let mut all = Vec::new();
    match &view.progress {
        Progress::Finished(_) => {}
        Progress::Open => {
            all.push("the study is not finished: `autobench resume` goes on".to_owned())
        }
        Progress::Interrupted(why) => {
            all.push(format!("interrupted: {why}: `autobench resume` goes on"));
        }
    }
    all.extend(super::conditions::faults(view));
    if let Some(answer) = answer {
        let doubts = answer.against.iter().filter(|_| answer.knee.is_some() && answer.is_weak());
        all.extend(doubts.map(|doubt| format!("the knee is weak: {doubt}")));
    }
    all.extend(unsettled(view));
    all.extend(view.started.warnings.iter().cloned());
    all
}

/// Formats the first warning, and how many more there are.
fn warning(all: &[String]) -> Option<String> {
    let (first, rest) = all.split_first()?;
    let short = match first.split_once("; ") {
        Some((head, _)) if first.chars().count() > LONG => head,
        _ => first,
    };
    Some(match (rest.len(), short.len() < first.len()) {
        (0, false) => first.clone(),
        (0, true) => format!("{short}, more in the report"),
        (more, _) => format!("{short}, {more} more in the report"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_warning_is_told_and_the_others_are_counted() {
        let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(warning(&[]), None);
        assert_eq!(warning(&all(&["hot; cool it"])).as_deref(), Some("hot; cool it"));
        let two = warning(&all(&["hot", "busy", "late"]));
        assert_eq!(two.as_deref(), Some("hot, 2 more in the report"));
        let long = format!("hot; {}", "and so on ".repeat(10));
        assert_eq!(warning(&[long]).as_deref(), Some("hot, more in the report"));
    }
}
