//! Which prefixes leave the same choices: what construction remembers so that they share a node.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use super::{Parameter, construct::Restriction};

/// What a layer remembers: its nodes by the values of the variables that still matter.
pub(super) struct Memory {
    /// The variables that matter, with their place in the key.
    live: Vec<(usize, u128)>,
    nodes: HashMap<u128, Option<u32>, BuildHasherDefault<Mixer>>,
}

impl Memory {
    /// A prefix as far as it still matters.
    pub(super) fn key(&self, chosen: &[u32]) -> u128 {
        self.live.iter().map(|(v, place)| u128::from(chosen[*v]) * place).sum()
    }

    /// The node of such a prefix, if one was grown: `Some(None)` when nothing valid follows.
    #[expect(clippy::option_option, reason = "not grown yet, and grown with nothing valid below")]
    pub(super) fn get(&self, key: u128) -> Option<Option<u32>> {
        self.nodes.get(&key).copied()
    }

    pub(super) fn insert(&mut self, key: u128, node: Option<u32>) {
        self.nodes.insert(key, node);
    }
}

/// A hash of one number by two multiplications. Nobody chooses the keys to collide.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u128(u128::from(*byte));
        }
    }

    fn write_u128(&mut self, number: u128) {
        let folded = (number as u64) ^ ((number >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ folded).wrapping_mul(0xD134_2543_DE82_EF95);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// A memory for each layer where prefixes can meet: where a variable stops to matter.
pub(super) fn memories(
    parameters: &[Parameter],
    restrictions: &[Restriction],
) -> Vec<Option<Memory>> {
    let several = |v: &usize| parameters[*v].values.len() > 1;
    // For each parameter, how many must be bound before no restriction asks for it again.
    let mut until = vec![0; parameters.len()];
    for restriction in restrictions {
        for slot in restriction.expression.slots_used() {
            if let Some(until) = until.get_mut(*slot) {
                *until = restriction.ready.max(*until);
            }
        }
    }
    (0..parameters.len())
        .map(|depth| {
            // One value at `depth - 1` dies at once when nothing asks for it; one that mattered
            // before dies where its last restriction was checked.
            let dies = |v: &usize| until[*v] == depth || (*v + 1 == depth && until[*v] < depth);
            if !(0..depth).filter(several).any(|v| dies(&v)) {
                return None;
            }
            let mut place = 1_u128;
            let mut live = Vec::new();
            for v in (0..depth).filter(several).filter(|v| until[*v] > depth) {
                live.push((v, place));
                place = place.checked_mul(parameters[v].values.len() as u128)?;
            }
            Some(Memory { live, nodes: HashMap::default() })
        })
        .collect()
}
