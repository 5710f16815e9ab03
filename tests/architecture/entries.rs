//! A registry's entry is in a file of its name; everything else in the room is in folders.

use std::{collections::BTreeSet, fs};

use autobench::{
    backends::BACKENDS, exporters::EXPORTERS, knees::DETECTORS, observers::OBSERVERS,
    strategies::STRATEGIES,
};

use super::{source, text};

/// Names of a room's files and folders that submit an entry; panics at a file that submits none.
fn entries(room: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(source().join(room)).expect("a room") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if name == "mod" {
            continue;
        }
        let file = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
        let submits = text(&file).contains("\ninventory::submit!");
        assert!(submits || path.is_dir(), "{} is no entry of its room", file.display());
        if submits {
            found.insert(name);
        }
    }
    found
}

#[test]
fn a_file_is_called_what_its_entry_is_called() {
    let rooms: [(&str, Vec<&str>); 5] = [
        ("backends", BACKENDS.names().collect()),
        ("exporters", EXPORTERS.names().collect()),
        ("knees", DETECTORS.names().collect()),
        ("observers", OBSERVERS.names().collect()),
        ("strategies", STRATEGIES.names().collect()),
    ];
    for (room, names) in rooms {
        let names = names.into_iter().map(|name| name.replace('-', "_")).collect();
        assert_eq!(entries(room), names, "{room}");
    }
}
