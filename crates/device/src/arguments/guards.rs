//! Patterns of the guard zones around buffers. Rings in use have different patterns, as far as there
//! are enough, so that a kernel that copies from beyond the end of one buffer to beyond the end of
//! another is noticed.

use std::sync::Mutex;

/// Number of patterns: more than a benchmark has arguments.
const PATTERNS: usize = 29;

/// How many rings have each pattern.
static RINGS: Mutex<[u32; PATTERNS]> = Mutex::new([0; PATTERNS]);

/// The pattern of a ring, until it is dropped.
#[derive(Debug)]
pub struct Pattern(usize);

impl Pattern {
    /// Returns the first of the patterns that the fewest rings have. What rings were freed before
    /// does not matter, so a kernel that reads beyond a buffer finds the same in every run.
    #[must_use]
    pub fn next() -> Self {
        let mut rings = lock();
        let fewest = (0..PATTERNS).min_by_key(|pattern| rings[*pattern]).unwrap_or_default();
        rings[fewest] += 1;
        Self(fewest)
    }

    /// The byte that fills the guard zones. In every format it reads as a finite number, usually a
    /// large one, that no fill generates.
    #[must_use]
    pub const fn byte(&self) -> u8 {
        0xC1 + self.0 as u8
    }
}

impl Drop for Pattern {
    fn drop(&mut self) {
        lock()[self.0] -= 1;
    }
}

fn lock() -> std::sync::MutexGuard<'static, [u32; PATTERNS]> {
    // A panic cannot leave the counts half changed.
    RINGS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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
        let rings: Vec<Pattern> = (0..PATTERNS).map(|_| Pattern::next()).collect();
        let all: BTreeSet<u8> = rings.iter().map(Pattern::byte).collect();
        assert_eq!(all.len(), PATTERNS);
        drop(rings);
        assert_eq!(Pattern::next().byte(), 0xC1, "a pattern that was given back comes again");
        for pattern in all {
            for element in Element::ALL {
                assert!(dispatch(element, IsFinite(pattern)), "{pattern:x} as {element:?}");
            }
        }
    }
}
