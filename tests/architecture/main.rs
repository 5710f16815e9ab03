//! Tests of the structure of the source tree, and of `docs/internals/map.md`, which describes it.

mod circles;
mod crates;
mod entries;
mod page;

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates with their source folders, including `src`.
fn sources() -> Vec<(String, PathBuf)> {
    let crates = fs::read_dir(root().join("crates")).expect("crates");
    let source = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), entry.path().join("src"))
    };
    let mut all: Vec<_> = crates.map(|entry| source(entry.expect("an entry"))).collect();
    all.push(("src".to_owned(), root().join("src")));
    all.sort();
    all
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("source folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

/// Parts of a group up to its closing brace. Nested groups stay whole.
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

// Links the entries, which register themselves.
use autobench as _;
