//! Mapped memory, and a few mappings kept for later: the first touch of a page takes far longer than
//! filling it does, most of all on a virtual machine.
#![expect(unsafe_code, reason = "maps and unmaps memory")]

use rustix::mm::{self, MapFlags, ProtFlags};

use crate::backends::DeviceFault;

/// Most bytes kept.
const MOST: usize = 2 << 30;

/// Private memory of this process; unmapped when dropped.
pub(super) struct Mapping {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: plain memory that this value owns.
unsafe impl Send for Mapping {}
// SAFETY: as above; it is reached through raw pointers alone.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(super) fn new(bytes: usize) -> Result<Self, DeviceFault> {
        // SAFETY: a fresh private mapping; nothing else knows of it.
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
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: ours, and no pointer into it is used after its owner is gone.
        let _ = unsafe { mm::munmap(self.start.cast(), self.bytes) };
    }
}

/// Mappings that nobody uses, whose pages are there already.
#[derive(Default)]
pub(super) struct SpareMappings(Vec<Mapping>);

impl SpareMappings {
    /// The smallest that has so many bytes and not twice as many.
    pub(super) fn take(&mut self, bytes: usize) -> Option<Mapping> {
        let fits = |at: &usize| (bytes..bytes.saturating_mul(2)).contains(&self.0[*at].bytes);
        let at = (0..self.0.len()).filter(fits).min_by_key(|at| self.0[*at].bytes)?;
        Some(self.0.swap_remove(at))
    }

    /// Keeps a mapping for later, and lets those go that have waited longest if they are too many.
    pub(super) fn keep(&mut self, mapping: Mapping) {
        if mapping.bytes > MOST / 2 {
            return;
        }
        self.0.push(mapping);
        while self.bytes() > MOST {
            self.0.remove(0);
        }
    }

    /// Unmaps all of them; whether there were any.
    pub(super) fn clear(&mut self) -> bool {
        let any = !self.0.is_empty();
        self.0.clear();
        any
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(Mapping::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_mapping_serves_what_it_fits_and_keeps_its_pages() {
        let mut spare = SpareMappings::default();
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
}
