//! Finds the largest size that fits into memory, for any footprint that grows with the size.

use super::Rounding;

/// Why no size can be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LargestFault {
    /// Even the first size is too large.
    #[error(
        "size {size} already needs {needed} bytes and the device has {available} free; choose a smaller size or free memory"
    )]
    FirstTooLarge {
        /// The first size.
        size: u64,
        /// Its footprint in bytes.
        needed: u64,
        /// Bytes available.
        available: u64,
    },
    /// The footprint of the first size cannot be computed.
    #[error("the footprint of size {size} is unknown: {why}")]
    Unknown {
        /// The size.
        size: u64,
        /// The reason.
        why: String,
    },
}

/// Returns the largest accepted size from `start` to `limit` whose footprint is at most `available`
/// bytes. Computes at most 128 footprints. Footprints must grow with the size. Above `start`, a
/// footprint that cannot be computed (an overflow) counts as too large.
pub fn largest_size(
    start: u64,
    limit: Option<u64>,
    available: u64,
    rounding: Rounding,
    mut footprint: impl FnMut(u64) -> Result<u64, String>,
) -> Result<u64, LargestFault> {
    let start = rounding.up(start.max(1)).unwrap_or(u64::MAX);
    let needed = footprint(start).map_err(|why| LargestFault::Unknown { size: start, why })?;
    if needed > available {
        return Err(LargestFault::FirstTooLarge { size: start, needed, available });
    }
    let mut fits = |size: u64| footprint(size).is_ok_and(|bytes| bytes <= available);
    let limit = limit.unwrap_or(1 << 62).max(start);
    let (mut good, mut step) = (start, start);
    let mut bad = loop {
        step = step.saturating_mul(2);
        if step >= limit {
            if fits(limit) {
                return Ok(rounding.down(limit).max(start));
            }
            break limit;
        }
        if !fits(step) {
            break step;
        }
        good = step;
    };
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) { good = middle } else { bad = middle }
    }
    Ok(rounding.down(good).max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_size_fits_and_the_next_does_not() {
        let footprint = |n: u64| Ok(12 * n + 100);
        let size = largest_size(10, None, 1_000_000, Rounding::Multiple(4), footprint).unwrap();
        assert!(12 * size + 100 <= 1_000_000);
        assert!(12 * (size + 4) + 100 > 1_000_000);
    }

    #[test]
    fn quadratic_and_overflowing_footprints_are_solved_too() {
        let footprint =
            |n: u64| n.checked_mul(n).and_then(|e| e.checked_mul(8)).ok_or("overflow".to_owned());
        let size = largest_size(1, None, u64::MAX / 2, Rounding::Multiple(1), footprint).unwrap();
        assert_eq!(size, (u64::MAX / 2 / 8).isqrt());
    }

    #[test]
    fn a_limit_of_the_benchmark_is_respected() {
        let size = largest_size(1, Some(100), u64::MAX, Rounding::Power(2), |_| Ok(0)).unwrap();
        assert_eq!(size, 64);
    }

    #[test]
    fn a_first_size_that_does_not_fit_is_told() {
        let fault = largest_size(10, None, 5, Rounding::Multiple(1), Ok).unwrap_err();
        assert_eq!(fault, LargestFault::FirstTooLarge { size: 10, needed: 10, available: 5 });
    }
}
