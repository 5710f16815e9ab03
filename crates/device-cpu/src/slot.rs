//! One slot of a ring: its bytes, and the guard zones on both sides.
#![expect(unsafe_code, reason = "memory that kernels of another language write to")]

use std::marker::PhantomData;

use device::{DeviceFault, trespass};

#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    start: *mut u8,
    bytes: usize,
    /// Bytes of the guard zones before and behind the slot.
    guards: [usize; 2],
    /// The byte that fills the guard zones.
    pattern: u8,
    ring: PhantomData<&'a ()>,
}

impl<'a> Slot<'a> {
    /// # Safety
    /// During `'a`, `start` points to `bytes` bytes of a mapping, between guard zones of `guards`
    /// bytes that hold only `pattern`.
    pub(super) const unsafe fn new(
        start: *mut u8,
        bytes: usize,
        guards: [usize; 2],
        pattern: u8,
    ) -> Self {
        Self { start, bytes, guards, pattern, ring: PhantomData }
    }

    pub(super) const fn start(self) -> *mut u8 {
        self.start
    }

    pub(super) const fn bytes(self) -> usize {
        self.bytes
    }

    pub(super) fn range(self, offset: u64, length: usize) -> Result<*mut u8, DeviceFault> {
        let fits = usize::try_from(offset)
            .ok()
            .filter(|offset| offset.checked_add(length).is_some_and(|end| end <= self.bytes));
        let offset = fits.ok_or_else(|| {
            DeviceFault(format!(
                "{length} bytes at {offset} are past the end of a buffer of {}",
                self.bytes
            ))
        })?;
        // SAFETY: inside the slot, as just checked.
        Ok(unsafe { self.start.add(offset) })
    }

    pub(super) fn write(self, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault> {
        let to = self.range(offset, bytes.len())?;
        // SAFETY: the range was checked, and the host's bytes lie elsewhere.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    pub(super) fn read(self, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault> {
        let from = self.range(offset, bytes.len())?;
        // SAFETY: the range was checked, and the host's bytes lie elsewhere.
        unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Copies the slot to a kernel's variable, which must have the same size.
    pub(super) fn copy_out(self, to: *mut u8) {
        // SAFETY: the caller compared the sizes, and no kernel runs now.
        unsafe { to.copy_from(self.start, self.bytes) };
    }

    fn zones(self) -> [(*mut u8, usize); 2] {
        let [before, behind] = self.guards;
        // SAFETY: both zones lie inside the mapping, as the caller of `new` guarantees.
        unsafe { [(self.start.sub(before), before), (self.start.add(self.bytes), behind)] }
    }

    /// Says which guard zone was written, if any.
    pub(super) fn trespass(self) -> Option<String> {
        let [before, after] = self.zones().map(|(at, length)| {
            // SAFETY: initialised by `mend`, and no kernel runs now.
            let zone = unsafe { std::slice::from_raw_parts(at, length) };
            if zone.iter().fold(0, |seen, &byte| seen | (byte ^ self.pattern)) == 0 {
                return None;
            }
            let first = zone.iter().position(|&byte| byte != self.pattern)?;
            let last = zone.iter().rposition(|&byte| byte != self.pattern)?;
            Some((first, last))
        });
        if let Some((first, _)) = after {
            return Some(trespass::past_end(first + 1));
        }
        before.map(|(_, last)| trespass::before_start(self.guards[0] - last))
    }

    /// Writes the pattern into both guard zones.
    pub(super) fn mend(self) {
        for (at, length) in self.zones() {
            // SAFETY: inside the mapping, see `zones`.
            unsafe { at.write_bytes(self.pattern, length) };
        }
    }
}
