//! Parameters of a launch: values, addresses, and how pointers into rings go round from run to run.

#[derive(Debug, Clone, PartialEq)]
pub(in crate::backends) enum LaunchParameter {
    Bytes(Vec<u8>),
    RingAddress(RingAddress),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::backends) struct RingAddress {
    /// Address of the ring's first slot.
    pub(in crate::backends) first: u64,
    /// Bytes from a slot to the next, negative where the next lies below.
    pub(in crate::backends) stride: i64,
    pub(in crate::backends) slots: u32,
    pub(in crate::backends) slot: u32,
}

impl RingAddress {
    fn address(&self) -> u64 {
        self.first.wrapping_add_signed(i64::from(self.slot) * self.stride)
    }
}

#[derive(Debug, Default)]
pub(in crate::backends) struct LaunchParameters {
    sizes: Vec<usize>,
    /// Words of each, so that addresses are aligned; never empty.
    values: Vec<Vec<u64>>,
    rounds: Vec<(usize, RingAddress)>,
}

impl LaunchParameters {
    pub(in crate::backends) fn new(parameters: &[LaunchParameter]) -> Self {
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

    pub(in crate::backends) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Addresses of the values, which do not move.
    pub(in crate::backends) fn addresses(&self) -> impl Iterator<Item = *const u64> {
        self.values.iter().map(|value| value.as_ptr())
    }

    pub(in crate::backends) fn go_round(&self) -> bool {
        !self.rounds.is_empty()
    }

    /// Turns every ring to a slot, modulo the ring's slots.
    pub(in crate::backends) fn turn_to(&mut self, slot: u32) {
        for (at, place) in &mut self.rounds {
            place.slot = slot % place.slots;
            self.values[*at][0] = place.address();
        }
    }

    /// Turns to the next slot of every ring.
    #[inline]
    pub(in crate::backends) fn turn(&mut self) {
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
