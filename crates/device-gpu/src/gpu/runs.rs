//! Prepares the runs of a compiled configuration.

use std::collections::BTreeMap;

use device::{
    ArgumentValue, BoundLaunch, Buffer, DeviceFault, RunFault,
    arguments::parameters::LaunchParameter,
};

use super::{
    context::Stream,
    driver::Limits,
    launch::PreparedLaunch,
    loaded::Loaded,
    memory::{Region, Slot},
};

pub(crate) struct Built {
    loaded: Loaded,
    /// Threads per block that each entry was compiled for.
    blocks: Vec<[u32; 3]>,
    /// Block size and dynamic shared memory of the last launch of the first entry.
    launched: Option<([u32; 3], u32)>,
}

impl Built {
    pub(crate) fn new(loaded: Loaded, blocks: Vec<[u32; 3]>) -> Self {
        Self { loaded, blocks, launched: None }
    }

    /// Prepares the steps of a run: checks them, and queues the copies to their constants.
    pub(crate) fn ready<'a>(
        &mut self,
        stream: &Stream,
        steps: &[BoundLaunch],
        limits: &Limits,
        region: impl Fn(Buffer) -> Result<&'a Region, DeviceFault>,
    ) -> Result<Vec<PreparedLaunch>, RunFault> {
        let region = |buffer| region(buffer).map_err(|fault| RunFault::Failed(fault.0));
        let (mut ready, mut constants) = (Vec::with_capacity(steps.len()), Vec::new());
        for step in steps {
            let function = self.loaded.functions.get(step.entry).ok_or_else(|| {
                RunFault::Invalid(format!("the kernel has no entry {}", step.entry))
            })?;
            let mut values = Vec::with_capacity(step.arguments.len());
            for argument in &step.arguments {
                match argument {
                    ArgumentValue::Buffer(buffer) => {
                        let ring = region(*buffer)?;
                        ring.note_use();
                        let place = ring.place(buffer.slot);
                        let place = place.map_err(|fault| RunFault::Failed(fault.0))?;
                        values.push(LaunchParameter::RingAddress(place));
                    }
                    ArgumentValue::Scalar(bytes) => {
                        values.push(LaunchParameter::Bytes(bytes.clone()))
                    }
                    ArgumentValue::Constant(name, buffer) => {
                        let slot = region(*buffer)?.slot(buffer.slot);
                        let slot = slot.map_err(|fault| RunFault::Failed(fault.0))?;
                        constants.push((self.room(name, slot)?, slot));
                    }
                }
            }
            let compiled_for = self.blocks.get(step.entry).copied().unwrap_or_default();
            let function = (&self.loaded, function);
            ready.push(PreparedLaunch::new(step, function, compiled_for, limits, &values)?);
        }
        for (address, slot) in constants {
            slot.copy_out(stream, address).map_err(|fault| fault.of_launch())?;
        }
        let first = steps.iter().find(|step| step.entry == 0);
        self.launched = first.map(|step| (step.block, step.shared_bytes)).or(self.launched);
        Ok(ready)
    }

    /// Address of the `__constant__` variable of this name, if the slot fits into it.
    fn room(&self, name: &str, slot: Slot<'_>) -> Result<u64, RunFault> {
        let (address, bytes) = self.loaded.constant(name).ok_or_else(|| {
            RunFault::Invalid(format!("the kernel has no `__constant__` variable `{name}`"))
        })?;
        if slot.bytes() > bytes {
            return Err(RunFault::Invalid(format!(
                "the constant `{name}` holds {bytes} bytes and was given {}",
                slot.bytes()
            )));
        }
        Ok(address)
    }

    /// Facts from the compiler and the driver. `most_threads` is how many threads a multiprocessor
    /// runs at once.
    pub(crate) fn facts(&self, most_threads: u32) -> BTreeMap<String, f64> {
        let mut facts = self.loaded.facts();
        if let (Some((block, dynamic)), Some(function)) =
            (self.launched, self.loaded.functions.first())
        {
            let threads = block.iter().product();
            if let Ok(blocks) = self.loaded.resident_blocks(function, threads, dynamic) {
                let resident = f64::from(blocks) * f64::from(threads);
                facts.insert("resident_blocks".to_owned(), f64::from(blocks));
                facts.insert("occupancy".to_owned(), resident / f64::from(most_threads));
            }
        }
        facts
    }
}
