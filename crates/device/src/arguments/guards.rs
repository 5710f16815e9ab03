//! What guard zones around buffers hold: of every ring something else, so that a kernel which copies
//! beyond the end of one buffer to beyond the end of another changes what it finds there.

use std::sync::atomic::{AtomicU8, Ordering};

/// Patterns before they come again: more than a benchmark has arguments.
const PATTERNS: u8 = 29;

/// The byte in the guard zones of the next ring. As elements of any format it is a finite number that
/// no fill makes, mostly a large one.
pub fn next_pattern() -> u8 {
    static RINGS: AtomicU8 = AtomicU8::new(0);
    let next = |ring: u8| Some((ring + 1) % PATTERNS);
    // Never `Err`: there always is a next one.
    let ring = RINGS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).unwrap_or_default();
    0xC1 + ring
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use space::accuracy::Element;

    use super::*;
    use crate::arguments::formats::{ForFormat, Stored, dispatch};

    /// Whether an element of such bytes is a finite number.
    struct IsFinite(u8);

    impl ForFormat for IsFinite {
        type Output = bool;

        fn with<T: Stored>(self) -> bool {
            T::of_bits(u64::from_ne_bytes([self.0; 8])).widen().is_finite()
        }
    }

    #[test]
    fn neighbouring_rings_differ_and_no_pattern_is_a_nan() {
        // Other tests draw patterns, too, so no two of these need be neighbours.
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
