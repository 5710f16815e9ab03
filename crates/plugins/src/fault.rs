//! Faults of files and documents that are not benchmarks, one sentence each.

use std::path::PathBuf;

use autobench_sdk::abi::{ABI_VERSION, SYMBOL, Table};

/// What is wrong with a document, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct DocumentFault {
    /// The place, like `restrictions[2]` or `arguments[0].shape[1]`.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

impl DocumentFault {
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// Why there is no benchmark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PluginFault {
    /// No benchmark has this name.
    #[error("no benchmark named `{name}` ({known}); name a file, or a folder with --plugin-path")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known names, in words.
        known: String,
    },
    /// No such file.
    #[error("no benchmark at `{path}`: there is no such file; check the path", path = .0.display())]
    NoFile(PathBuf),
    /// A folder where a file was expected.
    #[error("`{path}` is a folder; name a benchmark's file in it, or give the folder with --plugin-path and the benchmark's name alone",
        path = .0.display())]
    Folder(PathBuf),
    /// A file that is neither a library nor YAML, and that cannot be started.
    #[error("`{path}` is no benchmark: it ends neither in `.so` nor in `.yaml`, and is not executable; if it is a program that answers autobench (docs/guide/workers.md), `chmod +x` it",
        path = .0.display())]
    NotExecutable(PathBuf),
    /// A guest where only a plugin's code is loaded.
    #[error("`{path}` is a guest, which only a worker starts", path = .0.display())]
    Guest(PathBuf),
    /// The system cannot load the file.
    #[error("`{path}` cannot be loaded as a library: {why}; build it again as a shared library for this machine",
        path = .path.display())]
    NotALibrary {
        /// The file.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// A library without the plugin symbol.
    #[error("`{path}` is a library but no autobench plugin: it exports no `{SYMBOL}`; `export_benchmark!` in Rust and AUTOBENCH_EXPORT in C export it",
        path = .path.display())]
    NoSymbol {
        /// The file.
        path: PathBuf,
    },
    /// A library with several benchmarks, of which none was named.
    #[error("`{path}` holds several benchmarks; name one of them behind a `#` ({names})",
        path = .path.display())]
    Several {
        /// The file.
        path: PathBuf,
        /// The benchmarks' names, in words.
        names: String,
    },
    /// The table has another version.
    #[error(
        "`{path}` speaks version {theirs} of the plugin interface and this autobench version \
         {ABI_VERSION}; rebuild it with the matching SDK", path = .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The table's version.
        theirs: u32,
    },
    /// A table that is too small.
    #[error(
        "the table of `{path}` has {theirs} bytes where version {ABI_VERSION} has {ours}; set \
         `struct_size` to `sizeof` the table and rebuild it",
        path = .path.display(), ours = size_of::<Table>())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes of the table.
        theirs: u32,
    },
    /// A necessary function is null.
    #[error("`{path}` has no `{function}`, which its document needs", path = .path.display())]
    Lacks {
        /// The file.
        path: PathBuf,
        /// The function.
        function: &'static str,
    },
    /// A function failed or panicked.
    #[error("`{function}` of `{path}` failed: {message}", path = .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// The function.
        function: &'static str,
        /// The function's message.
        message: String,
    },
    /// The output of `describe` is not a document.
    #[error("what `describe` of `{path}` wrote is no document: {why}", path = .path.display())]
    NotADocument {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A document with a wrong entry.
    #[error("the document of `{path}` is wrong at {fault}", path = .path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        fault: DocumentFault,
    },
    /// A fault of syntax, fields or meaning in a YAML file.
    #[error("{path}:{line}:{column}: {message}", path = .path.display())]
    Yaml {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What is wrong there.
        message: String,
    },
    /// A file that cannot be read.
    #[error("cannot read `{path}`: {why}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
}
