//! The child process that owns a device and a plugin, and how the program speaks with it.
//!
//! Whatever can crash, hang or poison a process lives here: a plugin's functions, the driver, the
//! kernels. The parent keeps a kill timer per request; a crash or a hang costs one trial and a
//! restart, and a worker never outlives its parent.

mod arena;
mod benchmark_code;
mod caches;
mod checked;
mod client;
mod conduct;
mod copying;
mod examination;
#[cfg(test)]
mod fake;
mod fault;
mod input;
mod interleaved;
mod keeper;
mod kernels;
mod kin;
mod limits;
mod measuring;
mod opened;
mod process;
mod protocol;
mod race;
mod references;
mod requests;
mod ring;
mod rounds;
mod series;
mod server;
mod session;
mod steady;
mod stop;
mod together;
mod trial;
#[cfg(test)]
mod trial_tests;
mod turns;
mod watchdog;
mod wire;

pub use client::{COMPILE_WITHIN, Client, ClientSettings};
pub use fault::WorkerFault;
pub use keeper::{CONTROLS, Keeper};
pub use limits::prepare_signals;
pub use protocol::{
    Checking, DeviceChoice, Entrant, Locator, MeasurePlan, RoundsTaken, Setup, Verification,
};
pub use requests::Backends;
pub use server::main;

/// The hidden subcommand that makes the program a worker.
pub const SUBCOMMAND: &str = "__worker";
