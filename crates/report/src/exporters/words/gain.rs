//! Phrases about gains over the default configuration.

use records::{Gain, PreciseBest, SizeClosed};

use super::quantities::significant;

pub(super) fn times(factor: f64) -> String {
    format!("{}×", significant(factor, 3))
}

pub(super) fn interval((low, high): (f64, f64)) -> String {
    format!("95 % interval {} to {}", significant(low, 3), significant(high, 3))
}

/// Formats an interval: ` (1.59 to 1.64)`.
fn bounds(interval: Option<(f64, f64)>) -> String {
    let text = |(low, high)| format!(" ({} to {})", significant(low, 3), significant(high, 3));
    interval.map_or_else(String::new, text)
}

/// Formats the speed-up of the best configuration over the default as a sentence.
#[must_use]
pub fn sentence(closed: &SizeClosed) -> String {
    match closed.gained() {
        Gain::Unknown => "unknown: the default could not be measured".to_owned(),
        Gain::Default => "none: this is the default configuration".to_owned(),
        Gain::Insignificant { factor, interval } => format!(
            "no significant difference from the default, {} its speed{}",
            times(factor),
            bounds(Some(interval))
        ),
        Gain::Significant { factor, interval } => {
            format!("{} the speed of the default{}", times(factor), bounds(interval))
        }
    }
}

/// Formats the speed-up over full precision as a sentence.
#[must_use]
pub fn over_precise(precise: &PreciseBest) -> String {
    let Some(factor) = precise.gain else {
        return format!(
            "unknown over full precision: none of {} such configurations satisfies the bounds",
            precise.evaluations
        );
    };
    let (factor, bounds) = (times(factor), bounds(precise.gain_interval));
    match precise.gain_interval {
        Some((low, high)) if low <= 1.0 && high >= 1.0 => {
            format!("no significant difference from the best in full precision{bounds}")
        }
        _ => format!("{factor} the speed of the best in full precision{bounds}{}", faster(precise)),
    }
}

/// Formats both speed-ups, a sentence each.
#[must_use]
pub fn both(closed: &SizeClosed, precise: Option<&PreciseBest>) -> String {
    let sentences = std::iter::once(sentence(closed)).chain(precise.map(over_precise));
    sentences.collect::<Vec<_>>().join("; ")
}

/// Returns a remark if full precision is faster than the search's best configuration.
fn faster(precise: &PreciseBest) -> &'static str {
    let high = precise.gain_interval.map_or(precise.gain, |(_, high)| Some(high));
    if high.is_some_and(|high| high < 1.0) { ", which is faster" } else { "" }
}

/// Returns the large and the small text of a card with the speed-up over full precision; `None` if
/// it is unknown.
#[must_use]
pub fn precise_card(precise: &PreciseBest) -> Option<(String, String)> {
    let (factor, bounds) = (precise.gain?, precise.gain_interval);
    let more = bounds.map_or_else(String::new, |b| format!(", {}", interval(b)));
    let than = "the speed of the best with full precision everywhere";
    Some((times(factor), format!("{than}{more}{}", faster(precise))))
}

/// Returns the large and the small text of a card with the speed-up; `None` if it is unknown.
#[must_use]
pub fn card(closed: &SizeClosed) -> Option<(String, String)> {
    const THAN: &str = "the speed of the default configuration";
    Some(match closed.gained() {
        Gain::Unknown => return None,
        Gain::Default => ("none".to_owned(), "this is the default configuration".to_owned()),
        Gain::Insignificant { factor, interval: bounds } => (
            "no significant difference".to_owned(),
            format!("{} {THAN}, {}", times(factor), interval(bounds)),
        ),
        Gain::Significant { factor, interval: bounds } => {
            let bounds = bounds.map_or_else(String::new, |b| format!(", {}", interval(b)));
            (times(factor), format!("{THAN}{bounds}"))
        }
    })
}

/// Formats the speed-up for a cell of a table: `1.37×`, or `≈ 1×` if the interval contains 1.
#[must_use]
pub fn cell(closed: Option<&SizeClosed>) -> String {
    match closed.map_or(Gain::Unknown, SizeClosed::gained) {
        Gain::Unknown => "–".to_owned(),
        Gain::Default => "1×".to_owned(),
        Gain::Insignificant { .. } => "≈ 1×".to_owned(),
        Gain::Significant { factor, .. } => times(factor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(gain: f64, gain_interval: Option<(f64, f64)>) -> SizeClosed {
        SizeClosed { gain: Some(gain), gain_interval, ..SizeClosed::default() }
    }

    #[test]
    fn a_gain_that_may_be_none_is_no_headline() {
        let chance = closed(4.27, Some((0.195, 13.5)));
        assert!(
            sentence(&chance).starts_with("no significant difference"),
            "{}",
            sentence(&chance)
        );
        let (large, small) = card(&chance).expect("a card");
        assert!(!large.contains("4.27") && small.contains("0.195 to 13.5"), "{large}: {small}");
        assert_eq!(cell(Some(&chance)), "≈ 1×");
    }

    #[test]
    fn a_gain_has_its_interval_or_a_reason() {
        assert_eq!(sentence(&closed(1.5, None)), "1.5× the speed of the default");
        let sure = closed(1.5, Some((1.4, 1.6)));
        assert!(sentence(&sure).ends_with("(1.4 to 1.6)"), "{}", sentence(&sure));
        assert_eq!(card(&sure).map(|(large, _)| large), Some("1.5×".to_owned()));
        assert!(sentence(&SizeClosed::default()).starts_with("unknown"));
        assert_eq!((card(&SizeClosed::default()), cell(None)), (None, "–".to_owned()));
    }

    #[test]
    fn what_is_told_of_default_and_full_precision_is_no_contradiction() {
        let figure = records::Figure {
            configuration: records::Named::default(),
            seconds: records::Summary::of(&[1e-3]).expect("a sample"),
            metric: None,
            error: None,
            unsettled: false,
            metrics: [].into(),
        };
        let default =
            SizeClosed { best: Some(figure.clone()), default: Some(figure), ..closed(1.0, None) };
        let precise = |gain: f64, low: f64, high: f64| PreciseBest {
            gain: Some(gain),
            gain_interval: Some((low, high)),
            ..PreciseBest::default()
        };
        let slower = both(&default, Some(&precise(0.752, 0.74, 0.76)));
        assert_eq!(
            slower,
            "none: this is the default configuration; 0.752× the speed of the best in full \
             precision (0.74 to 0.76), which is faster"
        );
        let quicker = both(&closed(1.5, Some((1.4, 1.6))), Some(&precise(1.94, 1.92, 1.96)));
        assert!(!quicker.contains("which is faster"), "{quicker}");
        let same = both(&closed(1.5, None), Some(&precise(1.01, 0.98, 1.03)));
        assert!(same.ends_with(
            "; no significant difference from the best in full precision (0.98 to 1.03)"
        ));
    }
}
