//! Who may know whom: dependencies between the rooms of the house point one way.

use std::{fs, path::Path};

/// Every room and the rooms it may name. `cli` may see everything and nothing may name `cli`
/// (but `main.rs`).
const ROOMS: &[(&str, &[&str])] = &[
    ("numeric", &[]),
    ("space", &["numeric"]),
    ("knees", &["numeric", "registry"]),
    ("accuracy", &["numeric"]),
    ("strategies", &["space", "numeric", "registry"]),
    ("records", &["space", "accuracy", "numeric"]),
    ("backends", &["accuracy", "registry"]),
    ("plugins", &["space", "accuracy", "records"]),
    ("observers", &["records", "backends", "numeric", "registry"]),
    (
        "worker",
        &[
            "backends",
            "plugins",
            "observers",
            "records",
            "accuracy",
            "space",
            "numeric",
            "registry",
        ],
    ),
    ("tuning", &["strategies", "space", "records", "worker", "accuracy", "numeric", "plugins"]),
    ("scaling", &["knees", "numeric", "space", "records", "plugins"]),
    ("exporters", &["records", "knees", "numeric", "space", "registry"]),
    (
        "study",
        &[
            "plugins",
            "scaling",
            "knees",
            "tuning",
            "strategies",
            "space",
            "records",
            "worker",
            "exporters",
            "numeric",
            "accuracy",
            "observers",
        ],
    ),
    ("registry", &[]),
];

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("source folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The rooms that a source text names through `crate::room` (also inside `use crate::{a, b}`).
fn named(text: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for line in text.lines().filter(|l| !l.trim_start().starts_with("//")) {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            if let Some(group) = rest.strip_prefix('{') {
                rooms.extend(group.split([',', '}']).map(first_word));
            } else {
                rooms.push(first_word(rest));
            }
        }
    }
    rooms
}

fn first_word(text: &str) -> String {
    text.trim().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

#[test]
fn rooms_only_know_the_rooms_they_may_know() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let mut faults = Vec::new();
    for path in all {
        let inside = path.strip_prefix(&source).expect("inside src");
        let room = inside.iter().next().expect("a name").to_string_lossy();
        let room = room.trim_end_matches(".rs");
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            assert!(matches!(room, "cli" | "main" | "lib"), "`{room}` is in no row of the table");
            continue;
        };
        let text = fs::read_to_string(&path).expect("source");
        for other in named(&text) {
            let known = ROOMS.iter().any(|(name, _)| *name == other) || other == "cli";
            if known && other != room && !allowed.contains(&other.as_str()) {
                faults.push(format!("`{room}` must not use `{other}` ({})", inside.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pure_rooms_touch_no_device_file_or_clock() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ["numeric", "space", "knees", "accuracy", "strategies"] {
        let mut all = Vec::new();
        files(&source.join(room), &mut all);
        for path in all {
            let text = fs::read_to_string(&path).expect("source");
            for forbidden in ["std::fs", "std::process", "std::time", "std::net", "libloading"] {
                assert!(!text.contains(forbidden), "{} uses {forbidden}", path.display());
            }
        }
    }
}
