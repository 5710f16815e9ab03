//! The prefixes of one layer, one for each state.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasherDefault, Hasher},
};

/// Prefixes by the keys of their states. For equal keys the first state is kept.
pub(super) struct Prefixes {
    width: usize,
    key_width: usize,
    len: usize,
    states: Vec<f64>,
    keys: Vec<u64>,
    by_hash: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
}

impl Prefixes {
    pub(super) fn new(width: usize, key_width: usize) -> Self {
        let (states, keys, by_hash) = (Vec::new(), Vec::new(), HashMap::default());
        Self { width, key_width, len: 0, states, keys, by_hash }
    }

    /// The single prefix in which nothing is bound.
    pub(super) fn start() -> Self {
        let mut prefixes = Self::new(0, 0);
        prefixes.place(&[], &[]);
        prefixes
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn state(&self, prefix: usize) -> &[f64] {
        &self.states[prefix * self.width..][..self.width]
    }

    /// Approximate upper bound of the prefixes' bytes: a table is between half and fully used.
    pub(super) fn bytes(&self) -> usize {
        self.len * (8 * (self.width + self.key_width) + 32)
    }

    /// Returns the prefix with this key, and creates it with `state` if there is none.
    pub(super) fn place(&mut self, key: &[u64], state: &[f64]) -> u32 {
        let new = self.len as u32;
        match self.by_hash.entry(mixed(key)) {
            Entry::Occupied(known) => {
                let at = *known.get() as usize;
                if self.keys[at * self.key_width..][..self.key_width] == *key {
                    return *known.get();
                }
                // A hash collision: the new key cannot be found again, which only costs sharing.
            }
            Entry::Vacant(free) => {
                free.insert(new);
            }
        }
        self.keys.extend_from_slice(key);
        self.states.extend_from_slice(state);
        self.len += 1;
        new
    }
}

/// Hash of words; not safe against keys chosen to collide.
pub(super) fn mixed(words: &[u64]) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15;
    for word in words {
        hash = (hash ^ word).wrapping_mul(0xD134_2543_DE82_EF95);
        hash ^= hash >> 32;
    }
    hash
}

/// Hasher for numbers that are already hashes.
#[derive(Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // A hash table uses the highest and the lowest bits.
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
