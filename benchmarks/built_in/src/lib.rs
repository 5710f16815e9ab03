//! The benchmarks of this repository as parts of the program, so that it has them wherever it is
//! installed. Each is the `lib.rs` that is a plugin of its own, too, taken as a module: here its table
//! is a static among others, and not the one symbol of a library.

#![expect(clippy::duplicate_mod, reason = "as crates, benchmarks share files")]

// To the modules, this crate is the SDK; only what exports a benchmark differs.
extern crate self as autobench_sdk;

pub use sdk::*;

/// Names a benchmark's table within its module.
#[macro_export]
macro_rules! export_benchmark {
    ($benchmark:ty) => {
        /// The benchmark's table.
        pub static AUTOBENCH_BENCHMARK: $crate::abi::Table = $crate::export::table::<$benchmark>();
    };
}

/// All names that a benchmark's `lib.rs` needs.
pub mod prelude {
    pub use crate::export_benchmark;
    pub use sdk::prelude::*;
}

include!(concat!(env!("OUT_DIR"), "/benchmarks.rs"));
