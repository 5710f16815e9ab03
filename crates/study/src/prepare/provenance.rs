//! Provenance of results for a study's record: command line, host, hashes.

use std::path::Path;

use autobench_sdk::document::Reference;
use device::machine;
use records::{Host, PLUGIN_HASH, StudyRecord};
use sha2::{Digest, Sha256};

/// Returns the command line of this process, as written in records.
#[must_use]
pub fn argv() -> Vec<String> {
    std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect()
}

pub(super) fn host() -> Host {
    let system = rustix::system::uname();
    Host {
        name: system.nodename().to_string_lossy().into_owned(),
        system: format!(
            "{} {}",
            system.sysname().to_string_lossy(),
            system.release().to_string_lossy()
        ),
        architecture: system.machine().to_string_lossy().into_owned(),
        processor: machine::processor_name(Path::new("/")),
        threads: std::thread::available_parallelism().map_or(1, |n| n.get() as u64),
        memory: machine::memory(Path::new("/")).unwrap_or_default(),
        isolated: false,
    }
}

/// Returns the SHA-256 hash in hex, as written in records.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds the hashes of everything that results depend on to a record.
pub(super) fn hashed(
    mut record: StudyRecord,
    document: &serde_json::Value,
    plugin: Option<&Path>,
) -> StudyRecord {
    let document_hash = hash(document.to_string().as_bytes());
    record.settings.document_hash.clone_from(&document_hash);
    record.hashes.insert("document".to_owned(), document_hash);
    if let Some(sources) = document.get("sources") {
        record.hashes.insert("kernel".to_owned(), hash(sources.to_string().as_bytes()));
    }
    if let Some(path) = plugin
        && let Ok(bytes) = std::fs::read(path)
    {
        record.hashes.insert(PLUGIN_HASH.to_owned(), hash(&bytes));
    }
    record
}

/// Adds the hash of the strategy to a record, if the strategy is a script.
pub(super) fn with_script(mut record: StudyRecord) -> StudyRecord {
    let text = &record.settings.script;
    if !text.is_empty() {
        record.hashes.insert("script".to_owned(), hash(text.as_bytes()));
    }
    record
}

pub(super) fn reference_in_words(reference: &Reference) -> String {
    match reference {
        Reference::Plugin => "the plugin's own reference in f64",
        Reference::Expressions(_) => "an expression per output",
        Reference::Kernel(..) => "a second, plain kernel",
        Reference::Files(_) => "files",
        Reference::Itself => "unverified: self-reference",
        Reference::Guest => "the guest's own",
    }
    .to_owned()
}
