//! Steps of a run: checks them against the limits of the device and the function, and queues them.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::ffi::c_void;

use device::{
    BoundLaunch, RunFault,
    arguments::parameters::{LaunchParameter, LaunchParameters},
};

use super::{
    calls::{Handle, call},
    context::Stream,
    driver::Limits,
    fault::DriverFault,
    loaded::{Loaded, LoadedFunction},
};

pub(crate) struct PreparedLaunch {
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    parameters: LaunchParameters,
    pointers: Vec<*mut c_void>,
}

impl PreparedLaunch {
    /// Checks a step. `compiled_for` is the block size at compile time; zeros if any size works.
    pub(crate) fn new(
        step: &BoundLaunch,
        (loaded, function): (&Loaded, &LoadedFunction),
        compiled_for: [u32; 3],
        limits: &Limits,
        parameters: &[LaunchParameter],
    ) -> Result<Self, RunFault> {
        check(step, function, compiled_for, limits).map_err(RunFault::Invalid)?;
        let ready =
            Self::unchecked(function.handle, step.grid, step.block, step.shared_bytes, parameters);
        let given: Vec<u32> = ready.parameters.sizes().iter().map(|&bytes| bytes as u32).collect();
        if let Some(taken) = &function.parameters
            && *taken != given
        {
            return Err(RunFault::Invalid(format!(
                "the kernel takes parameters of {taken:?} bytes and was given {given:?}"
            )));
        }
        loaded.allow(function, step.shared_bytes).map_err(|fault| fault.of_launch())?;
        Ok(ready)
    }

    /// A launch of one of our own functions, which needs no checks.
    pub(crate) fn unchecked(
        function: Handle,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        parameters: &[LaunchParameter],
    ) -> Self {
        let parameters = LaunchParameters::new(parameters);
        let pointers = parameters.addresses().map(|at| at.cast_mut().cast()).collect();
        Self { function, grid, block, shared, parameters, pointers }
    }

    pub(crate) fn goes_round(&self) -> bool {
        self.parameters.go_round()
    }

    /// Points every ring at this slot, modulo the ring's number of slots.
    pub(crate) fn turn_to(&mut self, slot: u32) {
        self.parameters.turn_to(slot);
    }

    /// Points every ring at its next slot.
    pub(crate) fn turn(&mut self) {
        self.parameters.turn();
    }

    /// Queues the launch. The driver copies the parameters.
    pub(crate) fn queue(&self, stream: &Stream) -> Result<(), DriverFault> {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        let parameters = self.pointers.as_ptr().cast_mut();
        // SAFETY: the function belongs to a loaded module. The parameters have the function's
        // sizes, which were checked wherever they are known. The driver only reads the array of
        // pointers.
        unsafe {
            let (function, shared, stream_handle) = (self.function, self.shared, stream.handle);
            let none = std::ptr::null_mut();
            call!(
                stream.context,
                launch(function, gx, gy, gz, bx, by, bz, shared, stream_handle, parameters, none)
            )
        }
    }
}

/// Queues runs, each on the next slot of every ring.
pub(crate) fn queue_all(
    stream: &Stream,
    ready: &mut [PreparedLaunch],
    runs: u32,
) -> Result<(), DriverFault> {
    for _ in 0..runs {
        for step in ready.iter_mut() {
            step.queue(stream)?;
            step.turn();
        }
    }
    Ok(())
}

fn check(
    step: &BoundLaunch,
    function: &LoadedFunction,
    compiled_for: [u32; 3],
    limits: &Limits,
) -> Result<(), String> {
    let BoundLaunch { grid, block, shared_bytes, .. } = step;
    let threads: u64 = block.iter().map(|&n| u64::from(n)).product();
    if threads == 0 || threads > u64::from(limits.threads) || beyond(block, &limits.block) {
        return Err(format!(
            "a block of {block:?} threads; the device takes 1 to {} of them, at most {:?}",
            limits.threads, limits.block
        ));
    }
    if threads > u64::from(function.most_threads) {
        return Err(format!(
            "a block of {threads} threads; with the kernel's registers it can have {}",
            function.most_threads
        ));
    }
    if compiled_for.iter().any(|&n| n != 0) && compiled_for != *block {
        return Err(format!(
            "compiled for blocks of {compiled_for:?} threads, launched with {block:?}"
        ));
    }
    if grid.contains(&0) || beyond(grid, &limits.grid) {
        return Err(format!("a grid of {grid:?} blocks; the device takes 1 to {:?}", limits.grid));
    }
    let shared = u64::from(*shared_bytes) + u64::from(function.shared);
    if shared > u64::from(limits.shared) {
        return Err(format!(
            "{shared} bytes of shared memory for a block, {shared_bytes} of them dynamic; the \
             device has {}",
            limits.shared
        ));
    }
    Ok(())
}

fn beyond(asked: &[u32; 3], limits: &[u32; 3]) -> bool {
    asked.iter().zip(limits).any(|(asked, limit)| asked > limit)
}
