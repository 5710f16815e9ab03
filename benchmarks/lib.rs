//! The benchmarks of this repository. Each folder here with a `mod.rs` is one, found by the build
//! script. The program has them wherever it is installed.

include!(concat!(env!("OUT_DIR"), "/benchmarks.rs"));
