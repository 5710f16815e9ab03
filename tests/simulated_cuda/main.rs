//! The CUDA backend over a simulated driver: what can be known of it without a GPU.
//!
//! `driver.cpp` is a libcuda over the host's memory, `nvrtc.cpp` makes kernels of the host of CUDA
//! sources. The backend finds both through the variables that users have. Since a process reads
//! those for its whole life, what needs them runs in processes of its own: the program, or this
//! very binary, started again for the tests in `contract` and `inner`.
#![expect(clippy::float_cmp, reason = "devices compute these values exactly")]

#[path = "../backend_contract/bench.rs"]
mod bench;
mod contract;
mod controlled;
mod inner;
mod libraries;
mod outer;
mod real_compiler;
mod several;
#[path = "../support/mod.rs"]
mod support;

pub(crate) use bench::{Bench, int, job, step};

/// The simulated device, in a process that was started for it; else none.
pub(crate) fn devices() -> Vec<Bench> {
    if libraries::are_in_use() { bench::devices_of(|name| name == "cuda") } else { Vec::new() }
}
