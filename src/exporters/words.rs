//! Answers of a study as phrases, the same on pages, in tables and on the terminal.

use super::quantities::{grouped, percent, seconds, significant};
use crate::records::{Figure, KneeFinding, SizeClosed, StudyRecord, StudyView, Summary};

/// A time with half its 95 % interval, or with the number of samples where that says nothing.
fn interval(summary: &Summary) -> String {
    let median = seconds(summary.median);
    match summary.count {
        1 => format!("{median} (1 sample)"),
        2 => format!("{median} (2 samples)"),
        _ => {
            let half = (summary.interval.1 - summary.interval.0) / 2.0;
            format!("{median} ± {}", percent(half / summary.median))
        }
    }
}

/// The time of a figure with its uncertainty: `1.25 ms ± 2 %, unsettled`.
#[must_use]
pub fn time(figure: &Figure) -> String {
    let flag = if figure.unsettled { ", unsettled" } else { "" };
    interval(&figure.seconds) + flag
}

/// Everything a figure says: time, metric, error.
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

/// How much faster the best is than the default.
#[must_use]
pub fn gain(closed: &SizeClosed) -> String {
    let Some(gain) = closed.gain else {
        return "unknown: the default configuration could not be measured".to_owned();
    };
    let interval = closed.gain_interval.map_or_else(String::new, |(low, high)| {
        format!(" (95 % interval {} to {})", significant(low, 3), significant(high, 3))
    });
    format!("{}× the speed of the default configuration{interval}", significant(gain, 3))
}

/// What a detector found.
#[must_use]
pub fn knee(finding: &KneeFinding) -> String {
    let whole = |v: f64| grouped(v.round().max(0.0) as u64);
    let Some(knee) = finding.knee else {
        return format!("none by {}: {}", finding.detector, finding.why);
    };
    let mut text = format!("{} by {}", whole(knee), finding.detector);
    if let Some((low, high)) = finding.interval {
        text += &format!(", 95 % interval {} to {}", whole(low), whole(high));
    }
    if let Some(share) = finding.share {
        text += &format!(", {} of the best", percent(share));
    }
    text
}

/// A sentence on figures whose time ran out before they were precise, if there are any.
#[must_use]
pub fn unsettled(view: &StudyView) -> Option<String> {
    let all = view.measured().count();
    let unsettled = view.measured().filter(|(_, figure)| figure.unsettled).count();
    (unsettled > 0).then(|| {
        format!(
            "the figures of {unsettled} of {all} sizes are unsettled: time ran out before they \
             were precise"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Counts, SizePoint};

    fn unsettled_figure() -> Figure {
        Figure {
            configuration: crate::records::Named::default(),
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
        let counts = Counts::default();
        let point = SizePoint { size: 4096, opened: None, counts, closed: Some(closed) };
        let view = StudyView { sizes: vec![point], ..StudyView::default() };
        assert!(unsettled(&view).unwrap().contains("1 of 1 sizes are unsettled"));
        assert_eq!(unsettled(&StudyView::default()), None);
    }

    #[test]
    fn a_gain_has_its_interval_or_a_reason() {
        let closed = SizeClosed { gain: Some(1.5), ..SizeClosed::default() };
        assert_eq!(gain(&closed), "1.5× the speed of the default configuration");
        assert!(gain(&SizeClosed::default()).starts_with("unknown"));
    }
}
