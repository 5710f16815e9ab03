//! Phrases about gains over the default configuration.

use super::quantities::significant;
use crate::records::{Gain, PreciseBest, SizeClosed};

pub(super) fn times(factor: f64) -> String {
    format!("{}×", significant(factor, 3))
}

pub(super) fn interval((low, high): (f64, f64)) -> String {
    format!("95 % interval {} to {}", significant(low, 3), significant(high, 3))
}

/// The speed-up of the best over the default, in a sentence.
#[must_use]
pub fn sentence(closed: &SizeClosed) -> String {
    match closed.gained() {
        Gain::Unknown => "unknown: the default configuration could not be measured".to_owned(),
        Gain::Default => "none: the default configuration is the best".to_owned(),
        Gain::Insignificant { factor, interval: bounds } => format!(
            "no significant difference from the default configuration ({} its speed, {})",
            times(factor),
            interval(bounds)
        ),
        Gain::Significant { factor, interval: bounds } => {
            let bounds = bounds.map_or_else(String::new, |b| format!(" ({})", interval(b)));
            format!("{} the speed of the default configuration{bounds}", times(factor))
        }
    }
}

/// The speed-up over full precision, in a sentence.
#[must_use]
pub fn over_precise(precise: &PreciseBest) -> String {
    let Some(factor) = precise.gain else {
        return format!(
            "unknown over full precision: none of {} such configurations satisfies the bounds",
            precise.evaluations
        );
    };
    let bounds = precise.gain_interval.map_or_else(String::new, |b| format!(" ({})", interval(b)));
    match precise.gain_interval {
        Some((low, high)) if low <= 1.0 && high >= 1.0 => format!(
            "no significant difference from the best with full precision everywhere{bounds}"
        ),
        _ => format!(
            "{} the speed of the best with full precision everywhere{bounds}",
            times(factor)
        ),
    }
}

/// The speed-up over full precision for a card; `None` if unknown.
#[must_use]
pub fn precise_card(precise: &PreciseBest) -> Option<(String, String)> {
    let (factor, bounds) = (precise.gain?, precise.gain_interval);
    let more = bounds.map_or_else(String::new, |b| format!(", {}", interval(b)));
    let than = "the speed of the best with full precision everywhere";
    Some((times(factor), format!("{than}{more}")))
}

/// The speed-up for a card: its large and its small text; `None` if unknown.
#[must_use]
pub fn card(closed: &SizeClosed) -> Option<(String, String)> {
    const THAN: &str = "the speed of the default configuration";
    Some(match closed.gained() {
        Gain::Unknown => return None,
        Gain::Default => ("none".to_owned(), "the default configuration is the best".to_owned()),
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

/// The speed-up for a cell of a table: `1.37×`, or `≈ 1×` if the interval holds 1.
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
        assert_eq!(sentence(&closed(1.5, None)), "1.5× the speed of the default configuration");
        let sure = closed(1.5, Some((1.4, 1.6)));
        assert!(sentence(&sure).ends_with("(95 % interval 1.4 to 1.6)"), "{}", sentence(&sure));
        assert_eq!(card(&sure).map(|(large, _)| large), Some("1.5×".to_owned()));
        assert!(sentence(&SizeClosed::default()).starts_with("unknown"));
        assert_eq!((card(&SizeClosed::default()), cell(None)), (None, "–".to_owned()));
    }
}
