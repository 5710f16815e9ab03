//! The entry of a registry is in a file with its name; other code in the same place is in folders.

use std::{collections::BTreeSet, fs};

use device::BACKENDS;
use knees::DETECTORS;
use report::exporters::EXPORTERS;
use search_api::STRATEGIES;
use worker::observers::OBSERVERS;

use super::{root, text};

/// Names of a folder's files and folders that submit an entry. Panics if a file submits none.
fn entries(folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root().join(folder)).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if ["mod", "lib"].contains(&name.as_str()) {
            continue;
        }
        let file = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
        let submits = text(&file).contains("\ninventory::submit!");
        assert!(submits || path.is_dir(), "{} is no entry", file.display());
        if submits {
            found.insert(name);
        }
    }
    found
}

#[test]
fn a_file_is_called_what_its_entry_is_called() {
    let gpus = BACKENDS.names().filter(|name| *name != "cpu");
    let folders: [(&str, Vec<&str>); 5] = [
        ("crates/device-gpu/src", gpus.collect()),
        ("crates/report/src/exporters", EXPORTERS.names().collect()),
        ("crates/knees/src", DETECTORS.names().collect()),
        ("crates/worker/src/observers", OBSERVERS.names().collect()),
        ("crates/search/src", STRATEGIES.names().collect()),
    ];
    for (folder, names) in folders {
        let names = names.into_iter().map(|name| name.replace('-', "_")).collect();
        assert_eq!(entries(folder), names, "{folder}");
    }
}
