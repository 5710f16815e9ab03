//! Templates of new benchmarks in each language. `NAME` stands for the benchmark's name, `SDK` for
//! how Cargo finds this crate.

/// The C header of the table.
pub const HEADER: &str = include_str!("../include/autobench.h");
/// A benchmark in C.
pub const C: &str = include_str!("../templates/benchmark.c");
/// A benchmark in Rust, without its kernel.
pub const RUST: &str = include_str!("../templates/benchmark.rs.txt");
/// Manifest of the benchmark in Rust.
pub const MANIFEST: &str = include_str!("../templates/Cargo.toml.txt");
/// Kernel of the benchmark in Rust.
pub const KERNEL: &str = include_str!("../templates/benchmark.cu");
/// A benchmark as YAML.
pub const YAML: &str = include_str!("../templates/benchmark.yaml");
