//! Phrases about a study's answers, the same on pages, in tables and on the terminal.

pub mod aligned;
pub mod answer;
pub mod ceilings;
pub mod conditions;
pub mod gain;
pub mod knee;
pub mod knee_answer;
pub mod levels;
pub mod quantities;
pub mod stages;
pub mod thresholds;
pub mod trade_offs;
pub mod tried;

use records::{Figure, KneeWhenSlower, OtherTempo, StudyRecord, StudyView, Summary, Tempos};

use self::{
    knee_answer::whole,
    quantities::{grouped, percent, seconds, significant},
};

/// A time with half its 95 % interval, or with the number of samples if these are too few for one.
fn interval(summary: &Summary) -> String {
    let median = seconds(summary.median);
    match summary.count {
        1 => format!("{median} (1 sample)"),
        2 => format!("{median} (2 samples)"),
        _ => {
            let (low, high) = summary.interval;
            let share = (high - low) / 2.0 / summary.median;
            match share > 1.0 {
                // A share of several hundred percent says less than its ends.
                true => format!("{median} ({} to {})", seconds(low), seconds(high)),
                false => format!("{median} ± {}", percent(share)),
            }
        }
    }
}

/// Time of a figure with its uncertainty: `1.25 ms ± 2 %, unsettled`.
#[must_use]
pub fn time(figure: &Figure) -> String {
    let flag = if figure.unsettled { ", unsettled" } else { "" };
    interval(&figure.seconds) + flag
}

/// A figure in words: time, metric, error.
#[must_use]
pub fn figure(record: &StudyRecord, figure: &Figure) -> String {
    let mut text = time(figure);
    if let Some(metric) = &figure.metric {
        let unit = &record.benchmark.secondary.unit;
        let (low, high) = metric.interval;
        text += &format!(
            ", {} {unit} ({} to {})",
            significant(metric.value, 4),
            significant(low, 4),
            significant(high, 4)
        );
    }
    if let Some(error) = figure.error {
        text += &format!(", error {} ({})", significant(error, 2), record.benchmark.error.0);
    }
    text
}

/// A sentence on the rounds that did not count since the machine had another tempo, if there are any.
#[must_use]
pub fn tempos(view: &StudyView) -> Option<String> {
    let tempos = Tempos::of(view.answer_rounds())?;
    let more = |other: &OtherTempo| other.rounds;
    let other = [tempos.faster, tempos.slower].into_iter().flatten().max_by_key(more)?;
    let (factor, word) = match other.seconds > tempos.seconds {
        true => (other.seconds / tempos.seconds, "slower"),
        false => (tempos.seconds / other.seconds, "faster"),
    };
    let slow = tempos.slow.len();
    let of_it = if word == "slower" { slow } else { tempos.left_out.len() - slow };
    let (left_out, rounds) = (of_it as u64, tempos.rounds as u64);
    let (left_out, rounds, times) = (grouped(left_out), grouped(rounds), significant(factor, 2));
    if word == "slower" && tempos.waited() {
        return Some(format!(
            "in {left_out} of {rounds} rounds a copy took {times}× as long, as if it had waited for a core \
             that others used; these rounds do not count"
        ));
    }
    let slower = view.knees.iter().find_map(|finding| finding.when_slower);
    let otherwise = match slower.filter(|_| word == "slower") {
        Some(KneeWhenSlower { knee, interval: (low, high) }) => format!(
            "by themselves they have the knee at {} ({} to {})",
            whole(knee),
            whole(low),
            whole(high)
        ),
        None => "a study at that tempo may answer otherwise".to_owned(),
    };
    Some(format!(
        "in {left_out} of {rounds} rounds the machine's memory was {times}× {word}, as if others used it \
         at one time and not at the other; these rounds do not count, and {otherwise}"
    ))
}

/// A sentence on unsettled figures, if there are any.
#[must_use]
pub fn unsettled(view: &StudyView) -> Option<String> {
    let all = view.measured().count();
    let unsettled = view.measured().filter(|(_, figure)| figure.unsettled).count();
    (unsettled > 0).then(|| {
        format!(
            "the figures of {unsettled} of {} are unsettled: time ran out before they were precise",
            quantities::counted(all, "size")
        )
    })
}

#[cfg(test)]
mod tests {
    use records::{SizeClosed, SizePoint, TrialCounts};

    use super::*;

    fn unsettled_figure() -> Figure {
        Figure {
            configuration: records::Named::default(),
            seconds: Summary::of(&[1e-3]).unwrap(),
            metric: None,
            error: Some(0.012),
            unsettled: true,
            metrics: [].into(),
        }
    }

    #[test]
    fn an_unsettled_figure_says_so() {
        let best = unsettled_figure();
        assert_eq!(time(&best), "1 ms (1 sample), unsettled");
        let closed = SizeClosed { best: Some(best), ..SizeClosed::default() };
        let counts = TrialCounts::default();
        let point = SizePoint { size: 4096, opened: None, counts, closed: Some(closed) };
        let view = StudyView { sizes: vec![point], ..StudyView::default() };
        assert!(unsettled(&view).unwrap().contains("1 of 1 size are unsettled"));
        assert_eq!(unsettled(&StudyView::default()), None);
    }

    #[test]
    fn an_interval_that_is_wider_than_the_time_is_told_by_its_ends() {
        let narrow =
            Summary { interval: (0.9e-3, 1.1e-3), count: 9, ..Summary::of(&[1e-3]).unwrap() };
        assert_eq!(interval(&narrow), "1 ms ± 10 %");
        let wide = Summary { interval: (0.5e-3, 9e-3), ..narrow };
        assert_eq!(interval(&wide), "1 ms (500 µs to 9 ms)");
    }
}
