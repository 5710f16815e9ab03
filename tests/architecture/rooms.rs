//! Dependencies between rooms point one way.

use std::collections::BTreeSet;

use super::{files, inside, outermost, source, text};

/// Every room and the rooms it may use. `cli` may use all, and only `main.rs` may use `cli`.
/// `docs/architecture.md` has the same table, with the purpose of each room.
pub(super) const ROOMS: &[(&str, &[&str])] = &[
    ("numeric", &[]),
    ("space", &["numeric"]),
    ("knees", &["numeric", "registry"]),
    ("accuracy", &["numeric"]),
    ("strategies", &["space", "numeric", "registry"]),
    ("scripts", &["strategies", "space", "registry"]),
    ("settings", &["accuracy", "registry"]),
    ("records", &["settings", "space", "accuracy", "numeric", "registry"]),
    ("workload", &["accuracy"]),
    ("backends", &["workload", "accuracy", "registry"]),
    ("plugins", &["workload", "space", "accuracy", "records", "yaml", "registry"]),
    ("observers", &["backends", "records", "registry"]),
    (
        "worker",
        &[
            "settings",
            "backends",
            "plugins",
            "workload",
            "observers",
            "records",
            "accuracy",
            "space",
            "numeric",
        ],
    ),
    ("tuning", &["settings", "strategies", "space", "records", "worker", "accuracy", "numeric"]),
    ("scaling", &["settings", "numeric"]),
    ("ceilings", &["records", "knees"]),
    ("comparison", &["settings", "records", "ceilings", "numeric"]),
    (
        "exporters",
        &["settings", "records", "ceilings", "comparison", "knees", "numeric", "space", "registry"],
    ),
    ("health", &["records", "numeric"]),
    ("history", &["settings", "records", "comparison", "exporters", "numeric"]),
    ("serving", &["history", "exporters"]),
    (
        "study",
        &[
            "settings",
            "plugins",
            "scaling",
            "knees",
            "tuning",
            "scripts",
            "strategies",
            "space",
            "records",
            "worker",
            "numeric",
            "registry",
        ],
    ),
    (
        "scoring",
        &[
            "settings",
            "accuracy",
            "tuning",
            "scripts",
            "strategies",
            "space",
            "records",
            "numeric",
            "registry",
        ],
    ),
    ("evolution", &["scoring", "scripts", "records", "numeric", "registry"]),
    ("suites", &["yaml", "settings", "accuracy", "records", "exporters", "registry"]),
    ("registry", &[]),
    ("yaml", &[]),
];

/// Names of a source under a root: `room` in `crate::room` and in `use crate::{a, room}`.
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

#[test]
fn groups_over_several_lines_are_looked_into() {
    let text =
        "use crate::{\n    records::{Event, Named},\n    space::Space,\n};\ncrate::worker::x";
    assert_eq!(named(text, "crate::"), ["records", "space", "worker"]);
}

fn first_word(text: &str) -> String {
    text.trim().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// Every source file with its room and the rooms that it names.
fn uses() -> Vec<(String, String, Vec<String>)> {
    let of = |path: std::path::PathBuf| {
        let place = inside(&path);
        let first = place.iter().next().expect("a name").to_string_lossy();
        let room = first.trim_end_matches(".rs").to_owned();
        (room, place.display().to_string(), named(&text(&path), "crate::"))
    };
    files(&source()).into_iter().map(of).collect()
}

#[test]
fn rooms_only_know_the_rooms_they_may_know() {
    let mut faults = Vec::new();
    for (room, place, others) in uses() {
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            let known = matches!(room.as_str(), "cli" | "main" | "lib");
            assert!(known, "`{room}` is in no row of the table");
            continue;
        };
        for other in others {
            let known = ROOMS.iter().any(|(name, _)| *name == other) || other == "cli";
            if known && other != room && !allowed.contains(&other.as_str()) {
                faults.push(format!("`{room}` must not use `{other}` ({place})"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nobody_has_a_permission_that_no_file_uses() {
    let used: BTreeSet<(String, String)> = uses()
        .into_iter()
        .flat_map(|(room, _, others)| others.into_iter().map(move |other| (room.clone(), other)))
        .collect();
    let permissions = ROOMS.iter().flat_map(|(room, others)| others.iter().map(move |o| (room, o)));
    let faults: Vec<String> = permissions
        .filter(|(room, other)| !used.contains(&((**room).to_owned(), (**other).to_owned())))
        .map(|(room, other)| format!("`{room}` does not use `{other}`"))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pure_rooms_touch_no_device_file_or_clock() {
    for room in ["numeric", "space", "knees", "accuracy", "strategies"] {
        for path in files(&source().join(room)) {
            let text = text(&path);
            assert!(!text.contains("libloading"), "{} loads libraries", path.display());
            for used in named(&text, "std::") {
                let forbidden = ["fs", "process", "time", "net", "env", "thread"];
                assert!(!forbidden.contains(&used.as_str()), "{}: std::{used}", path.display());
            }
        }
    }
}
