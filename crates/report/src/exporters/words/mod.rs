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

use std::collections::BTreeSet;

use records::{Figure, StudyRecord, StudyView, Summary, uncertainty};

use self::quantities::{grouped, percent, seconds, significant};

/// Formats a size for tables; a dash if the study's sizes are no numbers.
#[must_use]
pub fn size(record: &StudyRecord, size: u64) -> String {
    record.size(size).map_or("–".to_owned(), grouped)
}

/// Formats at which size something is, after a space; empty if the study's sizes are no numbers.
#[must_use]
pub fn at_size(record: &StudyRecord, size: u64) -> String {
    record.size(size).map_or(String::new(), |size| format!(" at size {}", grouped(size)))
}

/// Formats a time with half its 95 % interval, or with the number of samples if they are too few
/// for an interval.
fn interval(summary: &Summary) -> String {
    let median = seconds(summary.median);
    match summary.count {
        1 => format!("{median} (1 sample)"),
        2 => format!("{median} (2 samples)"),
        _ => {
            let (low, high) = summary.interval;
            let share = (high - low) / 2.0 / summary.median;
            match share > 1.0 {
                // The ends of the interval say more than a share above 100 %.
                true => format!("{median} ({} to {})", seconds(low), seconds(high)),
                false => format!("{median} ± {}", percent(share)),
            }
        }
    }
}

/// Formats the time of a `Figure` with its uncertainty: `1.25 ms ± 2 %, unsettled`.
#[must_use]
pub fn time(figure: &Figure) -> String {
    let flag = if figure.unsettled { ", unsettled" } else { "" };
    interval(&figure.seconds) + flag
}

/// Formats a `Figure`: its time, metric and error, and what else the study's objectives and bounds
/// name.
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
    for metric in asked(record) {
        if let Some(value) = figure.metrics.get(metric) {
            let uncertainty = uncertainty(&figure.metrics, metric);
            let value = trade_offs::with_uncertainty(metric, *value, uncertainty);
            text += format!(", {metric} {value} {}", record.benchmark.unit(metric)).trim_end();
        }
    }
    if let Some(error) = figure.error {
        text += &format!(", error {}", significant(error, 2));
        let metric = &record.benchmark.error.0;
        if !metric.is_empty() {
            text += &format!(" ({metric})");
        }
    }
    text
}

/// Names of the metrics of objectives and bounds that a `Figure` has no field for, each once.
fn asked(record: &StudyRecord) -> BTreeSet<&str> {
    let objectives = record.settings.objectives().map(|objective| objective.metric.as_str());
    let bounds = record.settings.bounds.iter().map(|bound| bound.metric.as_str());
    let shown =
        |name: &&str| !["error", "seconds", &record.benchmark.secondary.name].contains(name);
    objectives.chain(bounds).filter(shown).collect()
}

/// Returns a sentence on unsettled run times, if there are any.
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
