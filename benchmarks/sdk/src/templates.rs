//! Templates of new benchmarks in each language. `NAME` stands for the benchmark's name.

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

const SDK_MANIFEST: &str = include_str!("../templates/sdk-Cargo.toml.txt");

/// This crate's files, by path. A benchmark in Rust carries a copy, so that it builds anywhere.
#[must_use]
pub fn sdk() -> Vec<(&'static str, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let manifest = ("Cargo.toml", SDK_MANIFEST.replace("VERSION", version));
    // The copy keeps `VERSION` as a placeholder, so that it can be copied again.
    let again = ("templates/sdk-Cargo.toml.txt", SDK_MANIFEST.to_owned());
    let files = SDK_FILES.iter().map(|(path, text)| (*path, (*text).to_owned()));
    [manifest, again].into_iter().chain(files).collect()
}

const SDK_FILES: [(&str, &str); 17] = [
    ("include/autobench.h", HEADER),
    ("src/abi.rs", include_str!("abi.rs")),
    ("src/author.rs", include_str!("author.rs")),
    ("src/builder.rs", include_str!("builder.rs")),
    ("src/document.rs", include_str!("document.rs")),
    ("src/export.rs", include_str!("export.rs")),
    ("src/inputs.h", include_str!("inputs.h")),
    ("src/inputs.rs", include_str!("inputs.rs")),
    ("src/lib.rs", include_str!("lib.rs")),
    ("src/options.rs", include_str!("options.rs")),
    ("src/stage.rs", include_str!("stage.rs")),
    ("src/templates.rs", include_str!("templates.rs")),
    ("templates/Cargo.toml.txt", MANIFEST),
    ("templates/benchmark.c", C),
    ("templates/benchmark.cu", KERNEL),
    ("templates/benchmark.rs.txt", RUST),
    ("templates/benchmark.yaml", YAML),
];
