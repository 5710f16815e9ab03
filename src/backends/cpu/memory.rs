//! Buffers: mapped memory with zones of a known pattern on both sides.
#![expect(unsafe_code, reason = "memory that kernels of another language write to")]

use rustix::mm::{self, Advice, MapFlags, ProtFlags};

use super::{limits, pool::Pool};
use crate::backends::DeviceFault;

/// Bytes watched on each side.
const GUARD: usize = 4096;
/// What a huge page holds: large buffers start at a multiple of it.
const HUGE: usize = 2 << 20;
/// What the zones hold.
const PATTERN: u8 = 0xC3;
/// Memory always left to the rest of the machine.
const RESERVE: u64 = 64 << 20;

/// A mapping that is given back when dropped.
pub(super) struct Region {
    map: *mut u8,
    map_bytes: usize,
    start: *mut u8,
    bytes: usize,
}

// SAFETY: plain memory that this value owns; who writes where is decided by its user.
unsafe impl Send for Region {}
// SAFETY: as above; shared access reads, or writes disjoint parts through raw pointers.
unsafe impl Sync for Region {}

impl Region {
    /// Maps memory, refuses more than is free, and touches it once on every thread of the pool.
    pub(super) fn new(bytes: u64, pool: &Pool) -> Result<Self, DeviceFault> {
        let (_, free) = limits::memory();
        let slack = (2 * GUARD + HUGE) as u64;
        let wanted = bytes.saturating_add(slack);
        if wanted.saturating_add(RESERVE) > free {
            return Err(DeviceFault(format!(
                "a buffer of {bytes} bytes does not fit: {free} bytes of memory are free"
            )));
        }
        let length = usize::try_from(bytes).map_err(|_| too_large(bytes))?;
        let aligned = if length >= HUGE { HUGE } else { GUARD };
        let map_bytes = (length + 2 * GUARD + aligned).next_multiple_of(GUARD);
        // SAFETY: a fresh private mapping; nothing else knows of it.
        let map = unsafe {
            mm::mmap_anonymous(
                std::ptr::null_mut(),
                map_bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        }
        .map_err(|error| DeviceFault(format!("cannot map {bytes} bytes: {error}")))?;
        let map = map.cast::<u8>();
        let start = (map.addr() + GUARD).next_multiple_of(aligned) - map.addr();
        // SAFETY: `start` is at most GUARD + aligned, and the mapping is that and more.
        let region = Self { map, map_bytes, start: unsafe { map.add(start) }, bytes: length };
        if length >= HUGE {
            // SAFETY: the mapping is ours. Refusal costs speed only.
            let _ = unsafe { mm::madvise(map.cast(), map_bytes, Advice::LinuxHugepage) };
        }
        region.touch(pool);
        region.mend();
        Ok(region)
    }

    fn touch(&self, pool: &Pool) {
        let pages = self.bytes.div_ceil(GUARD);
        let (start, threads) = (Address(self.start), pool.size());
        let touch = |index: usize| {
            for page in share(pages, index, threads) {
                // SAFETY: inside the region, and every page has one thread that writes it.
                unsafe { start.get().add(page * GUARD).write_volatile(0) };
            }
        };
        if pages > 64 { pool.each(touch) } else { (0..threads).for_each(touch) }
    }

    /// The first byte.
    pub(super) const fn start(&self) -> *mut u8 {
        self.start
    }

    /// How many bytes there are.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Checks a range.
    fn range(&self, offset: u64, length: usize) -> Result<*mut u8, DeviceFault> {
        let fits = usize::try_from(offset)
            .ok()
            .filter(|offset| offset.checked_add(length).is_some_and(|end| end <= self.bytes));
        let offset = fits.ok_or_else(|| {
            DeviceFault(format!(
                "{length} bytes at {offset} are past the end of a buffer of {}",
                self.bytes
            ))
        })?;
        // SAFETY: inside the region, as just checked.
        Ok(unsafe { self.start.add(offset) })
    }

    /// Copies from the host.
    pub(super) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault> {
        let to = self.range(offset, bytes.len())?;
        // SAFETY: the range was checked, and the host's bytes lie elsewhere.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// Copies to the host.
    pub(super) fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault> {
        let from = self.range(offset, bytes.len())?;
        // SAFETY: the range was checked, and the host's bytes lie elsewhere.
        unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Copies the first bytes of another region, on every thread of the pool.
    pub(super) fn copy_from(
        &self,
        from: &Self,
        bytes: u64,
        pool: &Pool,
    ) -> Result<(), DeviceFault> {
        let length = usize::try_from(bytes).map_err(|_| too_large(bytes))?;
        let (source, to) = (Address(from.range(0, length)?), Address(self.range(0, length)?));
        let threads = pool.size();
        pool.each(|index| {
            let part = share(length, index, threads);
            // SAFETY: both ranges were checked, parts are disjoint; a region copied onto itself
            // is why the two may overlap.
            unsafe { to.get().add(part.start).copy_from(source.get().add(part.start), part.len()) };
        });
        Ok(())
    }

    /// Copies everything to a variable of a kernel that holds as much.
    pub(super) fn copy_out(&self, to: *mut u8) {
        // SAFETY: the caller compared the sizes, and no kernel runs now.
        unsafe { to.copy_from(self.start, self.bytes) };
    }

    /// The zones before and after.
    fn zones(&self) -> [(*mut u8, usize); 2] {
        // SAFETY: both lie inside the mapping: GUARD bytes before `start`, and what is left of
        // the page that holds the end, with at least GUARD bytes after it.
        unsafe { [(self.start.sub(GUARD), GUARD), (self.start.add(self.bytes), GUARD)] }
    }

    /// Which zone was written, if any.
    pub(super) fn trespass(&self) -> Option<String> {
        let [before, after] = self.zones().map(|(at, length)| {
            // SAFETY: initialised by `mend`, and no kernel runs now.
            let zone = unsafe { std::slice::from_raw_parts(at, length) };
            if zone.iter().fold(0, |seen, &byte| seen | (byte ^ PATTERN)) == 0 {
                return None;
            }
            let first = zone.iter().position(|&byte| byte != PATTERN)?;
            let last = zone.iter().rposition(|&byte| byte != PATTERN)?;
            Some((first, last))
        });
        if let Some((first, _)) = after {
            return Some(format!("{} bytes past its end", first + 1));
        }
        before.map(|(_, last)| format!("{} bytes before its start", GUARD - last))
    }

    /// Writes the pattern into both zones.
    pub(super) fn mend(&self) {
        for (at, length) in self.zones() {
            // SAFETY: inside the mapping, see `zones`.
            unsafe { at.write_bytes(PATTERN, length) };
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: ours, mapped in `new`, and no pointer into it is used after its owner is gone.
        let _ = unsafe { mm::munmap(self.map.cast(), self.map_bytes) };
    }
}

/// A pointer that threads may share; each writes its own part.
#[derive(Clone, Copy)]
pub(super) struct Address(pub(super) *mut u8);

impl Address {
    /// The pointer (a method, so that closures capture the whole value).
    pub(super) const fn get(self) -> *mut u8 {
        self.0
    }
}

// SAFETY: users split what it points to into disjoint parts.
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

fn too_large(bytes: u64) -> DeviceFault {
    DeviceFault(format!("{bytes} bytes are more than this machine can address"))
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

    #[test]
    fn writing_past_the_end_is_seen_and_mended() {
        let pool = Pool::new(&[0]).expect("threads");
        for bytes in [1_u64, 4095, 4096, 5000, (2 << 20) + 12] {
            let region = Region::new(bytes, &pool).expect("memory");
            assert_eq!(region.trespass(), None);
            // SAFETY: the zones around the region belong to it.
            unsafe { region.start().add(region.bytes() + 3).write(0) };
            assert_eq!(region.trespass(), Some("4 bytes past its end".to_owned()));
            region.mend();
            // SAFETY: as above.
            unsafe { region.start().sub(8).write(1) };
            assert_eq!(region.trespass(), Some("8 bytes before its start".to_owned()));
            region.mend();
            assert_eq!(region.trespass(), None);
        }
    }

    #[test]
    fn more_than_is_free_is_refused_with_both_figures() {
        let pool = Pool::new(&[0]).expect("threads");
        let fault = Region::new(1 << 60, &pool).err().expect("no machine has an exbibyte");
        assert!(fault.0.contains("1152921504606846976") && fault.0.contains("free"), "{fault}");
    }
}
