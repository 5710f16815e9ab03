//! Times on the command line: a day, a point in time, or an age.

use chrono::{DateTime, Days, Months, NaiveDate, TimeDelta, Utc};

/// The largest number that an age may have.
const LONGEST: u32 = 36_500;

/// Reads `2026-11-23`, `2026-11`, `2026-11-23T12:00:00Z`, or `30d` for 30 days ago.
pub(super) fn moment(text: &str) -> Result<DateTime<Utc>, String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.to_utc());
    }
    let month = format!("{text}-01");
    let day = [text, month.as_str()].into_iter().find_map(|day| day.parse::<NaiveDate>().ok());
    if let Some(midnight) = day.and_then(|day| day.and_hms_opt(0, 0, 0)) {
        return Ok(midnight.and_utc());
    }
    age(text).map_err(|_| {
        "write a day (`2026-11-23`), a time (`2026-11-23T12:00:00Z`), or how long ago (`30d`)"
            .to_owned()
    })
}

/// Reads an age (`30d`, `12h`, `6w`, `3months` or `1y`) as the time that long ago.
pub(super) fn age(text: &str) -> Result<DateTime<Utc>, String> {
    let wrong = || "write how long ago: `12h`, `30d`, `6w`, `3months`, `1y`".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u32 = number.parse().ok().filter(|n| *n <= LONGEST).ok_or_else(wrong)?;
    let now = Utc::now();
    let then = match unit {
        "h" => now.checked_sub_signed(TimeDelta::hours(number.into())),
        "d" => now.checked_sub_days(Days::new(number.into())),
        "w" => now.checked_sub_days(Days::new(7 * u64::from(number))),
        "month" | "months" => now.checked_sub_months(Months::new(number)),
        "y" => now.checked_sub_months(Months::new(12 * number)),
        _ => None,
    };
    let longest = Days::new(10 * u64::from(LONGEST));
    then.filter(|then| then.checked_add_days(longest).is_some_and(|end| end >= now))
        .ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_moments_or_ages() {
        let noon = |text: &str| moment(text).map(|time| time.to_rfc3339());
        assert_eq!(noon("2026-11-23").as_deref(), Ok("2026-11-23T00:00:00+00:00"));
        assert_eq!(noon("2026-11").as_deref(), Ok("2026-11-01T00:00:00+00:00"));
        assert_eq!(noon("2026-11-23T13:00:00+01:00").as_deref(), Ok("2026-11-23T12:00:00+00:00"));
        for (ages, days) in [("30d", 30), ("720h", 30), ("2w", 14)] {
            let then = moment(ages).expect("a time");
            let since = Utc::now() - then;
            assert_eq!(since.num_days(), days, "{ages}");
        }
        let wrong = ["", "30", "d", "-3d", "30x", "99999999999d", "36500y", "2026-13", "yesterday"];
        for wrong in wrong {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }
}
