//! Mapped memory, and a few mappings kept for later. The first touch of a page takes far longer
//! than filling it, most of all on a virtual machine.
#![expect(unsafe_code, reason = "maps and unmaps memory")]

use device::DeviceFault;
use rustix::mm::{self, MapFlags, ProtFlags};

/// Divisor of the memory: at most this share of it is kept.
const SHARE: usize = 4;
/// A mapping of more than twice the needed bytes is divided only if at least this many are needed.
const DIVIDED: usize = 16 << 20;
/// Bytes of a huge page. Parts of divided mappings are whole huge pages.
pub(super) const HUGE: usize = 2 << 20;

/// Private memory of this process; unmapped when dropped.
pub(super) struct Mapping {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: plain memory that this value owns.
unsafe impl Send for Mapping {}
// SAFETY: as above; the memory is accessed only through raw pointers.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(super) fn new(bytes: usize) -> Result<Self, DeviceFault> {
        // SAFETY: a fresh private mapping that nothing else refers to.
        let start = unsafe {
            mm::mmap_anonymous(
                std::ptr::null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        }
        .map_err(|error| DeviceFault(format!("cannot map {bytes} bytes: {error}")))?;
        Ok(Self { start: start.cast(), bytes })
    }

    pub(super) const fn start(&self) -> *mut u8 {
        self.start
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps the first `bytes` bytes and returns the rest.
    ///
    /// # Panics
    ///
    /// If `bytes` is not a multiple of a huge page, or not less than the whole mapping.
    fn split_off(&mut self, bytes: usize) -> Self {
        assert!(bytes < self.bytes && bytes.is_multiple_of(HUGE), "a part of the mapping");
        // SAFETY: inside the mapping.
        let start = unsafe { self.start.add(bytes) };
        let rest = Self { start, bytes: self.bytes - bytes };
        self.bytes = bytes;
        rest
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no pointer into it is used after its owner is gone.
        let _ = unsafe { mm::munmap(self.start.cast(), self.bytes) };
    }
}

/// Unused mappings whose pages have been touched already.
#[derive(Default)]
pub(super) struct SpareMappings {
    /// Mappings to reuse; the first has waited longest.
    kept: Vec<Mapping>,
    /// Most bytes to keep.
    most: usize,
}

impl SpareMappings {
    /// Starts empty. Keeps at most a share of this much memory later.
    pub(super) const fn within(memory: u64) -> Self {
        Self { kept: Vec::new(), most: memory as usize / SHARE }
    }

    /// Takes the smallest mapping that has this many bytes. A mapping with more than twice as many
    /// serves only large needs, and is divided.
    pub(super) fn take(&mut self, bytes: usize) -> Option<Mapping> {
        let twice = bytes.saturating_mul(2);
        let fits = |at: &usize| {
            let has = self.kept[*at].bytes;
            has >= bytes && (has < twice || bytes >= DIVIDED)
        };
        let at = (0..self.kept.len()).filter(fits).min_by_key(|at| self.kept[*at].bytes)?;
        let mut mapping = self.kept.remove(at);
        if mapping.bytes >= twice {
            self.kept.insert(at, mapping.split_off(bytes.next_multiple_of(HUGE)));
        }
        Some(mapping)
    }

    /// Keeps a mapping for later, and drops those that have waited longest if there are too many
    /// bytes. A mapping that is too large by itself is dropped at once.
    pub(super) fn keep(&mut self, mapping: Mapping) {
        if mapping.bytes > self.most {
            return;
        }
        self.kept.push(mapping);
        while self.bytes() > self.most {
            self.kept.remove(0);
        }
    }

    /// Unmaps all mappings. Returns whether there were any.
    pub(super) fn clear(&mut self) -> bool {
        let any = !self.kept.is_empty();
        self.kept.clear();
        any
    }

    pub(super) fn bytes(&self) -> usize {
        self.kept.iter().map(Mapping::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_mapping_serves_what_it_fits_and_keeps_its_pages() {
        let mut spare = SpareMappings::within(1 << 34);
        let mapping = Mapping::new(1 << 20).expect("memory");
        // SAFETY: inside the mapping.
        unsafe { mapping.start().write(7) };
        let start = mapping.start().addr();
        spare.keep(mapping);
        spare.keep(Mapping::new(1 << 22).expect("memory"));
        assert!(spare.take(1 << 23).is_none() && spare.take((1 << 20) / 2).is_none());
        let again = spare.take((1 << 20) - 5000).expect("it fits");
        assert_eq!(again.start().addr(), start);
        // SAFETY: as above.
        assert_eq!(unsafe { again.start().read() }, 7);
        assert_eq!(spare.bytes(), 1 << 22);
        assert!(spare.clear() && !spare.clear());
    }

    #[test]
    fn a_large_mapping_is_divided_and_a_share_of_the_memory_is_kept() {
        let mut spare = SpareMappings::within(1 << 30);
        spare.keep(Mapping::new(128 << 20).expect("memory"));
        assert!(spare.take(1 << 20).is_none(), "too small a need for so large a mapping");
        let parts = [0, 1].map(|_| spare.take((33 << 20) - 5000).expect("it fits"));
        // SAFETY: inside the mappings, at their ends.
        parts.iter().for_each(|part| unsafe { part.start().add(part.bytes() - 1).write(7) });
        assert_eq!(parts.each_ref().map(Mapping::bytes), [34 << 20; 2]);
        assert_eq!(spare.bytes(), 60 << 20);
        parts.into_iter().for_each(|part| spare.keep(part));
        spare.keep(Mapping::new(200 << 20).expect("memory"));
        assert_eq!(spare.bytes(), 234 << 20, "what waited longest went");
        spare.keep(Mapping::new(257 << 20).expect("memory"));
        assert_eq!(spare.bytes(), 234 << 20, "what is too large alone lets nothing go");
    }
}
