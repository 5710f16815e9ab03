//! Parses sizes and amounts of memory.

use super::SettingFault;

/// Largest number of sizes in a list.
const MOST: usize = 10_000;

/// Parses `4096`, `2.5M` or `4Ki`: k, M, G, T are powers of 1000; Ki, Mi, Gi, Ti of 1024.
fn number(text: &str) -> Option<u64> {
    let text = text.trim().replace('_', "");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "k" | "K" => 1000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        _ => return None,
    };
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(unit);
    }
    let value = digits.parse::<f64>().ok()? * unit as f64;
    ((0.0..1.8e19).contains(&value) && value.fract().abs() < 1e-9).then_some(value as u64)
}

/// A size: `4096`, `1M` or `2Gi`.
pub fn parse_size(text: &str) -> Result<u64, SettingFault> {
    match number(text) {
        Some(0) => Err(nothing()),
        Some(size) => Ok(size),
        None if bytes(text).is_some() => Err(SettingFault(format!(
            "`{text}` is an amount of memory, and a size counts what the benchmark says, such as \
             elements; write `{}`, or limit memory with `--memory-limit {text}`",
            text.trim_end_matches(['b', 'B'])
        ))),
        None => {
            Err(SettingFault(format!("`{text}` is no size; write `4096`, `1.5k`, `1M` or `2Gi`")))
        }
    }
}

/// An amount of memory in bytes: `4G` or `512Mi`.
pub fn parse_bytes(text: &str) -> Result<u64, SettingFault> {
    number(text).or_else(|| bytes(text)).filter(|bytes| *bytes > 0).ok_or_else(|| {
        SettingFault(format!("`{text}` is no amount of memory; write `4G` or `512Mi`"))
    })
}

/// A number of bytes with their letter: `4GB`, `512MiB`, `100B`.
fn bytes(text: &str) -> Option<u64> {
    number(text.trim().strip_suffix(['b', 'B'])?)
}

/// A time in seconds: `3`, `2.5`, `90s`, `500ms`, `5m`, `1.5h`.
pub fn parse_seconds(text: &str) -> Result<f64, SettingFault> {
    let whole = text.trim();
    let fault = || {
        SettingFault(format!(
            "`{text}` is no time; write a number of seconds, such as `2.5`, or `90s`, `5m` or `1h`"
        ))
    };
    let unit_at = whole.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'));
    let (digits, unit) = whole.split_at(unit_at.unwrap_or(whole.len()));
    let seconds = match unit {
        "ms" => 1e-3,
        "" | "s" | "sec" | "seconds" => 1.0,
        "m" | "min" | "minutes" => 60.0,
        "h" | "hours" => 3600.0,
        _ => return Err(fault()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| fault())?;
    if number.is_finite() { Ok(number * seconds) } else { Err(fault()) }
}

/// A list of sizes: `1000,2000`, `1k..1M*2` or `100..1000+100`.
pub fn parse_sizes(text: &str) -> Result<Vec<u64>, SettingFault> {
    let fault = || {
        SettingFault(format!(
            "`{text}` is no list of sizes; write `1000,2000,4000`, `1k..1M*2` (a factor) or \
             `100..1000+100` (a step), with letters of k, M, G, T or Ki, Mi, Gi, Ti"
        ))
    };
    let sizes: Vec<u64> = if let Some((from, rest)) = text.split_once("..") {
        let from = number(from).ok_or_else(fault)?;
        if let Some((to, factor)) = rest.split_once('*') {
            let to = number(to).ok_or_else(fault)?;
            let factor: f64 = factor.trim().parse().map_err(|_| fault())?;
            check_factor(factor)?;
            let next = |size: &u64| {
                let wanted = (*size as f64 * factor) as u64;
                size.checked_add(1).map(|least| wanted.max(least))
            };
            std::iter::successors(Some(from), next)
                .take_while(|size| *size <= to)
                .take(MOST + 1)
                .collect()
        } else if let Some((to, step)) = rest.split_once('+') {
            let (to, step) = number(to).zip(number(step)).ok_or_else(fault)?;
            let step = usize::try_from(step).ok().filter(|s| *s > 0).ok_or_else(fault)?;
            (from..=to).step_by(step).take(MOST + 1).collect()
        } else {
            let why = format!(
                "`{text}` does not say how its sizes follow each other; write `{text}*2` for a \
                 factor or `{text}+1000` for a step"
            );
            return Err(if number(rest).is_some() { SettingFault(why) } else { fault() });
        }
    } else {
        text.split(',').map(|part| number(part).ok_or_else(fault)).collect::<Result<_, _>>()?
    };
    if sizes.len() > MOST {
        let many = format!("these are more than {MOST} sizes; choose a larger step");
        return Err(SettingFault(many));
    }
    if sizes.contains(&0) {
        return Err(nothing());
    }
    if sizes.is_empty() {
        let why = format!("`{text}` ends below where it begins; write the smaller size first");
        return Err(SettingFault(why));
    }
    Ok(sizes)
}

pub(super) fn check_factor(factor: f64) -> Result<(), SettingFault> {
    if factor > 1.0 && factor <= 1000.0 {
        return Ok(());
    }
    Err(SettingFault(format!(
        "the factor between sizes must be above 1 and at most 1000, not {factor}"
    )))
}

fn nothing() -> SettingFault {
    SettingFault("size 0 has nothing to measure; sizes start at 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_read() {
        assert_eq!(parse_sizes("1k,2000,4Ki"), Ok(vec![1000, 2000, 4096]));
        assert_eq!(parse_sizes("1..8*2"), Ok(vec![1, 2, 4, 8]));
        assert_eq!(parse_sizes("100..300+100"), Ok(vec![100, 200, 300]));
        assert_eq!(parse_size("2.5M"), Ok(2_500_000));
        assert_eq!((parse_size("1T"), parse_size("1Ti")), (Ok(10_u64.pow(12)), Ok(1 << 40)));
        assert_eq!(parse_bytes("512Mi"), Ok(512 << 20));
        assert_eq!((parse_bytes("1GB"), parse_bytes("2MiB")), (Ok(1_000_000_000), Ok(2 << 20)));
    }

    #[test]
    fn times_have_the_units_that_people_write() {
        for (text, seconds) in [
            ("3", 3.0),
            ("2.5", 2.5),
            ("1e3", 1000.0),
            ("3s", 3.0),
            ("90 s", 90.0),
            ("500ms", 0.5),
            ("2m", 120.0),
            ("2min", 120.0),
            ("1.5h", 5400.0),
            ("-3", -3.0),
        ] {
            let read = parse_seconds(text).expect("a time");
            assert!((read - seconds).abs() < 1e-9, "{text}: {read}");
        }
        for text in ["", "s", "lots", "3x", "3 4", "inf", "NaN", "1m30s", "1e999"] {
            let said = parse_seconds(text).expect_err("no time").to_string();
            assert!(said.contains("write a number of seconds"), "{text}: {said}");
        }
    }

    #[test]
    fn a_size_in_bytes_says_what_to_write_instead() {
        let said = parse_size("1GB").expect_err("bytes").to_string();
        assert!(said.contains("write `1G`") && said.contains("--memory-limit 1GB"), "{said}");
    }

    #[test]
    fn nonsense_is_refused_in_a_sentence() {
        assert_eq!(parse_sizes("0,5"), Err(nothing()));
        assert_eq!(parse_size("0"), Err(nothing()));
        for text in ["", "a,b", "5..", "5..9", "5..9*1", "-3", "1..9+0", "1e400", "1..1G+1"] {
            assert!(parse_sizes(text).is_err(), "{text}");
        }
        let said = |text| parse_sizes(text).expect_err("nonsense").to_string();
        assert!(said("1k..8k").contains("`1k..8k*2` for a factor"), "{}", said("1k..8k"));
        assert!(said("8k..1k*2").contains("ends below where it begins"));
    }
}
