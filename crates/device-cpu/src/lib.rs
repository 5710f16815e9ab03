//! The machine's processor as a device: kernels go through the host's C++ compiler and run on
//! pinned threads.
//!
//! This crate never knows about benchmarks or strategies. Begin with `device.rs`.

mod batches;
mod buffers;
mod build;
mod cache;
mod compiler;
mod device;
mod facts;
mod floating;
mod flush;
mod launch;
mod library;
mod limits;
mod lines;
mod mapping;
mod memory;
mod parts;
mod pool;
mod scratch;
mod seals;
mod slot;
mod source;
mod sweep;
mod symbols;
mod timing;
mod waiting;

use ::device::{Backend, Device, DeviceFault, DeviceInfo, Missing};

inventory::submit!(Backend {
    name: "cpu",
    about: "the processor of this machine, through the host's C++ compiler",
    probe,
    open,
    controls: None,
});

fn probe() -> Result<Vec<DeviceInfo>, Missing> {
    let compiler = compiler::Compiler::find()?;
    let memory = limits::memory().map_err(|error| Missing {
        why: format!("how much memory is free cannot be read: {error}"),
        cure: "see that /proc/meminfo can be read".to_owned(),
    })?;
    Ok(vec![facts::info(&compiler, &limits::cores(), memory)])
}

fn open(ordinal: usize) -> Result<Box<dyn Device>, DeviceFault> {
    if ordinal != 0 {
        return Err(DeviceFault(format!("there is one cpu device, `cpu:0`, and no {ordinal}")));
    }
    let compiler =
        compiler::Compiler::find().map_err(|missing| DeviceFault(missing.to_string()))?;
    Ok(Box::new(device::CpuDevice::new(compiler)?))
}
