//! Formats numbers for readers.

/// Formats a number with three significant digits and an SI prefix: `1.5k`, `2M`, `340`.
#[must_use]
pub fn si(value: f64) -> String {
    const LETTERS: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    if !value.is_finite() {
        return "–".to_owned();
    }
    let mut step = 0;
    let mut scaled = value;
    while scaled.abs() >= 999.5 && step + 1 < LETTERS.len() {
        scaled /= 1000.0;
        step += 1;
    }
    significant(scaled, 3) + LETTERS[step]
}

/// Formats a count: exact if it is short, otherwise with an SI prefix.
#[must_use]
pub fn count(value: f64) -> String {
    if value.abs() < 99_999.5 { significant(value, 5) } else { si(value) }
}

/// Formats a number with this many significant digits, without trailing zeros.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value.abs() < f64::MIN_POSITIVE {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..=15).contains(&magnitude) {
        let text = format!("{value:.*e}", digits.saturating_sub(1));
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = if mantissa.contains('.') {
            mantissa.trim_end_matches('0').trim_end_matches('.')
        } else {
            mantissa
        };
        return format!("{mantissa}e{exponent}");
    }
    let decimals = usize::try_from(digits as i32 - 1 - magnitude).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Formats a time with three significant digits: `1.25 ms`.
#[must_use]
pub fn seconds(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value.abs() < f64::MIN_POSITIVE {
        return "0 s".to_owned();
    }
    for (unit, factor) in [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)] {
        if value.abs() < 999.5 * factor {
            return format!("{} {unit}", significant(value / factor, 3));
        }
    }
    if value < 600.0 {
        return format!("{} s", significant(value, 3));
    }
    format!("{} min", significant(value / 60.0, 3))
}

/// Formats an estimated time: `43 s`, `12 min`, `3 hours`.
#[must_use]
pub fn rough_time(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s => counted((s / 3600.0).round() as usize, "hour"),
    }
}

/// Formats an amount of memory: `1.5 GiB`.
#[must_use]
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut step = 0;
    let mut scaled = value;
    while scaled.abs() >= 1000.0 && step + 1 < UNITS.len() {
        scaled /= 1024.0;
        step += 1;
    }
    format!("{} {}", significant(scaled, 3), UNITS[step])
}

/// Formats a whole number in groups of three digits: `1 048 576`.
#[must_use]
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of things: `1 size`, `12 sizes`.
#[must_use]
pub fn counted(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{} {what}{end}", grouped(count as u64))
}

/// Formats a share as a percentage: `94 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{} %", significant(100.0 * share, if share.abs() < 0.1 { 2 } else { 3 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_letter() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (999.4, "999"),
            (999.6, "1k"),
            (1500.0, "1.5k"),
            (1_048_576.0, "1.05M"),
            (2e9, "2G"),
            (0.25, "0.25"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(si(value), text);
        }
    }

    #[test]
    fn times_choose_their_unit() {
        for (value, text) in [
            (1.25e-3, "1.25 ms"),
            (9.996e-4, "1 ms"),
            (5e-8, "50 ns"),
            (2.0, "2 s"),
            (1200.0, "20 min"),
        ] {
            assert_eq!(seconds(value), text);
        }
    }

    #[test]
    fn estimates_are_told_in_whole_units() {
        for (seconds, words) in
            [(0.4, "0 s"), (43.2, "43 s"), (240.0, "4 min"), (3.0 * 3600.0, "3 hours")]
        {
            assert_eq!(rough_time(seconds), words);
        }
    }

    #[test]
    fn other_quantities_are_readable() {
        assert_eq!(count(4096.0), "4096");
        assert_eq!(count(1_048_576.0), "1.05M");
        assert_eq!(bytes(1_610_612_736.0), "1.5 GiB");
        assert_eq!(grouped(1_048_576), "1\u{a0}048\u{a0}576");
        assert_eq!(grouped(4096), "4096");
        assert_eq!(percent(0.945), "94.5 %");
        assert_eq!((counted(1, "size"), counted(0, "trial")), ("1 size".into(), "0 trials".into()));
        assert_eq!(significant(0.000_012_3, 3), "1.23e-5");
        assert_eq!(significant(3.1e-8, 3), "3.1e-8");
        assert_eq!(significant(1e300, 1), "1e300");
    }
}
