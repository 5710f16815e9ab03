//! The sizes that a guest has open. When memory runs short, the one that was not used for longest
//! is closed.

/// Share of the memory that was free at the start that open sizes may take together.
const SHARE: f64 = 0.8;

#[derive(Debug)]
pub(super) struct Sizes {
    /// Sizes with their bytes, the last used at the end.
    open: Vec<(u64, u64)>,
    most: u64,
}

impl Sizes {
    pub(super) fn new(free: u64) -> Self {
        Self { open: Vec::new(), most: (free as f64 * SHARE) as u64 }
    }

    /// Bytes of all open sizes.
    pub(super) fn bytes(&self) -> u64 {
        self.open.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Notes that a size is used. Returns whether it is open.
    pub(super) fn touch(&mut self, size: u64) -> bool {
        let Some(at) = self.open.iter().position(|(open, _)| *open == size) else { return false };
        self.open[at..].rotate_left(1);
        true
    }

    pub(super) fn opened(&mut self, size: u64, bytes: u64) {
        self.open.push((size, bytes));
    }

    /// Takes out the sizes that must be closed before `bytes` more fit.
    pub(super) fn make_room(&mut self, bytes: u64) -> Vec<u64> {
        let mut closed = Vec::new();
        while !self.open.is_empty() && self.bytes().saturating_add(bytes) > self.most {
            closed.push(self.open.remove(0).0);
        }
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_that_was_not_used_for_longest_makes_room() {
        let mut sizes = Sizes::new(1000);
        for size in [1, 2, 3] {
            assert!(!sizes.touch(size));
            sizes.opened(size, 200);
        }
        assert!(sizes.touch(1));
        assert!(sizes.make_room(200).is_empty());
        assert_eq!(sizes.make_room(400), [2]);
        assert_eq!(sizes.make_room(5000), [3, 1]);
        assert_eq!(sizes.bytes(), 0);
    }
}
