//! The device's buffers, by ring number.

use std::collections::BTreeMap;

use device::{Buffer, DeviceFault, Seal};
use space::accuracy::Element;

use super::{
    context::Stream,
    fault::DriverFault,
    memory::{Region, Slot},
    service::Service,
};

#[derive(Default)]
pub(super) struct Buffers(BTreeMap<u64, Region>);

impl Buffers {
    pub(super) fn add(&mut self, number: u64, region: Region) -> Buffer {
        self.0.insert(number, region);
        Buffer::first(number)
    }

    pub(super) fn remove(&mut self, buffer: Buffer) {
        self.0.remove(&buffer.ring);
    }

    pub(super) fn ring(&self, buffer: Buffer) -> Result<&Region, DeviceFault> {
        self.0.get(&buffer.ring).ok_or_else(|| DeviceFault("a buffer was freed".to_owned()))
    }

    pub(super) fn find(&self, buffer: Buffer) -> Result<Slot<'_>, DeviceFault> {
        self.ring(buffer)?.slot(buffer.slot)
    }

    /// Returns the slot, if it holds at least this many elements.
    pub(super) fn holding(
        &self,
        buffer: Buffer,
        element: Element,
        count: u64,
    ) -> Result<Slot<'_>, DeviceFault> {
        let slot = self.find(buffer)?;
        let bytes = count.checked_mul(element.bytes());
        if bytes.is_none_or(|bytes| bytes > slot.bytes()) {
            return Err(DeviceFault(format!(
                "{count} elements of {element} are more than a buffer of {} bytes holds",
                slot.bytes()
            )));
        }
        Ok(slot)
    }

    /// Returns the slot for a write by the device itself. Breaks the seal.
    pub(super) fn open(&self, buffer: Buffer) -> Result<Slot<'_>, DeviceFault> {
        self.ring(buffer)?.sum.set(None);
        self.find(buffer)
    }

    /// Stores the sum of a ring's content.
    pub(super) fn seal(
        &self,
        buffer: Buffer,
        stream: &Stream,
        service: &Service,
    ) -> Result<(), DeviceFault> {
        let ring = self.ring(buffer)?;
        ring.sum.set(Some(service.sum(stream, ring.memory())?));
        Ok(())
    }

    /// Compares a ring's sum with the sum at sealing.
    pub(super) fn sealed(
        &self,
        buffer: Buffer,
        stream: &Stream,
        service: &Service,
    ) -> Result<Seal, DeviceFault> {
        let ring = self.ring(buffer)?;
        Ok(match ring.sum.get() {
            Some(sum) if sum != service.sum(stream, ring.memory())? => Seal::Broken(None),
            _ => Seal::Whole,
        })
    }

    /// Checks the guard zones of all rings in use, and repairs them.
    pub(super) fn guards(&self, stream: &Stream, service: &Service) -> Result<(), String> {
        let mut first = None;
        for (number, region) in &self.0 {
            if !region.take_use() {
                continue;
            }
            let in_words = |fault: DriverFault| fault.to_string();
            // A single slot is read directly. Of many slots, the device finds the broken one.
            let slot = match region.slots() {
                1 => Some(0),
                _ => service.broken_zone(stream, &region.zones()).map_err(in_words)?,
            };
            let Some(slot) = slot else { continue };
            if let Some(what) = region.trespass(stream, slot).map_err(in_words)? {
                region.mend(stream).map_err(in_words)?;
                first.get_or_insert_with(|| format!("buffer {number} was written {what}"));
            }
        }
        first.map_or(Ok(()), Err)
    }
}
