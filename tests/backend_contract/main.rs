//! What every backend must do, tried on every device this machine has.
#![expect(clippy::float_cmp, reason = "devices compute these values exactly")]

mod bench;
mod formats;
mod kernels;
mod memory;

pub(crate) use bench::{Bench, int, job, step};

/// Every device of this machine.
pub(crate) fn devices() -> Vec<Bench> {
    bench::devices_of(|_| true)
}
