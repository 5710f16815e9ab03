//! Work over memory, divided among threads.
#![expect(unsafe_code, reason = "threads share a pointer")]

/// A pointer that threads may share. Each thread writes its own part.
#[derive(Clone, Copy)]
pub(super) struct Address(pub(super) *mut u8);

impl Address {
    /// The pointer (a method, so that closures capture the whole value).
    pub(super) const fn get(self) -> *mut u8 {
        self.0
    }
}

// SAFETY: users split the memory into disjoint parts.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// One thread's share of `0 .. count`.
pub(super) fn share(count: usize, index: usize, threads: usize) -> std::ops::Range<usize> {
    let edge = |i: usize| {
        let whole = count / threads * i;
        whole + (count % threads).min(i)
    };
    edge(index)..edge(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_everything_once() {
        for (count, threads) in [(0, 3), (1, 3), (10, 3), (9, 3), (100, 7)] {
            let all: Vec<usize> =
                (0..threads).flat_map(|index| share(count, index, threads)).collect();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }
}
