//! What every backend must do, tried on every device this machine has; or, in a process that was
//! started for it, on a simulated one.

pub(crate) mod bench;
mod formats;
mod kernels;
mod memory;

pub(crate) use bench::{Bench, int, job, step};

/// Names the backend whose libraries are simulated in this process.
pub(crate) const SIMULATED: &str = "AUTOBENCH_TEST_SIMULATED_GPU";

/// The backend whose libraries are simulated in this process.
pub(crate) fn simulated() -> Option<String> {
    std::env::var(SIMULATED).ok()
}

/// Every device of this machine, or the simulated one.
pub(crate) fn devices() -> Vec<Bench> {
    let simulated = simulated();
    bench::devices_of(|name| simulated.as_deref().is_none_or(|only| only == name))
}
