//! Maps whose keys are looked up once for every row of a file: a hash of a few multiplications.
//! Nobody gains from choosing keys that collide, so the standard one's protection is not needed.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// A map with short keys.
pub(super) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// Multiplies and turns, eight bytes at a time.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct QuickHasher(u64);

impl QuickHasher {
    /// An odd number whose bits look random: 2^64 over the golden ratio.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(Self::FACTOR);
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.add(u64::from(byte));
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn finish(&self) -> u64 {
        // The best bits are the upper ones, and maps look at the lower ones first.
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_differ_little_have_hashes_that_differ_much() {
        let hash = |places: [u32; 3]| {
            let mut hasher = QuickHasher::default();
            std::hash::Hash::hash(&places[..], &mut hasher);
            hasher.finish()
        };
        let mut low: Vec<u64> = Vec::new();
        for a in 0..16 {
            for b in 0..16 {
                for c in 0..16 {
                    low.push(hash([a, b, c]) & 0xffff);
                }
            }
        }
        low.sort_unstable();
        low.dedup();
        // 4096 keys in 65536 places: chance alone leaves about 3970 apart.
        assert!(low.len() > 3700, "{}", low.len());
    }
}
