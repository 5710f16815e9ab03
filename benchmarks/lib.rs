//! The benchmarks of this repository. Each folder here with a `mod.rs` is a benchmark; the build
//! script finds them. They are part of the program, wherever it is installed.

include!(concat!(env!("OUT_DIR"), "/benchmarks.rs"));
