//! Memory of the device, and buffers in it with guard zones of a known pattern on both sides.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::{cell::Cell, ffi::c_void, ops::Range, rc::Rc};

use device::{
    DeviceFault,
    arguments::{guards::Pattern, parameters::RingAddress},
    trespass,
};

use super::{
    calls::{Address, call},
    context::{Context, Stream},
    fault::{DriverFault, OUT_OF_MEMORY},
};

/// Bytes of a guard zone; a multiple of every alignment that kernels rely on.
const GUARD: u64 = 4096;

pub(crate) struct Memory {
    context: Rc<Context>,
    address: Address,
    bytes: u64,
}

impl Memory {
    pub(crate) fn new(context: &Rc<Context>, bytes: u64) -> Result<Self, DriverFault> {
        let mut address = 0;
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        // SAFETY: the address lives until the call ends.
        unsafe { call!(context, allocate(&raw mut address, length)) }?;
        Ok(Self { context: Rc::clone(context), address, bytes })
    }

    pub(crate) fn address(&self) -> Address {
        self.address
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn set(
        &self,
        stream: &Stream,
        value: u8,
        offset: u64,
        bytes: u64,
    ) -> Result<(), DriverFault> {
        debug_assert!(offset + bytes <= self.bytes);
        // SAFETY: inside this memory.
        unsafe {
            let start = self.address + offset;
            call!(self.context, set_bytes(start, value, bytes as usize, stream.handle))
        }
    }

    pub(crate) fn write(
        &self,
        stream: &Stream,
        offset: u64,
        from: &[u8],
    ) -> Result<(), DriverFault> {
        debug_assert!(offset + from.len() as u64 <= self.bytes);
        // SAFETY: inside this memory, and the host's bytes live until the wait below.
        let queued = unsafe {
            let (start, bytes) = (self.address + offset, from.as_ptr().cast::<c_void>());
            call!(self.context, copy_to_device(start, bytes, from.len(), stream.handle))
        };
        // Also wait after a fault: the copy may be under way.
        stream.wait().and(queued)
    }

    pub(crate) fn read(
        &self,
        stream: &Stream,
        offset: u64,
        to: &mut [u8],
    ) -> Result<(), DriverFault> {
        debug_assert!(offset + to.len() as u64 <= self.bytes);
        // SAFETY: inside this memory, and the host's bytes live until the wait below.
        let queued = unsafe {
            let (start, bytes) = (self.address + offset, to.as_mut_ptr().cast::<c_void>());
            call!(self.context, copy_to_host(bytes, start, to.len(), stream.handle))
        };
        stream.wait().and(queued)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated once in `new`; the driver waits for kernels that still use it.
        let _ = unsafe { call!(self.context, free(self.address)) };
    }
}

/// Queues a copy between addresses of the device.
///
/// # Safety
/// Both ranges are memory of the stream's device.
unsafe fn copy(stream: &Stream, from: Address, to: Address, bytes: u64) -> Result<(), DriverFault> {
    // SAFETY: by the contract above.
    unsafe { call!(stream.context, copy_on_device(to, from, bytes as usize, stream.handle)) }
}

/// A ring of equal slots, with guard zones before, between and behind them.
pub(crate) struct Region {
    memory: Memory,
    bytes: u64,
    /// Bytes from the start of a slot to the start of the next.
    stride: u64,
    slots: u32,
    /// The byte that fills all guard zones.
    pattern: Pattern,
    /// Whether a run has used any slot since the guard zones were checked.
    used: Cell<bool>,
    /// Sum of the content at sealing. Set while kernels may only read.
    pub(crate) sum: Cell<Option<u64>>,
}

impl Region {
    /// Allocates a ring. A single slot is set to zero.
    pub(crate) fn new(stream: &Stream, bytes: u64, slots: u32) -> Result<Self, DeviceFault> {
        let context = &stream.context;
        let slots = slots.max(1);
        let stride = bytes.checked_add(2 * GUARD - 1).map(|least| least / GUARD * GUARD);
        let all = match slots {
            1 => bytes.checked_add(GUARD),
            _ => stride.and_then(|stride| stride.checked_mul(u64::from(slots))),
        };
        let memory = match all.and_then(|all| all.checked_add(GUARD)) {
            Some(all) => {
                Memory::new(context, all).map_err(|fault| too_large(context, bytes, slots, &fault))
            }
            None => Err(DeviceFault(format!("{bytes} bytes are more than any device has"))),
        }?;
        let stride = stride.unwrap_or(bytes);
        let (used, sum) = (Cell::new(false), Cell::new(None));
        let pattern = Pattern::next();
        let region = Self { memory, bytes, stride, slots, pattern, used, sum };
        region.memory.set(stream, region.pattern.byte(), 0, region.memory.bytes())?;
        if slots == 1 {
            region.memory.set(stream, 0, GUARD, bytes)?;
        }
        stream.wait()?;
        Ok(region)
    }

    pub(crate) fn slot(&self, slot: u32) -> Result<Slot<'_>, DeviceFault> {
        let offset = GUARD + u64::from(slot) * self.stride;
        (slot < self.slots)
            .then_some(Slot { memory: &self.memory, offset, bytes: self.bytes })
            .ok_or_else(|| DeviceFault("a ring has fewer slots".to_owned()))
    }

    pub(crate) fn place(&self, slot: u32) -> Result<RingAddress, DeviceFault> {
        self.slot(slot)?;
        let first = self.memory.address() + GUARD;
        Ok(RingAddress { first, stride: self.stride as i64, slots: self.slots, slot })
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    pub(crate) fn note_use(&self) {
        self.used.set(true);
    }

    /// Whether the guard zones need a check. A ring with many slots needs one only after use, and
    /// the mark of use is cleared.
    pub(crate) fn take_use(&self) -> bool {
        self.used.take() || self.slots == 1
    }

    pub(crate) fn zones(&self) -> Zones {
        Zones {
            start: self.memory.address(),
            bytes: GUARD,
            slot: self.bytes,
            stride: self.stride,
            slots: self.slots,
            pattern: self.pattern.byte(),
        }
    }

    /// Queues copies of the first bytes of a slot to other slots, in order. Whole slots are copied
    /// in doubling steps: each step copies all slots filled so far.
    pub(crate) fn spread(
        &self,
        stream: &Stream,
        from: Slot<'_>,
        slots: Range<u32>,
        bytes: u64,
    ) -> Result<(), DeviceFault> {
        let Some(first) = slots.clone().next() else { return Ok(()) };
        self.slot(slots.end - 1)?;
        if bytes < self.bytes {
            return slots
                .into_iter()
                .try_for_each(|slot| self.slot(slot)?.copy_from(stream, from, bytes));
        }
        let start = self.slot(first)?;
        if (start.memory.address(), start.offset) != (from.memory.address(), from.offset) {
            start.copy_from(stream, from, bytes)?;
        }
        let (all, mut done) = (u64::from(slots.end - first), 1);
        while done < all {
            let next = done.min(all - done);
            let address = start.address();
            // SAFETY: both ranges are slots of this ring with the zones between them.
            unsafe {
                let to = address + done * self.stride;
                copy(stream, address, to, (next - 1) * self.stride + self.bytes)?;
            }
            done += next;
        }
        Ok(())
    }

    pub(crate) fn trespass(
        &self,
        stream: &Stream,
        slot: u32,
    ) -> Result<Option<String>, DriverFault> {
        let at = GUARD + u64::from(slot) * self.stride;
        let mut zone = [0; GUARD as usize];
        let strange = |&byte: &u8| byte != self.pattern.byte();
        self.memory.read(stream, at + self.bytes, &mut zone)?;
        if let Some(first) = zone.iter().position(strange) {
            return Ok(Some(trespass::past_end(first + 1)));
        }
        self.memory.read(stream, at - GUARD, &mut zone)?;
        let last = zone.iter().rposition(strange);
        Ok(last.map(|last| trespass::before_start(zone.len() - last)))
    }

    pub(crate) fn mend(&self, stream: &Stream) -> Result<(), DriverFault> {
        self.memory.set(stream, self.pattern.byte(), 0, GUARD)?;
        (0..u64::from(self.slots)).try_for_each(|slot| {
            let end = GUARD + slot * self.stride + self.bytes;
            let next =
                if slot + 1 < u64::from(self.slots) { self.stride - self.bytes } else { GUARD };
            self.memory.set(stream, self.pattern.byte(), end, next)
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Zones {
    /// Start of the guard zone before the first slot.
    pub(crate) start: Address,
    pub(crate) bytes: u64,
    pub(crate) slot: u64,
    /// Bytes from the start of a slot to the start of the next.
    pub(crate) stride: u64,
    pub(crate) slots: u32,
    pub(crate) pattern: u8,
}

#[derive(Clone, Copy)]
pub(crate) struct Slot<'a> {
    memory: &'a Memory,
    offset: u64,
    bytes: u64,
}

impl Slot<'_> {
    pub(crate) fn address(self) -> Address {
        self.memory.address() + self.offset
    }

    pub(crate) fn bytes(self) -> u64 {
        self.bytes
    }

    fn range(self, offset: u64, length: u64) -> Result<u64, DeviceFault> {
        if offset.checked_add(length).is_none_or(|end| end > self.bytes) {
            return Err(DeviceFault(format!(
                "{length} bytes at {offset} are past the end of a buffer of {}",
                self.bytes
            )));
        }
        Ok(self.offset + offset)
    }

    pub(crate) fn write(
        self,
        stream: &Stream,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceFault> {
        let at = self.range(offset, bytes.len() as u64)?;
        Ok(self.memory.write(stream, at, bytes)?)
    }

    pub(crate) fn read(
        self,
        stream: &Stream,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceFault> {
        let at = self.range(offset, bytes.len() as u64)?;
        Ok(self.memory.read(stream, at, bytes)?)
    }

    /// Queues a copy of the first bytes of another slot.
    pub(crate) fn copy_from(
        self,
        stream: &Stream,
        from: Slot<'_>,
        bytes: u64,
    ) -> Result<(), DeviceFault> {
        let (source, to) = (from.range(0, bytes)?, self.range(0, bytes)?);
        let (source, to) = (from.memory.address() + source, self.memory.address() + to);
        // SAFETY: both ranges were checked.
        Ok(unsafe { copy(stream, source, to, bytes) }?)
    }

    /// Queues a copy of the whole slot to a module's variable, which must have the same size.
    pub(crate) fn copy_out(self, stream: &Stream, to: Address) -> Result<(), DriverFault> {
        // SAFETY: the caller compared the sizes; the module is loaded.
        unsafe { copy(stream, self.address(), to, self.bytes) }
    }
}

fn too_large(context: &Context, bytes: u64, slots: u32, fault: &DriverFault) -> DeviceFault {
    let what = match slots {
        1 => format!("buffer of {bytes} bytes"),
        _ => format!("ring of {slots} buffers of {bytes} bytes"),
    };
    match context.memory() {
        Ok((_, free)) if fault.has(OUT_OF_MEMORY) => DeviceFault(format!(
            "a {what} does not fit: {free} bytes of the device's memory are free"
        )),
        _ => DeviceFault(format!("no {what}: {fault}")),
    }
}

/// Words of host memory that the device can see.
pub(crate) struct Mailbox {
    context: Rc<Context>,
    host: *mut u32,
    device: Address,
    words: usize,
}

impl Mailbox {
    /// Allocates words, all zero.
    pub(crate) fn new(context: &Rc<Context>, words: usize) -> Result<Self, DriverFault> {
        /// Flag of memory that the device can see, in both vendors' headers.
        const MAPPED: u32 = 2;
        let mut host: *mut c_void = std::ptr::null_mut();
        // SAFETY: the pointer lives until the call ends.
        unsafe { call!(context, allocate_on_host(&raw mut host, words * 4, MAPPED)) }?;
        let host = host.cast();
        let mut mailbox = Self { context: Rc::clone(context), host, device: 0, words };
        // SAFETY: `host` is mapped memory of the previous call.
        unsafe { call!(context, address_of_host(&raw mut mailbox.device, host.cast(), 0)) }?;
        (0..words).for_each(|at| mailbox.put(at, 0));
        Ok(mailbox)
    }

    pub(crate) fn address(&self, at: usize) -> Address {
        self.device + 4 * at as u64
    }

    /// Writes a word, which the device sees at once.
    pub(crate) fn put(&self, at: usize, value: u32) {
        assert!(at < self.words, "a mailbox has a fixed number of words");
        // SAFETY: inside the allocation; the device reads the word as volatile too.
        unsafe { self.host.add(at).write_volatile(value) };
    }

    pub(crate) fn get(&self, at: usize) -> u32 {
        assert!(at < self.words, "a mailbox has a fixed number of words");
        // SAFETY: as above.
        unsafe { self.host.add(at).read_volatile() }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        // SAFETY: allocated once in `new`; users wait for their kernels before they drop this.
        let _ = unsafe { call!(self.context, free_on_host(self.host.cast())) };
    }
}
