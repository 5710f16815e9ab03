//! autobench finds the problem size that saturates a device, and the best variant of a kernel
//! there.
//!
//! The program's picture is in [`study`]: a benchmark is described by its plugin, its sizes grow
//! until the device is saturated, and inside every size a strategy tunes the kernel. Each folder
//! is one room of the house; `docs/architecture.md` says which room may know which.

pub mod registry;

pub mod accuracy;
pub mod backends;
pub mod ceilings;
pub mod cli;
pub mod comparison;
pub mod evolution;
pub mod exporters;
pub mod health;
pub mod history;
pub mod knees;
pub mod numeric;
pub mod observers;
pub mod plugins;
pub mod records;
pub mod scaling;
pub mod scoring;
pub mod scripts;
pub mod serving;
pub mod settings;
pub mod space;
pub mod strategies;
pub mod study;
pub mod suites;
pub mod tuning;
pub mod worker;
pub mod workload;
pub mod yaml;
