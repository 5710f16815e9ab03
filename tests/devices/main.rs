//! Devices: requirements for every backend, tests of a real GPU, and simulated GPUs.
#![expect(clippy::float_cmp, reason = "devices compute these values exactly")]
#![expect(clippy::duplicate_mod, reason = "each vendor has the shared tests around its own names")]

mod contract;
mod precision;
mod real;
mod simulated_cuda;
mod simulated_hip;
#[path = "../support/mod.rs"]
mod support;

use std::sync::RwLock;

/// Lock of the GPU: shared by ordinary tests, exclusive for misbehaving tests.
static GPU: RwLock<()> = RwLock::new(());

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_autobench");

// Links the devices, which register themselves.
use autobench as _;
