//! Waiting before a server is asked again.

use std::{
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use math::seeded;
use rand::RngExt;

/// Longest wait that this program chooses, in seconds.
const LONGEST: f64 = 60.0;
/// Interval between checks whether the user wants to stop.
pub(super) const LOOK: Duration = Duration::from_millis(50);
/// Random stream of waits, separate from an answer's other random numbers.
const STREAM: u64 = 0x3A17;

/// The wait before try `tries + 1`. It doubles every time, and a random part of up to half is taken
/// off, so that many programs do not return together.
pub(super) fn backoff(first: f64, tries: u64, seed: u64) -> Duration {
    let longest = first * 2.0_f64.powi(i32::try_from(tries.min(64)).unwrap_or(64) - 1);
    let share = 0.5 + 0.5 * seeded(seed, STREAM + tries).random::<f64>();
    Duration::from_secs_f64((longest.min(LONGEST) * share).max(0.0))
}

/// Waits for this long; `false` if the user stopped earlier.
pub(super) fn slept(wait: Duration, stopped: &(dyn Fn() -> bool + Sync)) -> bool {
    let begun = Instant::now();
    loop {
        let left = wait.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return true;
        }
        if stopped() {
            return false;
        }
        thread::sleep(left.min(LOOK));
    }
}

/// The wait that a server's header `Retry-After` asks for: in seconds, or as a date.
pub(super) fn asked(header: &str, now: DateTime<Utc>) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = DateTime::parse_from_rfc2822(header).ok()?.to_utc();
    Some((until - now).to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute_and_repeat_with_their_seed() {
        for (tries, longest) in [(1, 2.0), (2, 4.0), (3, 8.0), (5, 32.0), (9, 60.0), (999, 60.0)] {
            let wait = backoff(2.0, tries, 7).as_secs_f64();
            assert!((0.5 * longest..=longest).contains(&wait), "{tries}: {wait}");
            assert_eq!(backoff(2.0, tries, 7), backoff(2.0, tries, 7));
        }
        assert_ne!(backoff(2.0, 1, 7), backoff(2.0, 1, 8));
        assert_eq!(backoff(0.0, 3, 7), Duration::ZERO);
    }

    #[test]
    fn a_wait_ends_when_the_user_wants_no_more() {
        assert!(slept(Duration::ZERO, &|| true));
        assert!(slept(Duration::from_millis(1), &|| false));
        assert!(!slept(Duration::from_secs(1_000_000), &|| true));
    }

    #[test]
    fn servers_ask_in_seconds_or_by_a_date() {
        let now = DateTime::parse_from_rfc2822("Wed, 21 Oct 2026 07:28:00 GMT").expect("a date");
        let asked = |header| asked(header, now.to_utc());
        assert_eq!(asked(" 3 "), Some(Duration::from_secs(3)));
        assert_eq!(asked("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(asked("Wed, 21 Oct 2026 07:28:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(asked("Wed, 21 Oct 2026 07:00:00 GMT"), Some(Duration::ZERO));
        for none in ["-1", "NaN", "inf", "1e99", "soon", ""] {
            assert_eq!(asked(none), None, "{none}");
        }
    }
}
