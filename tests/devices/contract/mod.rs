//! Requirements for every backend, tested on every device of this machine. A process that was
//! started for it tests a simulated device instead.

pub(crate) mod bench;
mod formats;
mod kernels;
mod memory;

pub(crate) use bench::{Bench, int, job, step};

/// Environment variable with the backend whose libraries are simulated in this process.
pub(crate) const SIMULATED: &str = "AUTOBENCH_TEST_SIMULATED_GPU";

/// The backend whose libraries are simulated in this process.
pub(crate) fn simulated() -> Option<String> {
    std::env::var(SIMULATED).ok()
}

/// Every device of this machine, or only the simulated one.
pub(crate) fn devices() -> Vec<Bench> {
    let simulated = simulated();
    bench::devices_of(|name| simulated.as_deref().is_none_or(|only| only == name))
}
