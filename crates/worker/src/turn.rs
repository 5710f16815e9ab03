//! Where samples begin in a ring of copies.

/// Divisor of a ring's copies: at most this share of them may be skipped.
const SPARE: u32 = 3;

/// The next copy of a ring. A sample uses successive copies. If the device keeps prepared samples,
/// a sample begins at a multiple of its runs, so that the same samples recur.
///
/// Samples of different lengths then skip copies. At most as many are skipped as were used before,
/// and at most a third of the ring. So at least a third of all copies are used in one turn of the
/// ring, whatever the order of samples.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Turn {
    next: u32,
    /// Number of copies that may be skipped.
    spare: u32,
}

impl Turn {
    /// Takes the turn of a sample. Returns its first copy.
    pub(super) fn take(&mut self, runs: u32, slots: u32, comes_back: bool) -> u32 {
        let passed = match comes_back && (2..slots).contains(&runs) {
            true => Some(self.to_multiple(runs, slots)).filter(|passed| *passed <= self.spare),
            false => None,
        };
        let passed = passed.unwrap_or(0);
        let first = (self.next + passed) % slots;
        self.spare = (self.spare - passed).saturating_add(runs).min(slots / SPARE);
        self.next = ((u64::from(first) + u64::from(runs)) % u64::from(slots)) as u32;
        first
    }

    /// Number of copies to skip to the next multiple of `runs` that has room for a sample, or else
    /// to the first copy.
    fn to_multiple(self, runs: u32, slots: u32) -> u32 {
        let multiple = self.next.next_multiple_of(runs);
        let first = if multiple.saturating_add(runs) <= slots { multiple } else { slots };
        first - self.next
    }
}

#[cfg(test)]
mod tests {
    use math::seeded;
    use rand::RngExt as _;

    use super::*;

    fn firsts(runs: u32, slots: u32) -> Vec<u32> {
        let mut turn = Turn::default();
        (0..2 * slots / runs).map(|_| turn.take(runs, slots, true)).collect()
    }

    #[test]
    fn samples_of_one_length_come_back_to_the_same_copies() {
        assert_eq!(firsts(2, 6), [0, 2, 4, 0, 2, 4]);
        assert_eq!(firsts(5, 11), [0, 5, 0, 5], "one of eleven is passed over");
        for (runs, slots) in [(320, 2560), (168, 337), (5, 10), (2, 9)] {
            let begun: std::collections::BTreeSet<u32> = firsts(runs, slots).into_iter().collect();
            assert_eq!(begun.len() as u32, slots / runs, "{runs} runs over {slots} copies");
        }
    }

    #[test]
    fn where_nothing_is_kept_no_copy_is_passed_over() {
        let mut turn = Turn::default();
        let begun = [3, 3, 3, 1, 3].map(|runs| turn.take(runs, 7, false));
        assert_eq!(begun, [0, 3, 6, 2, 3]);
        assert_eq!(turn.take(30, 7, true), 6, "whole rounds begin anywhere");
    }

    /// Least number of copies used between two uses of the same copy, for samples of these lengths
    /// in random order.
    fn apart(lengths: &[u32], slots: u32) -> u64 {
        let (mut rng, mut turn, mut used) = (seeded(1, 0), Turn::default(), 0);
        let mut seen: Vec<Option<u64>> = vec![None; slots as usize];
        let mut least = u64::MAX;
        for _ in 0..3000 {
            let runs = lengths[rng.random_range(0..lengths.len())];
            let first = turn.take(runs, slots, true);
            for slot in first..first + runs {
                if let Some(before) = seen[(slot % slots) as usize].replace(used) {
                    least = least.min(used - before);
                }
                used += 1;
            }
        }
        least
    }

    #[test]
    fn a_copy_comes_back_after_a_third_of_them_at_least() {
        for slots in [9, 16, 100, 337, 2560] {
            let parts = [1, 3, slots / 8, slots / 4, slots / 2].map(|runs| runs.max(1));
            for lengths in
                [&parts[..], &parts[..3], &parts[2..], &[1, slots / 2], &[1, slots / 4, slots / 2]]
            {
                let lengths: Vec<u32> = lengths.iter().map(|runs| *runs.max(&1)).collect();
                let mixed = apart(&lengths, slots);
                assert!(mixed >= u64::from(slots / 3), "{lengths:?} of {slots}: {mixed} apart");
            }
        }
    }
}
