//! How samples find the caches: one way for a whole study.

/// How samples find the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    /// As the run before left them: there is one copy of everything.
    Hot,
    /// Cold, because between two uses of the same bytes `budget` others are touched; copies take
    /// `most` bytes at most.
    Rotated {
        /// Bytes.
        budget: u64,
        /// Bytes.
        most: u64,
    },
    /// Cold, because they are flushed before every run: there is no memory for copies.
    Flushed,
}

impl Copies {
    /// Bytes between two uses of the same, as a multiple of the last cache.
    const CACHES: u64 = 4;
    /// What is touched at least: devices may have caches that they do not tell.
    const LEAST: u64 = 16 << 20;
    /// The share of free memory that copies may take.
    const SHARE: f64 = 0.25;

    /// The way of a study on a device with this last cache and this much free memory.
    pub(super) fn new(cold: bool, cache_bytes: u64, free: u64) -> Self {
        let budget = (Self::CACHES * cache_bytes).max(Self::LEAST);
        let most = (free as f64 * Self::SHARE) as u64;
        match cold {
            false => Self::Hot,
            true if most < budget => Self::Flushed,
            true => Self::Rotated { budget, most },
        }
    }
}
