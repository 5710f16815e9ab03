//! Seals on memory that kernels may only read. The sealed pages are read-only. A write raises a
//! signal; its handler notes the address and makes the pages writable, so that the kernel runs on.
//! After the run the seal tells whether it was broken.
#![expect(unsafe_code, reason = "protects pages and handles the signal of a write to them")]

use std::{
    ffi::c_void,
    mem::MaybeUninit,
    sync::{
        Once,
        atomic::{AtomicUsize, Ordering},
    },
};

use device::DeviceFault;

/// Most ranges sealed at once.
const MOST: usize = 4096;

/// A range of whole pages, and the address of a write to the range. The entry is free if `start` is
/// zero.
struct Range {
    start: AtomicUsize,
    length: AtomicUsize,
    hit: AtomicUsize,
}

/// All sealed ranges. The signal handler may access nothing else.
static SEALED: [Range; MOST] = [const {
    Range { start: AtomicUsize::new(0), length: AtomicUsize::new(0), hit: AtomicUsize::new(0) }
}; MOST];

static mut BEFORE: MaybeUninit<libc::sigaction> = MaybeUninit::uninit();

/// Keeps a range read-only while this lives, or until a write breaks the seal.
pub(super) struct Seal(&'static Range);

impl Seal {
    /// Makes a range of whole pages read-only.
    ///
    /// # Safety
    /// The range is a separate mapping that stays mapped while the seal lives. Only kernels write
    /// to it meanwhile.
    pub(super) unsafe fn new(start: *mut u8, length: usize) -> Result<Self, DeviceFault> {
        static HANDLED: Once = Once::new();
        HANDLED.call_once(handle);
        let free = SEALED.iter().find(|range| {
            let claimed =
                range.start.compare_exchange(0, usize::MAX, Ordering::AcqRel, Ordering::Relaxed);
            claimed.is_ok()
        });
        let range = free
            .ok_or_else(|| DeviceFault(format!("{MOST} buffers are read-only; no more can be")))?;
        range.hit.store(0, Ordering::Relaxed);
        range.length.store(length, Ordering::Relaxed);
        range.start.store(start.addr(), Ordering::Release);
        let seal = Self(range);
        // SAFETY: by the contract above.
        match unsafe { libc::mprotect(start.cast(), length, libc::PROT_READ) } {
            0 => Ok(seal),
            _ => {
                let error = std::io::Error::last_os_error();
                Err(DeviceFault(format!("cannot make {length} bytes read-only: {error}")))
            }
        }
    }

    pub(super) fn broken(&self) -> Option<usize> {
        Some(self.0.hit.load(Ordering::Acquire)).filter(|hit| *hit != 0)
    }
}

impl Drop for Seal {
    fn drop(&mut self) {
        let start = self.0.start.load(Ordering::Relaxed);
        open(start, self.0.length.load(Ordering::Relaxed));
        self.0.start.store(0, Ordering::Release);
    }
}

fn open(start: usize, length: usize) {
    // SAFETY: the range is mapped while it is sealed. A signal handler may call `mprotect`.
    unsafe {
        libc::mprotect(
            std::ptr::without_provenance_mut(start),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
        );
    }
}

/// Installs the handler of writes to read-only pages. It runs on a thread's signal stack if there
/// is one.
fn handle() {
    // SAFETY: the action is complete, and `BEFORE` is written only here, before any handler reads
    // it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = caught as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGSEGV, &raw const action, (&raw mut BEFORE).cast());
    }
}

/// Makes the written range writable. For other addresses the previous action is restored: the
/// instruction is retried and faults again.
unsafe extern "C" fn caught(_: libc::c_int, about: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel passes what `SA_SIGINFO` promises.
    let address = unsafe { (*about).si_addr() }.addr();
    for range in &SEALED {
        let start = range.start.load(Ordering::Acquire);
        let length = range.length.load(Ordering::Relaxed);
        if start != 0 && start <= address && address - start < length {
            let _ = range.hit.compare_exchange(0, address, Ordering::AcqRel, Ordering::Relaxed);
            open(start, length);
            return;
        }
    }
    // SAFETY: written by `handle` when this handler was installed.
    unsafe { libc::sigaction(libc::SIGSEGV, (&raw const BEFORE).cast(), std::ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_noted_and_goes_through() {
        let length = 16384;
        // SAFETY: a fresh mapping, which is not unmapped.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        }
        .cast::<u8>();
        // SAFETY: the mapping is this test's own.
        let seal = unsafe { Seal::new(start, length) }.expect("sealed");
        // SAFETY: as above.
        assert!(unsafe { start.add(5000).read_volatile() } == 0 && seal.broken().is_none());
        // SAFETY: as above; the test is that this write breaks the seal.
        unsafe { start.add(5000).write_volatile(7) };
        assert_eq!(seal.broken(), Some(start.addr() + 5000));
        // SAFETY: as above.
        assert_eq!(unsafe { start.add(5000).read_volatile() }, 7);
        drop(seal);
        // SAFETY: nothing is sealed any more.
        unsafe { start.write_volatile(1) };
    }
}
