//! Parameters of a launch: values and addresses. Pointers into rings move to the next slot from run
//! to run.

/// One parameter of a launch.
#[derive(Debug, Clone, PartialEq)]
pub enum LaunchParameter {
    /// A value.
    Bytes(Vec<u8>),
    /// A pointer into a ring.
    RingAddress(RingAddress),
}

/// The address of a ring's slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingAddress {
    /// Address of the ring's first slot.
    pub first: u64,
    /// Bytes from one slot to the next; negative if the next slot lies below.
    pub stride: i64,
    /// Number of slots of the ring.
    pub slots: u32,
    /// The slot in use.
    pub slot: u32,
}

impl RingAddress {
    fn address(&self) -> u64 {
        self.first.wrapping_add_signed(i64::from(self.slot) * self.stride)
    }
}

/// All parameters of a launch. Their addresses do not change.
#[derive(Debug, Default)]
pub struct LaunchParameters {
    sizes: Vec<usize>,
    /// Each value in 64-bit words, for alignment. Never empty.
    values: Vec<Vec<u64>>,
    rounds: Vec<(usize, RingAddress)>,
}

impl LaunchParameters {
    /// Takes the parameters in the order of the kernel's signature.
    #[must_use]
    pub fn new(parameters: &[LaunchParameter]) -> Self {
        let mut all = Self::default();
        for (at, parameter) in parameters.iter().enumerate() {
            let bytes = match parameter {
                LaunchParameter::Bytes(bytes) => bytes.clone(),
                LaunchParameter::RingAddress(place) => {
                    if place.slots > 1 {
                        all.rounds.push((at, *place));
                    }
                    place.address().to_ne_bytes().to_vec()
                }
            };
            all.sizes.push(bytes.len());
            all.values.push(words(&bytes));
        }
        all
    }

    /// Bytes of each parameter.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Addresses of the values. The values do not move.
    pub fn addresses(&self) -> impl Iterator<Item = *const u64> {
        self.values.iter().map(|value| value.as_ptr())
    }

    /// Whether any parameter changes from run to run.
    #[must_use]
    pub fn go_round(&self) -> bool {
        !self.rounds.is_empty()
    }

    /// Points every ring at this slot, modulo the ring's number of slots.
    pub fn turn_to(&mut self, slot: u32) {
        for (at, place) in &mut self.rounds {
            place.slot = slot % place.slots;
            self.values[*at][0] = place.address();
        }
    }

    /// Points every ring at its next slot.
    #[inline]
    pub fn turn(&mut self) {
        for (at, place) in &mut self.rounds {
            place.slot += 1;
            if place.slot == place.slots {
                place.slot = 0;
            }
            self.values[*at][0] = place.address();
        }
    }
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    let mut words: Vec<u64> = bytes.chunks(8).map(word).collect();
    // An empty vector has no valid address.
    words.push(0);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_round_and_everything_else_stays() {
        let place = |slots, slot| {
            LaunchParameter::RingAddress(RingAddress { first: 1000, stride: 10, slots, slot })
        };
        let mut all =
            LaunchParameters::new(&[place(3, 1), LaunchParameter::Bytes(vec![7, 0]), place(1, 0)]);
        let now = |all: &LaunchParameters| [all.values[0][0], all.values[1][0], all.values[2][0]];
        assert_eq!(all.sizes(), [8, 2, 8]);
        assert!(all.go_round());
        assert_eq!(now(&all), [1010, 7, 1000]);
        all.turn();
        all.turn();
        assert_eq!(now(&all), [1000, 7, 1000]);
        all.turn_to(8);
        assert_eq!(now(&all), [1020, 7, 1000]);
        assert!(!LaunchParameters::new(&[place(1, 0)]).go_round());
    }
}
