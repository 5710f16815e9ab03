//! The device's memory that is in use, by the numbers that its user knows.

use std::collections::BTreeMap;

use super::{context::Stream, fault::Fault, memory::Region};
use crate::backends::{Buffer, DeviceFault, Element};

/// All buffers.
#[derive(Default)]
pub(super) struct Buffers(BTreeMap<u64, Region>);

impl Buffers {
    /// Takes a new one under a number that none had.
    pub(super) fn add(&mut self, number: u64, region: Region) -> Buffer {
        self.0.insert(number, region);
        Buffer(number)
    }

    /// Gives one back.
    pub(super) fn remove(&mut self, buffer: Buffer) {
        self.0.remove(&buffer.0);
    }

    /// The memory of one.
    pub(super) fn find(&self, buffer: Buffer) -> Result<&Region, DeviceFault> {
        self.0.get(&buffer.0).ok_or_else(|| DeviceFault("a buffer was freed".to_owned()))
    }

    /// One that holds at least this many elements.
    pub(super) fn holding(
        &self,
        buffer: Buffer,
        element: Element,
        count: u64,
    ) -> Result<&Region, DeviceFault> {
        let region = self.find(buffer)?;
        let bytes = count.checked_mul(element.bytes());
        if bytes.is_none_or(|bytes| bytes > region.bytes()) {
            return Err(DeviceFault(format!(
                "{count} elements of {element} are more than a buffer of {} bytes holds",
                region.bytes()
            )));
        }
        Ok(region)
    }

    /// Whether nobody wrote beyond any; what was written is mended.
    pub(super) fn guards(&self, stream: &Stream) -> Result<(), String> {
        let mut first = None;
        for (number, region) in &self.0 {
            let in_words = |fault: Fault| fault.to_string();
            if let Some(what) = region.trespass(stream).map_err(in_words)? {
                region.mend(stream).map_err(in_words)?;
                first.get_or_insert_with(|| format!("buffer {number} was written {what}"));
            }
        }
        first.map_or(Ok(()), Err)
    }
}
