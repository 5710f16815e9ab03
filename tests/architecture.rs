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
    ("workload", &["accuracy"]),
    ("backends", &["workload", "accuracy", "registry"]),
    ("plugins", &["workload", "space", "accuracy", "records"]),
    ("observers", &["records", "backends", "numeric", "registry"]),
    (
        "worker",
        &[
            "backends",
            "plugins",
            "workload",
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
    ("health", &["records", "numeric"]),
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
            "registry",
        ],
    ),
    ("scoring", &["tuning", "strategies", "space", "records", "numeric", "registry"]),
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

/// What a source text names under a root: `room` in `crate::room` and in `use crate::{a, room}`.
fn named(text: &str, root: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices(root) {
        let rest = &code[at + root.len()..];
        match rest.strip_prefix('{') {
            Some(group) => rooms.extend(outermost(group).into_iter().map(first_word)),
            None => rooms.push(first_word(rest)),
        }
    }
    rooms.retain(|room| !room.is_empty());
    rooms
}

/// The parts of a group up to its closing brace, groups inside it unopened.
fn outermost(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts
}

#[test]
fn groups_over_several_lines_are_looked_into() {
    let text =
        "use crate::{\n    records::{Event, Named},\n    space::Space,\n};\ncrate::worker::x";
    assert_eq!(named(text, "crate::"), ["records", "space", "worker"]);
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
        for other in named(&text, "crate::") {
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
            assert!(!text.contains("libloading"), "{} loads libraries", path.display());
            for used in named(&text, "std::") {
                let forbidden = ["fs", "process", "time", "net", "env", "thread"];
                assert!(!forbidden.contains(&used.as_str()), "{}: std::{used}", path.display());
            }
        }
    }
}
