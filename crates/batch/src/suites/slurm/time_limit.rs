//! Time limits in SLURM's format.

/// Seconds before the time limit at which SLURM signals an element to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Margin(pub u32);

impl Default for Margin {
    fn default() -> Self {
        Self(60)
    }
}

impl Margin {
    /// The margin for a time limit in seconds: at most a quarter of the limit.
    #[must_use]
    pub fn under(limit: u64) -> Self {
        Self(Self::default().0.min(u32::try_from(limit / 4).unwrap_or(u32::MAX)).max(1))
    }
}

/// Reads a time limit in seconds: `MINUTES`, `MINUTES:SECONDS` or `HOURS:MINUTES:SECONDS`; or
/// `DAYS-` followed by `HOURS`, `HOURS:MINUTES` or `HOURS:MINUTES:SECONDS`.
///
/// # Errors
/// If the text has another format. The error is one sentence.
pub fn time_limit(text: &str) -> Result<u64, String> {
    let fault = || {
        format!("`{text}` is no time limit; write minutes, or HOURS:MINUTES:SECONDS, or DAYS-HOURS")
    };
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<u64>().map_err(|_| fault())?), rest),
        None => (None, text),
    };
    let parts: Result<Vec<u64>, _> = rest.split(':').map(str::parse).collect();
    let parts = parts.map_err(|_| fault())?;
    // After days, the first number counts hours.
    let (hours, minutes, seconds) = match (days, parts.as_slice()) {
        (None, &[minutes]) => (0, minutes, 0),
        (None, &[minutes, seconds]) => (0, minutes, seconds),
        (Some(_), &[hours]) => (hours, 0, 0),
        (Some(_), &[hours, minutes]) => (hours, minutes, 0),
        (_, &[hours, minutes, seconds]) => (hours, minutes, seconds),
        _ => return Err(fault()),
    };
    let total = [(days.unwrap_or(0), 86_400), (hours, 3600), (minutes, 60), (seconds, 1)];
    let total = total
        .into_iter()
        .try_fold(0_u64, |total, (many, of)| total.checked_add(many.checked_mul(of)?));
    total.filter(|&total| total > 0).ok_or_else(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_slurm_reads_them() {
        for (text, seconds) in [
            ("1", 60),
            ("1:30", 90),
            ("2:00:05", 7205),
            ("1-0", 86_400),
            ("1-2:30", 95_400),
            ("1-0:0:1", 86_401),
        ] {
            assert_eq!(time_limit(text), Ok(seconds), "{text}");
        }
        for text in ["", "0", "1h", "1:2:3:4", "-1", "99999999999999999999", "9999999999999999-0"] {
            assert!(time_limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_short_limit_leaves_most_of_itself() {
        assert_eq!([60, 240, 36_000].map(|limit| Margin::under(limit).0), [15, 60, 60]);
    }
}
