//! Patterns of the guard zones around buffers. Each ring has a different pattern, so that a kernel
//! that copies from beyond the end of one buffer to beyond the end of another is noticed.

use std::sync::atomic::{AtomicU8, Ordering};

/// Number of patterns before they repeat: more than a benchmark has arguments.
const PATTERNS: u8 = 29;

/// Returns the byte that fills the guard zones of the next ring. In every format it reads as a
/// finite number, usually a large one, that no fill generates.
pub fn next_pattern() -> u8 {
    static RINGS: AtomicU8 = AtomicU8::new(0);
    let next = |ring: u8| Some((ring + 1) % PATTERNS);
    // Never `Err`: `next` always returns `Some`.
    let ring = RINGS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).unwrap_or_default();
    0xC1 + ring
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use space::accuracy::Element;

    use super::*;
    use crate::arguments::formats::{ForFormat, Stored, dispatch};

    /// Whether an element made of this byte is a finite number.
    struct IsFinite(u8);

    impl ForFormat for IsFinite {
        type Output = bool;

        fn with<T: Stored>(self) -> bool {
            T::of_bits(u64::from_ne_bytes([self.0; 8])).widen().is_finite()
        }
    }

    #[test]
    fn neighbouring_rings_differ_and_no_pattern_is_a_nan() {
        // Other tests draw patterns too, so these need not be consecutive.
        let patterns: Vec<u8> = (0..PATTERNS).map(|_| next_pattern()).collect();
        let all: BTreeSet<u8> = patterns.iter().copied().collect();
        assert!(all.len() > 1 && patterns.windows(2).all(|pair| pair[0] != pair[1]));
        for pattern in 0xC1..0xC1 + PATTERNS {
            for element in Element::ALL {
                assert!(dispatch(element, IsFinite(pattern)), "{pattern:x} as {element:?}");
            }
        }
    }
}
