//! The sizes of a study, in the order they are visited.

use serde::{Deserialize, Serialize};

use super::Rounding;

/// How the sizes are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// From the benchmark's first size (or `start`) by a factor, up to the largest that fits.
    Factor {
        /// The first size, if not the benchmark's.
        start: Option<u64>,
        /// Each size is about this many times the one before.
        factor: f64,
    },
    /// Exactly these, in ascending order.
    List(Vec<u64>),
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Factor { start: None, factor: 1.5 }
    }
}

/// The most sizes of a list.
const MOST: usize = 10_000;

/// Why a schedule cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleFault {
    /// A size of nothing.
    #[error("size 0 has nothing to measure; sizes start at 1")]
    Zero,
    /// More than anybody waits for.
    #[error("these are more than {MOST} sizes; choose a larger step")]
    Many,
    /// Not growing.
    #[error("the factor between sizes must be above 1 and at most 1000, not {0}")]
    Factor(String),
    /// Text that is no list of sizes.
    #[error(
        "`{0}` is no list of sizes; write `1000,2000,4000`, `1k..1M*2` (a factor) or `100..1000+100` (a step)"
    )]
    Text(String),
}

impl Schedule {
    /// All sizes up to `largest`, ascending, each accepted by the benchmark's rule.
    #[must_use]
    pub fn sizes(&self, first: u64, largest: u64, rounding: Rounding) -> Vec<u64> {
        match self {
            Self::List(sizes) => {
                let mut sizes: Vec<u64> = sizes.iter().map(|s| rounding.named(*s)).collect();
                sizes.sort_unstable();
                sizes.dedup();
                sizes
            }
            Self::Factor { start, factor } => {
                let begin = start.map_or(rounding.nearest(first), |start| rounding.named(start));
                let mut next = Some(begin);
                let mut sizes: Vec<u64> = Vec::new();
                while let Some(size) = next.filter(|size| *size <= largest) {
                    sizes.push(size);
                    // A factor smaller than the rule's own steps takes every step.
                    let least = size.checked_add(1).and_then(|least| rounding.up(least));
                    let wanted = rounding.nearest((size as f64 * factor) as u64);
                    next = least.map(|least| wanted.max(least));
                }
                sizes
            }
        }
    }

    /// Reads `1000,2000`, `1k..1M*2` or `100..1000+100`.
    pub fn parse(text: &str) -> Result<Self, ScheduleFault> {
        let fault = || ScheduleFault::Text(text.to_owned());
        let sizes = if let Some((from, rest)) = text.split_once("..") {
            let from = size(from).ok_or_else(fault)?;
            if let Some((to, factor)) = rest.split_once('*') {
                let to = size(to).ok_or_else(fault)?;
                let factor: f64 = factor.trim().parse().map_err(|_| fault())?;
                check_factor(factor)?;
                Self::Factor { start: Some(from), factor }.sizes(from, to, Rounding::Multiple(1))
            } else if let Some((to, step)) = rest.split_once('+') {
                let (to, step) = size(to).zip(size(step)).ok_or_else(fault)?;
                let step = usize::try_from(step).ok().filter(|s| *s > 0).ok_or_else(fault)?;
                (from..=to).step_by(step).take(MOST + 1).collect()
            } else {
                return Err(fault());
            }
        } else {
            text.split(',').map(|part| size(part).ok_or_else(fault)).collect::<Result<_, _>>()?
        };
        if sizes.len() > MOST {
            return Err(ScheduleFault::Many);
        }
        if sizes.contains(&0) {
            return Err(ScheduleFault::Zero);
        }
        if sizes.is_empty() {
            return Err(fault());
        }
        Ok(Self::List(sizes))
    }
}

/// Refuses factors that do not grow.
pub fn check_factor(factor: f64) -> Result<(), ScheduleFault> {
    if factor > 1.0 && factor <= 1000.0 {
        Ok(())
    } else {
        Err(ScheduleFault::Factor(factor.to_string()))
    }
}

/// `4096`, `1k`, `2.5M`, `1G` (powers of 1000) or `4Ki`, `1Mi`, `1Gi` (powers of 1024).
#[must_use]
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim().replace('_', "");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "k" | "K" => 1000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => return None,
    };
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(unit);
    }
    let value = digits.parse::<f64>().ok()? * unit as f64;
    ((0.0..1.8e19).contains(&value) && value.fract().abs() < 1e-9).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_gives_growing_sizes_by_the_rule() {
        let sizes = Schedule::default().sizes(16, 200, Rounding::Multiple(16));
        assert_eq!(sizes, [16, 32, 48, 80, 128, 192]);
    }

    #[test]
    fn lists_and_ranges_are_read() {
        assert_eq!(Schedule::parse("1k,2000,4Ki"), Ok(Schedule::List(vec![1000, 2000, 4096])));
        assert_eq!(Schedule::parse("1..8*2"), Ok(Schedule::List(vec![1, 2, 4, 8])));
        assert_eq!(Schedule::parse("100..300+100"), Ok(Schedule::List(vec![100, 200, 300])));
        assert_eq!(size("2.5M"), Some(2_500_000));
    }

    #[test]
    fn nonsense_is_refused_in_a_sentence() {
        assert_eq!(Schedule::parse("0,5"), Err(ScheduleFault::Zero));
        for text in ["", "a,b", "5..", "5..9", "5..9*1", "-3", "1..9+0", "1e400"] {
            assert!(Schedule::parse(text).is_err(), "{text}");
        }
    }
}
