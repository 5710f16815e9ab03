//! Phrases about repeats, the same on the page and on the terminal.

use records::{
    KneeAgreement, KneeFinding, Repeat, RepeatsRecord, RepeatsView, Spread, StudyState, Wins,
};

use crate::exporters::words::quantities::{grouped, percent, seconds, significant};

fn size(knee: f64) -> String {
    grouped(knee.round().max(0.0) as u64)
}

/// Formats the number of studies and of finished studies.
#[must_use]
pub fn count(view: &RepeatsView) -> String {
    let all = view.record.studies;
    let (finished, studies) = (view.agreement.finished, if all == 1 { "study" } else { "studies" });
    let of = |wanted: fn(&StudyState) -> bool| {
        view.repeats.iter().filter(|repeat| wanted(&repeat.state)).count()
    };
    let mut text = format!("{all} {studies} of one plan, {finished} finished");
    for (many, word) in [
        (of(|state| matches!(state, StudyState::Failed(_))), "failed"),
        (of(|state| matches!(state, StudyState::Unfinished(_))), "not finished"),
    ] {
        if many > 0 {
            text += &format!(", {many} {word}");
        }
    }
    text
}

/// Formats how well a detector's knees agree.
#[must_use]
pub fn knees(agreement: &KneeAgreement, finished: usize) -> String {
    let detector = &agreement.detector;
    let (Some(median), Some((low, high))) = (agreement.median, agreement.range) else {
        return format!("{detector}: none in any of {finished}");
    };
    let found = match agreement.found {
        all if all == finished => String::new(),
        1 => "1 has a knee, ".to_owned(),
        found => format!("{found} have a knee, "),
    };
    let settled = match agreement.settled {
        settled if settled == finished => "all settled".to_owned(),
        settled => format!("{settled} settled"),
    };
    let mut text = format!(
        "{detector}: {} of {finished} studies within one step of the median knee, {}; \
         {found}{settled}",
        agreement.within_one_step,
        size(median)
    );
    if low < high {
        text += &format!("; from {} to {}", size(low), size(high));
        if let Some(steps) = agreement.steps {
            let steps = significant(steps, 2);
            let word = if steps == "1" { "step" } else { "steps" };
            text += &format!(", {steps} {word} apart");
        }
    }
    text
}

/// Formats how often the most frequent winner wins.
#[must_use]
pub fn winner(winners: &[Wins]) -> Option<String> {
    let (first, all) = (winners.first()?, winners.iter().map(|w| w.studies.len()).sum::<usize>());
    let often = first.studies.len();
    Some(match winners.len() {
        1 if all == 1 => first.configuration.to_string(),
        1 => format!("the same in all {all}: {}", first.configuration),
        different if often == 1 => format!("another in each of {different} studies"),
        different => {
            format!("the same in {often} of {all}, {different} in all: {}", first.configuration)
        }
    })
}

/// Formats the spread of the winners' values.
#[must_use]
pub fn spread(spread: &Spread) -> String {
    let value = |value: f64| match spread.unit.as_str() {
        "s" => seconds(value),
        "" => significant(value, 4),
        unit => format!("{} {unit}", significant(value, 4)),
    };
    let mut text = format!("{} of the winners: median {}", spread.metric, value(spread.median));
    if spread.range.0 < spread.range.1 {
        let (low, high) = (value(spread.range.0), value(spread.range.1));
        text += &format!(", from {low} to {high}: a spread of {}", percent(spread.relative));
    }
    text
}

/// Returns what the first detector found in a finished study.
fn finding<'a>(record: &RepeatsRecord, repeat: &'a Repeat) -> Option<&'a KneeFinding> {
    let detector = record.plan.settings.detectors.first()?;
    repeat.finding(detector).filter(|_| repeat.state == StudyState::Finished)
}

/// Returns the knee that a study's cells show.
#[must_use]
pub fn knee(record: &RepeatsRecord, repeat: &Repeat) -> Option<f64> {
    finding(record, repeat)?.knee.map(f64::round)
}

/// Returns the cells of a study: number, knee, interval, confidence, metric, size, seconds, and
/// winner or reason.
#[must_use]
pub fn cells(record: &RepeatsRecord, repeat: &Repeat) -> [String; 8] {
    let none = || "–".to_owned();
    let finding = finding(record, repeat);
    let winner = repeat.winner.as_ref();
    let last = match (&repeat.state, winner) {
        (StudyState::Finished, Some(winner)) => winner.configuration.to_string(),
        (StudyState::Finished, None) => "nothing valid".to_owned(),
        (state, _) => format!("{}: {}", state.word(), state.reason()),
    };
    [
        repeat.study.to_string(),
        finding.map_or_else(none, |f| f.knee.map_or_else(|| "none".to_owned(), size)),
        finding
            .and_then(|f| f.interval)
            .map_or_else(none, |(low, high)| format!("{} to {}", size(low), size(high))),
        finding.map_or_else(none, |f| match (f.knee, repeat.accepted, f.confidence.as_str()) {
            (Some(_), None, _) => "not accepted".to_owned(),
            (_, _, "") => none(),
            (Some(_), ..) if !repeat.confirmed => "not confirmed".to_owned(),
            (_, _, word) => word.to_owned(),
        }),
        winner.and_then(|w| w.metric).map_or_else(none, |value| significant(value, 4)),
        winner.map_or_else(none, |w| grouped(w.size)),
        repeat.seconds.map_or_else(none, |taken| significant(taken, 3)),
        last,
    ]
}

/// Formats a study as one line, printed when it ends.
#[must_use]
pub fn line(record: &RepeatsRecord, repeat: &Repeat) -> String {
    let [number, knee, interval, confidence, figure, at, taken, last] = cells(record, repeat);
    let head = format!("study     {number} of {}", record.studies);
    if repeat.winner.is_none() {
        return format!("{head}: {last}");
    }
    let mut text = format!("{head}: knee {knee}");
    for (part, (before, after)) in [(interval, (" (", ")")), (confidence, (", ", ""))] {
        if !["–", "none"].contains(&part.as_str()) {
            text += &format!("{before}{part}{after}");
        }
    }
    let unit = &record.plan.benchmark.secondary.unit;
    let figure = if figure == "–" { String::new() } else { format!(", {figure} {unit}") };
    format!("{text}; best at {at}: {last}{figure}; {taken} s")
}

/// Formats all studies as a table, and their agreement.
#[must_use]
pub fn lines(view: &RepeatsView) -> Vec<String> {
    let plan = &view.record.plan;
    let name = format!("{} on {}: {}", plan.benchmark.name, plan.device.name, count(view));
    let mut lines = vec![name, String::new()];
    let unit = plan.benchmark.secondary.unit.clone();
    let head =
        ["study", "knee", "95 % interval", "confidence", &unit, "at size", "seconds", "winner"];
    let rows = std::iter::once(head.map(str::to_owned));
    for row in rows.chain(view.repeats.iter().map(|repeat| cells(&view.record, repeat))) {
        let [number, knee, interval, confidence, figure, at, taken, last] = row;
        lines.push(format!(
            "{number:>6} {knee:>13} {interval:>26} {confidence:>12} {figure:>9} {at:>13} {taken:>8}  \
             {last}"
        ));
    }
    lines.push(String::new());
    lines.extend(together(view).into_iter().map(|(word, text)| format!("{word:<10}{text}")));
    lines
}

/// Returns the agreement of the studies, as pairs of a label and a phrase.
#[must_use]
pub fn together(view: &RepeatsView) -> Vec<(&'static str, String)> {
    let agreement = &view.agreement;
    if agreement.finished < 2 {
        let finished = agreement.finished;
        let text = format!("it takes two finished studies, and there is {finished}");
        return vec![("agreement", text.replace("is 0", "is none"))];
    }
    let knees = agreement.knees.iter().map(|knee| ("knees", knees(knee, agreement.finished)));
    let winner = winner(&agreement.winners).map(|text| ("winner", text));
    let figure = agreement.figure.as_ref().map(|figure| ("figure", spread(figure)));
    knees.chain(winner).chain(figure).collect()
}

#[cfg(test)]
mod tests {
    use records::Named;

    use super::*;

    #[test]
    fn knees_say_how_many_agree_and_how_far_apart_they_are() {
        let mut agreement = KneeAgreement {
            detector: "kneedle".to_owned(),
            found: 5,
            settled: 5,
            median: Some(65_536.0),
            range: Some((65_536.0, 65_536.0)),
            within_one_step: 5,
            steps: Some(0.0),
        };
        assert_eq!(
            knees(&agreement, 5),
            "kneedle: 5 of 5 studies within one step of the median knee, 65\u{a0}536; all settled"
        );
        agreement.range = Some((4096.0, 65_536.0));
        (agreement.steps, agreement.within_one_step, agreement.settled) = (Some(4.0), 3, 2);
        assert_eq!(
            knees(&agreement, 6),
            "kneedle: 3 of 6 studies within one step of the median knee, 65\u{a0}536; 5 have a \
             knee, 2 settled; from 4096 to 65\u{a0}536, 4 steps apart"
        );
        let none = KneeAgreement { detector: "kneedle".to_owned(), ..KneeAgreement::default() };
        assert_eq!(knees(&none, 3), "kneedle: none in any of 3");
    }

    #[test]
    fn winners_say_how_often_the_same_one_wins() {
        let wins = |block: i64, studies: &[u32]| Wins {
            configuration: Named(vec![("block".to_owned(), block.into())]),
            studies: studies.to_vec(),
        };
        assert_eq!(winner(&[]), None);
        assert_eq!(winner(&[wins(64, &[1, 2, 3])]).unwrap(), "the same in all 3: block=64");
        let some = winner(&[wins(64, &[1, 3]), wins(32, &[2])]).unwrap();
        assert_eq!(some, "the same in 2 of 3, 2 in all: block=64");
        let none = winner(&[wins(64, &[1]), wins(32, &[2])]).unwrap();
        assert_eq!(none, "another in each of 2 studies");
    }

    #[test]
    fn a_spread_is_relative_to_the_median() {
        let mut figure = Spread {
            metric: "bandwidth".to_owned(),
            unit: "GB/s".to_owned(),
            median: 20.0,
            range: (19.0, 21.0),
            relative: 0.1,
        };
        let text =
            "bandwidth of the winners: median 20 GB/s, from 19 GB/s to 21 GB/s: a spread of 10 %";
        assert_eq!(spread(&figure), text);
        figure.range = (20.0, 20.0);
        assert_eq!(spread(&figure), "bandwidth of the winners: median 20 GB/s");
    }
}
