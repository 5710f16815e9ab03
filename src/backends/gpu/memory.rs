//! Memory of the device, and buffers in it with zones of a known pattern on both sides.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::{ffi::c_void, rc::Rc};

use super::{
    calls::{Address, call},
    context::{Context, Stream},
    fault::{Fault, OUT_OF_MEMORY},
};
use crate::backends::DeviceFault;

/// Bytes watched on each side of a buffer; a multiple of every alignment that kernels count on.
const GUARD: u64 = 4096;
/// What the zones hold.
const PATTERN: u8 = 0xC3;

/// Plain memory of the device.
pub(crate) struct Memory {
    context: Rc<Context>,
    address: Address,
    bytes: u64,
}

impl Memory {
    /// Takes memory.
    pub(crate) fn new(context: &Rc<Context>, bytes: u64) -> Result<Self, Fault> {
        let mut address = 0;
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        // SAFETY: the address lives until the call ends.
        unsafe { call!(context, allocate(&raw mut address, length)) }?;
        Ok(Self { context: Rc::clone(context), address, bytes })
    }

    /// Where it starts.
    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// How much there is.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Sets bytes in order with what is queued.
    pub(crate) fn set(
        &self,
        stream: &Stream,
        value: u8,
        offset: u64,
        bytes: u64,
    ) -> Result<(), Fault> {
        debug_assert!(offset + bytes <= self.bytes);
        // SAFETY: inside this memory.
        unsafe {
            let start = self.address + offset;
            call!(self.context, set_bytes(start, value, bytes as usize, stream.handle))
        }
    }

    /// Copies from the host and waits for it.
    pub(crate) fn write(&self, stream: &Stream, offset: u64, from: &[u8]) -> Result<(), Fault> {
        debug_assert!(offset + from.len() as u64 <= self.bytes);
        // SAFETY: inside this memory, and the host's bytes live until the wait below.
        let queued = unsafe {
            let (start, bytes) = (self.address + offset, from.as_ptr().cast::<c_void>());
            call!(self.context, copy_to_device(start, bytes, from.len(), stream.handle))
        };
        // Also after a fault: the copy may be under way.
        stream.wait().and(queued)
    }

    /// Copies to the host and waits for it.
    pub(crate) fn read(&self, stream: &Stream, offset: u64, to: &mut [u8]) -> Result<(), Fault> {
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

/// Queues a copy between places of the device.
///
/// # Safety
/// Both ranges are memory of the stream's device.
unsafe fn copy(stream: &Stream, from: Address, to: Address, bytes: u64) -> Result<(), Fault> {
    // SAFETY: by the contract above.
    unsafe { call!(stream.context, copy_on_device(to, from, bytes as usize, stream.handle)) }
}

/// A buffer with its zones.
pub(crate) struct Region {
    memory: Memory,
    bytes: u64,
}

impl Region {
    /// Takes memory, zeroed, with zones on both sides.
    pub(crate) fn new(stream: &Stream, bytes: u64) -> Result<Self, DeviceFault> {
        let context = &stream.context;
        let memory = match bytes.checked_add(2 * GUARD) {
            Some(all) => {
                Memory::new(context, all).map_err(|fault| too_large(context, bytes, &fault))
            }
            None => Err(DeviceFault(format!("{bytes} bytes are more than any device has"))),
        }?;
        let region = Self { memory, bytes };
        region.memory.set(stream, 0, GUARD, bytes)?;
        region.mend(stream)?;
        stream.wait()?;
        Ok(region)
    }

    /// The first byte.
    pub(crate) fn start(&self) -> Address {
        self.memory.address() + GUARD
    }

    /// How many bytes there are.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn range(&self, offset: u64, length: u64) -> Result<u64, DeviceFault> {
        if offset.checked_add(length).is_none_or(|end| end > self.bytes) {
            return Err(DeviceFault(format!(
                "{length} bytes at {offset} are past the end of a buffer of {}",
                self.bytes
            )));
        }
        Ok(GUARD + offset)
    }

    /// Copies from the host.
    pub(crate) fn write(
        &self,
        stream: &Stream,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceFault> {
        let at = self.range(offset, bytes.len() as u64)?;
        Ok(self.memory.write(stream, at, bytes)?)
    }

    /// Copies to the host.
    pub(crate) fn read(
        &self,
        stream: &Stream,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceFault> {
        let at = self.range(offset, bytes.len() as u64)?;
        Ok(self.memory.read(stream, at, bytes)?)
    }

    /// Queues a copy of the first bytes of another region.
    pub(crate) fn copy_from(
        &self,
        stream: &Stream,
        from: &Self,
        bytes: u64,
    ) -> Result<(), DeviceFault> {
        let (source, to) = (from.range(0, bytes)?, self.range(0, bytes)?);
        let (source, to) = (from.memory.address() + source, self.memory.address() + to);
        // SAFETY: both ranges were checked.
        Ok(unsafe { copy(stream, source, to, bytes) }?)
    }

    /// Queues a copy of everything to a variable of a module that holds as much.
    pub(crate) fn copy_out(&self, stream: &Stream, to: Address) -> Result<(), Fault> {
        // SAFETY: the caller compared the sizes; the module is loaded.
        unsafe { copy(stream, self.start(), to, self.bytes) }
    }

    /// Which zone was written, if any.
    pub(crate) fn trespass(&self, stream: &Stream) -> Result<Option<String>, Fault> {
        let mut zone = [0; GUARD as usize];
        let strange = |&byte: &u8| byte != PATTERN;
        self.memory.read(stream, GUARD + self.bytes, &mut zone)?;
        if let Some(first) = zone.iter().position(strange) {
            return Ok(Some(format!("{} bytes past its end", first + 1)));
        }
        self.memory.read(stream, 0, &mut zone)?;
        let last = zone.iter().rposition(strange);
        Ok(last.map(|last| format!("{} bytes before its start", zone.len() - last)))
    }

    /// Writes the pattern into both zones.
    pub(crate) fn mend(&self, stream: &Stream) -> Result<(), Fault> {
        self.memory.set(stream, PATTERN, 0, GUARD)?;
        self.memory.set(stream, PATTERN, GUARD + self.bytes, GUARD)
    }
}

fn too_large(context: &Context, bytes: u64, fault: &Fault) -> DeviceFault {
    match context.memory() {
        Ok((_, free)) if fault.has(OUT_OF_MEMORY) => DeviceFault(format!(
            "a buffer of {bytes} bytes does not fit: {free} bytes of the device's memory are free"
        )),
        _ => DeviceFault(format!("no buffer of {bytes} bytes: {fault}")),
    }
}

/// Words of the host's memory that the device can see.
pub(crate) struct Mailbox {
    context: Rc<Context>,
    host: *mut u32,
    device: Address,
    words: usize,
}

impl Mailbox {
    /// So many words, all zero.
    pub(crate) fn new(context: &Rc<Context>, words: usize) -> Result<Self, Fault> {
        /// Memory that the device can see, in both vendors' headers.
        const MAPPED: u32 = 2;
        let mut host: *mut c_void = std::ptr::null_mut();
        // SAFETY: the pointer lives until the call ends.
        unsafe { call!(context, allocate_on_host(&raw mut host, words * 4, MAPPED)) }?;
        let host = host.cast();
        let mut mailbox = Self { context: Rc::clone(context), host, device: 0, words };
        // SAFETY: mapped memory of the call before.
        unsafe { call!(context, address_of_host(&raw mut mailbox.device, host.cast(), 0)) }?;
        (0..words).for_each(|at| mailbox.put(at, 0));
        Ok(mailbox)
    }

    /// Where the device sees a word.
    pub(crate) fn address(&self, at: usize) -> Address {
        self.device + 4 * at as u64
    }

    /// Writes a word, seen by the device at once.
    pub(crate) fn put(&self, at: usize, value: u32) {
        assert!(at < self.words, "a mailbox has a fixed number of words");
        // SAFETY: inside the allocation; the device reads it as volatile, too.
        unsafe { self.host.add(at).write_volatile(value) };
    }

    /// Reads a word as the device left it.
    pub(crate) fn get(&self, at: usize) -> u32 {
        assert!(at < self.words, "a mailbox has a fixed number of words");
        // SAFETY: as above.
        unsafe { self.host.add(at).read_volatile() }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        // SAFETY: allocated once in `new`; users wait for their kernels before they let go.
        let _ = unsafe { call!(self.context, free_on_host(self.host.cast())) };
    }
}
