//! The HIP backend over a simulated GPU: what can be known of it without a real one.
//!
//! `driver.cpp` is a libamdhip64 over the host's memory, `hiprtc.cpp` makes kernels of the host of
//! CUDA sources. The backend finds both through the variables that users have. Since a process
//! reads those for its whole life, what needs them runs in processes of its own: the program, or
//! this very binary, started again for the tests in `contract` and `inner`. What is not the
//! vendor's own is in `tests/simulated_gpu`.
#![expect(clippy::float_cmp, reason = "devices compute these values exactly")]

#[path = "../backend_contract/bench.rs"]
mod bench;
#[path = "../simulated_gpu/contract.rs"]
mod contract;
#[path = "../simulated_gpu/inner.rs"]
mod inner;
#[path = "../simulated_gpu/libraries.rs"]
mod libraries;
#[path = "../simulated_gpu/outer.rs"]
mod outer;
mod own;
#[path = "../simulated_gpu/real_compiler.rs"]
mod real_compiler;
#[path = "../support/mod.rs"]
mod support;
mod vendor;

pub(crate) use bench::{Bench, int, job, step};

/// The simulated device, in a process that was started for it; else none.
pub(crate) fn devices() -> Vec<Bench> {
    if libraries::are_in_use() {
        bench::devices_of(|name| name == vendor::BACKEND)
    } else {
        Vec::new()
    }
}
