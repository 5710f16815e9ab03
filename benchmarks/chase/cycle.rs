//! Random cycles through the lines of a buffer.

use autobench_sdk::inputs;

/// Elements of 4 bytes in a line of 64 bytes.
pub(crate) const LINE: u64 = 16;

/// Number of cycles, one for each stride: cycle `j` visits every `1 << j`-th line.
pub(crate) const CYCLES: usize = 5;

/// Elements from a link in a line to the line's place in the cycle.
pub(crate) const PLACES: usize = 8;

/// Bytes of a piece. All lines of a piece are visited in random order before those of the next.
/// Loads spread over the whole buffer would also wait for address translation, whose first level
/// holds about 64 pages. That step in the curve would hide the step of the second cache. A piece
/// has so few pages that their translations are cached, and still more lines than a first cache
/// holds.
const TOGETHER: u32 = 64 << 10;

/// A place in a cycle, as lines store it. It includes the number of the cycle, so that walks along
/// different cycles end at different values. There are at most 2^24 lines.
pub(crate) const fn place_in(cycle: usize, place: u32) -> u32 {
    place | (cycle as u32) << 24
}

/// One cycle through stops `0 ..`, starting at stop 0.
#[derive(Debug)]
pub(crate) struct Cycle {
    /// The next stop after each stop.
    pub(crate) next: Vec<u32>,
    /// Number of steps from stop 0 to each stop.
    pub(crate) place: Vec<u32>,
}

impl Cycle {
    /// Draws pieces of `together` stops in random order, and the stops of each piece in random
    /// order.
    pub(crate) fn drawn(seed: u64, stream: u32, stops: u32, together: u32) -> Self {
        let mut draws = 0;
        let mut shuffle = |values: &mut [u32]| {
            for last in (1..values.len()).rev() {
                let bits = inputs::bits(seed, stream, draws);
                draws += 1;
                values.swap(last, ((u128::from(bits) * (last as u128 + 1)) >> 64) as usize);
            }
        };
        let mut pieces: Vec<u32> = (0..stops).step_by(together as usize).collect();
        shuffle(&mut pieces);
        let mut order = Vec::with_capacity(stops as usize);
        for first in pieces {
            let begin = order.len();
            order.extend(first..stops.min(first + together));
            shuffle(&mut order[begin..]);
        }
        // Walks start at stop 0.
        if let Some(first) = order.iter().position(|stop| *stop == 0) {
            order.rotate_left(first);
        }
        let (mut next, mut place) = (vec![0; order.len()], vec![0; order.len()]);
        for (step, (stop, after)) in order.iter().zip(order.iter().cycle().skip(1)).enumerate() {
            next[*stop as usize] = *after;
            place[*stop as usize] = step as u32;
        }
        Self { next, place }
    }
}

/// The cycles of all strides, through the same lines.
#[derive(Debug)]
pub(crate) struct Lines(Vec<Cycle>);

impl Lines {
    pub(crate) fn drawn(seed: u64, bytes: u64) -> Self {
        let lines = bytes / (4 * LINE);
        let together = TOGETHER / (4 * LINE as u32);
        let cycle = |j: u32| Cycle::drawn(seed, j, (lines >> j) as u32, (together >> j).max(1));
        Self((0..CYCLES as u32).map(cycle).collect())
    }

    /// An element of the buffer: a link, a place, or 0.
    pub(crate) fn element(&self, index: u64) -> u32 {
        let (line, slot) = ((index / LINE) as usize, (index % LINE) as usize);
        let j = slot % PLACES;
        let Some(cycle) = self.0.get(j).filter(|_| line.trailing_zeros() as usize >= j) else {
            return 0;
        };
        match (slot < PLACES, cycle.next.get(line >> j)) {
            (true, Some(next)) => (next << j) * LINE as u32 + j as u32,
            _ => place_in(j, cycle.place.get(line >> j).copied().unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_goes_through_every_stop_once() {
        for stops in [1, 2, 3, 16, 1000, 4099] {
            let Cycle { next, place } = Cycle::drawn(7, 0, stops, 64);
            let mut seen = vec![false; stops as usize];
            let mut at = 0;
            for step in 0..stops {
                assert!(!std::mem::replace(&mut seen[at], true), "{at} of {stops}");
                assert_eq!(place[at], step);
                at = next[at] as usize;
            }
            assert_eq!(at, 0);
        }
        let drawn = |seed| Cycle::drawn(seed, 0, 1000, 64).next;
        assert_ne!(drawn(7), drawn(8));
        // A round leaves each piece once.
        let left = drawn(7).iter().zip(0..).filter(|(next, stop)| **next / 64 != stop / 64).count();
        assert!((16..=17).contains(&left), "{left}");
    }

    #[test]
    fn every_stride_has_its_stops_and_no_others() {
        let bytes = 64 * 1024;
        let lines = Lines::drawn(3, bytes);
        for j in 0..CYCLES {
            let (stride, mut at) = ((LINE as u32) << j, j as u32);
            let stops = (bytes / 64) >> j;
            for step in 0..stops {
                let place = lines.element(u64::from(at) + PLACES as u64);
                assert_eq!(place, place_in(j, step as u32));
                at = lines.element(u64::from(at));
                assert_eq!(at % stride, j as u32);
            }
            assert_eq!(at, j as u32, "one round");
        }
    }
}
