//! The contract of all backends.

#[path = "../backend_contract/formats.rs"]
mod formats;
#[path = "../backend_contract/kernels.rs"]
mod kernels;
#[path = "../backend_contract/memory.rs"]
mod memory;
