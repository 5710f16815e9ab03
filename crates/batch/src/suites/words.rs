//! Text about suites and their studies, the same in files and on the terminal.

use records::{Entry, ScoreRecord, ScoreRow, StudyState};
use report::exporters::{
    aligned,
    quantities::{grouped, percent, seconds, significant},
};

use super::{
    earlier_runs::SizeFrom,
    journal::{StudyEnd, SuiteEvent},
    record::SuiteRecord,
    row::{BegunStudy, StudyAnswer, SuiteRow, SuiteView},
    scores,
};

/// Column titles of [`cells`].
pub const HEAD: [&str; 9] =
    ["study", "label", "size", "time", "metric", "error", "gain", "evaluations", "answer"];

/// The name of a suite, and its numbers of studies by state.
#[must_use]
pub fn count(view: &SuiteView) -> String {
    let all = view.rows.len();
    let studies = if all == 1 { "study" } else { "studies" };
    let (finished, failed) = (view.finished(), view.failed());
    let mut text = format!("suite {}: {all} {studies}, {finished} finished", view.record.suite);
    for (many, word) in [(failed, "failed"), (all - finished - failed, "not finished")] {
        if many > 0 {
            text += &format!(", {many} {word}");
        }
    }
    text
}

/// The cells of a study, in the columns of [`HEAD`].
#[must_use]
pub fn cells(row: &SuiteRow) -> [String; 9] {
    let none = || "–".to_owned();
    let begun = row.begun.as_ref();
    let answer = begun.and_then(|begun| begun.answer.as_ref());
    let best = row.score.as_ref().and_then(ScoreRecord::best);
    let last = match (&row.state, answer) {
        (StudyState::Finished, Some(answer)) => answer.configuration.to_string(),
        (StudyState::Finished, None) if row.score.is_some() => {
            row.score.as_ref().map_or_else(none, scores::answer)
        }
        (StudyState::Finished, None) => "nothing valid".to_owned(),
        (state, _) => format!("{}: {}", state.word(), state.reason()),
    };
    [
        row.study.to_string(),
        row.label.clone(),
        answer.map_or_else(none, |answer| size(answer, row.sized.as_ref())),
        answer.map_or_else(none, time),
        answer.and_then(metric).or_else(|| best.map(scored)).unwrap_or_else(none),
        answer.and_then(|a| a.error).map_or_else(none, |error| significant(error, 2)),
        answer.and_then(gain).unwrap_or_else(none),
        begun
            .map(|begun| begun.evaluations)
            .or_else(|| best?.evaluations)
            .map_or_else(none, |evaluations| evaluations.to_string()),
        last,
    ]
}

/// The main value of a comparison of strategies.
fn scored(best: &ScoreRow) -> String {
    format!("{} {}", best.figure, scores::value(best))
}

/// Column titles of [`score_cells`].
pub const SCORE_HEAD: [&str; 6] = ["study", "label", "strategy", "figure", "here", "published"];

/// Values of a comparison next to the published ones, in the columns of [`SCORE_HEAD`].
#[must_use]
pub fn score_cells(row: &SuiteRow) -> Vec<[String; 6]> {
    let cells = |one: scores::BesidePublished<'_>| {
        let published = if one.published.is_empty() { "–" } else { one.published };
        [
            row.study.to_string(),
            row.label.clone(),
            one.row.strategy.clone(),
            scores::named(one.row),
            scores::value(one.row),
            published.to_owned(),
        ]
    };
    scores::shown(row).into_iter().map(cells).collect()
}

/// Published results, and how the spaces differ, as sentences under titles.
#[must_use]
pub fn published(view: &SuiteView) -> Vec<(String, Vec<String>)> {
    let mut sentences = view.record.published.clone();
    let mut differs: Vec<String> = Vec::new();
    differs.extend(Some(view.record.differs.clone()).filter(|text| !text.is_empty()));
    for study in &view.rows {
        let of = |text: &String| format!("{}: {text}", study.label);
        sentences.extend(study.published.texts.iter().map(of));
        let own = &study.published.differs;
        differs.extend(Some(own).filter(|text| !text.is_empty()).map(of));
    }
    let heads = [("Published", sentences), ("What differs", differs)];
    let there = heads.into_iter().filter(|(_, sentences)| !sentences.is_empty());
    there.map(|(head, sentences)| (head.to_owned(), sentences)).collect()
}

/// The size of an answer: `4096`, `4096, at the upper end of a weak knee at 2048`, `knee 4096 (weak)`,
/// `4096, no knee`.
fn size(answer: &StudyAnswer, given: Option<&SizeFrom>) -> String {
    let size = answer.size.map_or("–".to_owned(), grouped);
    let given = given.filter(|given| answer.size == Some(given.size));
    match (answer.sought_knee, answer.knee, answer.confidence) {
        (false, ..) => given.map_or(size.clone(), |given| format!("{size}, {}", given.why)),
        (true, Some(_), Some(word)) => format!("knee {size} ({word})"),
        (true, Some(_), None) => format!("knee {size}"),
        (true, None, _) => format!("{size}, no knee"),
    }
}

fn time(answer: &StudyAnswer) -> String {
    let half = (answer.seconds_interval.1 - answer.seconds_interval.0) / 2.0 / answer.seconds;
    let text = seconds(answer.seconds);
    if half.is_finite() && half > 0.0 { format!("{text} ± {}", percent(half)) } else { text }
}

fn metric(answer: &StudyAnswer) -> Option<String> {
    let value = significant(answer.metric_figure.as_ref()?.value, 4);
    Some(format!("{value} {}", answer.metric.1).trim().to_owned())
}

fn gain(answer: &StudyAnswer) -> Option<String> {
    let about = if answer.gain_is_significant { "" } else { "≈ " };
    Some(format!("{about}{}×", significant(answer.gain?, 3)))
}

/// One line about a study, printed when the study ends.
#[must_use]
pub fn line(view_of: usize, row: &SuiteRow) -> String {
    let [number, label, size, time, metric, error, gain, _, last] = cells(row);
    let head = format!("study     {number} of {view_of}, {label}");
    if row.score.is_some() {
        return format!("{head}: {last}, {metric}");
    }
    if row.begun.as_ref().is_none_or(|begun| begun.answer.is_none()) {
        return format!("{head}: {last}");
    }
    let parts = [("", metric), ("error ", error), ("gain ", gain)];
    let parts = parts.into_iter().filter(|(_, text)| text != "–");
    let parts: String = parts.map(|(before, text)| format!(", {before}{text}")).collect();
    let place = if size == "–" { String::new() } else { format!(" at {size}") };
    format!("{head}: {last}{place}, {time}{parts}")
}

/// Describes an event of the journal in one line.
#[must_use]
pub fn event(record: &SuiteRecord, entry: &Entry<SuiteEvent>) -> String {
    let study = |number: usize| {
        let label = number.checked_sub(1).and_then(|at| Some(&record.studies.get(at)?.label));
        let label = label.map_or_else(String::new, |label| format!(", {label}"));
        format!("study {number} of {}{label}", record.studies.len())
    };
    let what = match &entry.event {
        SuiteEvent::StudyBegan { study: number, folder, sized } => {
            let of = |sized: &SizeFrom| format!(", size {}, {}", sized.size, sized.why);
            let sized = sized.as_ref().map(of).unwrap_or_default();
            format!("{} began in {folder}{sized}", study(*number))
        }
        SuiteEvent::StudyEnded { study: number, how, reason } => match how {
            StudyEnd::Finished => format!("{} finished", study(*number)),
            StudyEnd::Failed => format!("{} failed: {reason}", study(*number)),
            StudyEnd::Interrupted => format!("{} was interrupted", study(*number)),
        },
        SuiteEvent::Resumed { .. } => "the suite was resumed".to_owned(),
        SuiteEvent::Submitted { job, studies } => match studies.as_slice() {
            [one] => format!("{} was submitted as job {job}", study(*one)),
            all => format!("{} studies were submitted as job {job}", all.len()),
        },
        SuiteEvent::Cancelled => "what was in the queue was cancelled".to_owned(),
        SuiteEvent::Finished => "all studies have ended".to_owned(),
    };
    format!("{} {what}", entry.utc.format("%Y-%m-%d %H:%M:%S"))
}

/// All studies as a table, then values of strategies, and published results.
#[must_use]
pub fn lines(view: &SuiteView) -> Vec<String> {
    let mut lines = vec![count(view), String::new()];
    let rows = view.rows.iter().map(|row| cells(row).to_vec());
    lines.extend(aligned(&under(&HEAD, rows), &[1, 8]));
    let figures: Vec<[String; 6]> = view.rows.iter().flat_map(score_cells).collect();
    if !figures.is_empty() {
        lines.push(String::new());
        let figures = figures.into_iter().map(|row| row.to_vec());
        lines.extend(aligned(&under(&SCORE_HEAD, figures), &[1, 2, 3, 4, 5]));
    }
    let repeats: Vec<Vec<String>> = knees_of_repeats(view).map(Vec::from).collect();
    if !repeats.is_empty() {
        lines.push(String::new());
        lines.extend(aligned(&under(&REPEATS_HEAD, repeats.into_iter()), &[0]));
    }
    for (head, sentences) in published(view) {
        lines.extend([String::new(), head.to_lowercase()]);
        lines.extend(sentences.iter().map(|sentence| format!("  {sentence}")));
    }
    lines
}

/// Column titles of [`knees_of_repeats`].
pub const REPEATS_HEAD: [&str; 5] = ["repeats of", "runs", "knees", "median", "time each"];

/// The knees of finished repeats of one study, in the columns of [`REPEATS_HEAD`].
pub fn knees_of_repeats(view: &SuiteView) -> impl Iterator<Item = [String; 5]> {
    let mut groups: Vec<(String, Vec<&BegunStudy>)> = Vec::new();
    for row in view.rows.iter().filter(|row| row.state == StudyState::Finished) {
        let (Some((label, number)), Some(begun)) = (row.label.rsplit_once(" #"), &row.begun) else {
            continue;
        };
        // Each model of a device has knees of its own.
        let device = number.split_once(' ').map_or("", |(_, device)| device);
        let label = format!("{label} {device}").trim_end().to_owned();
        match groups.iter_mut().find(|(known, _)| *known == label) {
            Some((_, all)) => all.push(begun),
            None => groups.push((label, vec![begun])),
        }
    }
    let sought = |begun: &&&BegunStudy| begun.answer.as_ref().is_some_and(|a| a.sought_knee);
    let several = groups.into_iter().filter(move |(_, all)| all.iter().filter(sought).count() > 1);
    several.map(|(label, all)| {
        let knees = all.iter().filter_map(|begun| begun.answer.as_ref()?.knee);
        let mut knees: Vec<u64> = knees.collect();
        knees.sort_unstable();
        let (span, middle) = match (knees.first(), knees.last()) {
            (Some(low), Some(high)) => (
                format!(
                    "{}: {} to {} ({}×)",
                    knees.len(),
                    grouped(*low),
                    grouped(*high),
                    significant(*high as f64 / *low as f64, 3)
                ),
                grouped(knees[knees.len() / 2]),
            ),
            _ => ("none".to_owned(), "–".to_owned()),
        };
        let wall: Vec<f64> = all.iter().map(|begun| begun.wall_seconds).collect();
        [label, all.len().to_string(), span, middle, seconds(math::mean(&wall))]
    })
}

/// Puts a row of titles above the rows.
fn under(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let head = head.iter().map(|&name| name.to_owned()).collect();
    std::iter::once(head).chain(rows).collect()
}
