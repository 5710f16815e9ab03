//! The device's buffers, by ring number.

use std::collections::{BTreeMap, BTreeSet};

use device::{ArgumentValue, BoundLaunch, Buffer, DeviceFault, SampleRuns};
use space::accuracy::Element;

use super::{memory::Region, pool::ThreadPool, slot::Slot};

#[derive(Default)]
pub(super) struct Buffers(BTreeMap<u64, Region>);

impl Buffers {
    pub(super) fn add(&mut self, number: u64, region: Region) -> Buffer {
        self.0.insert(number, region);
        Buffer::first(number)
    }

    pub(super) fn remove(&mut self, buffer: Buffer) -> Option<Region> {
        self.0.remove(&buffer.ring)
    }

    pub(super) fn ring(&self, buffer: Buffer) -> Result<&Region, DeviceFault> {
        self.0.get(&buffer.ring).ok_or_else(freed)
    }

    pub(super) fn find(&self, buffer: Buffer) -> Result<Slot<'_>, DeviceFault> {
        self.ring(buffer)?.slot(buffer.slot)
    }

    /// Returns the slot and the count, if the slot holds this many elements.
    pub(super) fn holding(
        &self,
        buffer: Buffer,
        element: Element,
        count: u64,
    ) -> Result<(Slot<'_>, usize), DeviceFault> {
        let slot = self.find(buffer)?;
        let bytes = count.checked_mul(element.bytes());
        let fits = bytes.is_some_and(|bytes| bytes <= slot.bytes() as u64);
        usize::try_from(count).ok().filter(|_| fits).map(|count| (slot, count)).ok_or_else(|| {
            DeviceFault(format!(
                "{count} elements of {element} are more than a buffer of {} bytes holds",
                slot.bytes()
            ))
        })
    }

    /// Returns the slot for a write by the device itself. Breaks the seal.
    pub(super) fn open(&mut self, buffer: Buffer) -> Result<Slot<'_>, DeviceFault> {
        let ring = self.0.get_mut(&buffer.ring).ok_or_else(freed)?;
        ring.unseal();
        ring.slot(buffer.slot)
    }

    /// Touches the pages of a ring that is about to be read, if they rested.
    pub(super) fn wake(&mut self, buffer: Buffer, pool: &ThreadPool) -> Result<(), DeviceFault> {
        self.0.get_mut(&buffer.ring).ok_or_else(freed)?.wake(pool);
        Ok(())
    }

    /// Makes a ring read-only for kernels.
    pub(super) fn seal(&mut self, buffer: Buffer) -> Result<(), DeviceFault> {
        self.0.get_mut(&buffer.ring).ok_or_else(freed)?.seal()
    }

    /// Touches the pages of rings that runs are about to use, and marks the slots as used, so that
    /// their guard zones are checked.
    pub(super) fn note_use(
        &mut self,
        steps: &[BoundLaunch],
        (runs, first): (u32, Option<u32>),
        pool: &ThreadPool,
    ) {
        for argument in steps.iter().flat_map(|step| &step.arguments) {
            if let ArgumentValue::Buffer(buffer) = argument
                && let Some(ring) = self.0.get_mut(&buffer.ring)
            {
                ring.wake(pool);
                ring.note_use(SampleRuns { runs, first: first.unwrap_or(buffer.slot) });
            }
        }
    }

    /// The slots that runs of these steps use.
    pub(super) fn used_by(&self, steps: &[BoundLaunch], sample_runs: SampleRuns) -> Vec<Slot<'_>> {
        let number = |argument: &ArgumentValue| match argument {
            ArgumentValue::Buffer(buffer) => Some(buffer.ring),
            ArgumentValue::Constant(..) | ArgumentValue::Scalar(_) => None,
        };
        let numbers = steps.iter().flat_map(|step| &step.arguments).filter_map(number);
        let rings =
            BTreeSet::from_iter(numbers).into_iter().filter_map(|number| self.0.get(&number));
        rings.flat_map(|ring| ring.used_by(sample_runs)).collect()
    }

    /// Checks the guard zones of all slots in use, and repairs them.
    pub(super) fn guards(&mut self) -> Result<(), String> {
        let mut first = None;
        for (number, region) in &mut self.0 {
            if let Some((_, what)) = region.trespass() {
                first.get_or_insert_with(|| format!("buffer {number} was written {what}"));
            }
        }
        first.map_or(Ok(()), Err)
    }
}

fn freed() -> DeviceFault {
    DeviceFault("a buffer was freed".to_owned())
}
