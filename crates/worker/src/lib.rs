//! The child process that owns a device and a plugin, and how the program communicates with it.
//! Everything that can crash, hang or damage a process runs here: plugins, drivers, kernels. The
//! parent has a kill timer per request. A crash or a hang costs one trial and a restart, and a
//! worker never outlives its parent.
//!
//! This crate never knows about strategies, objectives or knees. Begin with `client.rs`, then
//! `trial.rs`.

mod arena;
mod benchmark_code;
mod caches;
mod checked;
mod client;
mod cold_bytes;
mod control_worker;
mod copying;
mod descendants;
mod examination;
#[cfg(test)]
mod fake;
mod fault;
mod input;
mod interleaved;
mod interleaved_trials;
mod isolation;
mod kernels;
mod limits;
mod measuring;
pub mod observers;
mod opened;
mod opening;
mod output;
mod process;
mod process_state;
mod protocol;
mod ratio;
mod read_ring;
mod references;
mod requests;
mod ring;
mod rotation;
mod rounds;
mod series;
mod server;
mod session;
mod steadiness_probe;
mod temporary;
mod trial;
mod trial_failure;
#[cfg(test)]
mod trial_tests;
mod turn;
mod watchdog;
mod wire;

pub use client::{COMPILE_WITHIN, Client};
pub use control_worker::{CONTROLS, ControlWorker};
pub use fault::WorkerFault;
pub use process::ClientSettings;
pub use protocol::{Checking, DeviceChoice, Locator, MeasurePlan, Participant, RoundsTaken, Setup};
pub use requests::Backends;
pub use server::run_if_worker;
