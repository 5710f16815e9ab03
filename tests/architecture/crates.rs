//! Dependencies between crates: Cargo enforces them, and the map must list the same ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    files, outermost,
    page::{PAGE, quoted, rows},
    root, sources, text,
};

/// The crates of this repository that a crate depends on, without its tests.
fn dependencies(name: &str) -> BTreeSet<String> {
    let folder = if name == "src" { root().to_owned() } else { root().join("crates").join(name) };
    let manifest = text(&folder.join("Cargo.toml"));
    let (_, after) = manifest.split_once("\n[dependencies]\n").expect("a section");
    let section = after.split("\n[").next().unwrap_or_default();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    let known: BTreeSet<String> = sources().into_iter().map(|(name, _)| name).collect();
    names.map(|name| name.replace('_', "-")).filter(|name| known.contains(name)).collect()
}

/// The table of crates in the map: each crate with those in its row.
fn stated() -> BTreeMap<String, BTreeSet<String>> {
    let page = text(&root().join(PAGE));
    let row = |row: Vec<String>| {
        let [name, knows, _] = &row[..] else { panic!("not a row of crates: {row:?}") };
        let known = quoted(knows).into_iter().map(str::to_owned).collect();
        (quoted(name).concat(), known)
    };
    rows(&page, "Crates").into_iter().map(row).collect()
}

#[test]
fn the_map_says_which_crate_knows_which() {
    let stated = stated();
    let names: BTreeSet<String> = sources().into_iter().map(|(name, _)| name).collect();
    assert_eq!(stated.keys().cloned().collect::<BTreeSet<_>>(), names);
    // The program may use all crates but the lab, which may use all.
    for name in names.iter().filter(|name| !["src", "lab"].contains(&name.as_str())) {
        let own = dependencies(name);
        let mut reached = stated[name].clone();
        let mut left: Vec<String> = reached.iter().cloned().collect();
        while let Some(next) = left.pop() {
            let further = stated[&next].iter().filter(|further| reached.insert((*further).clone()));
            left.extend(further.cloned().collect::<Vec<_>>());
        }
        let unsaid: Vec<_> = own.difference(&reached).collect();
        assert!(unsaid.is_empty(), "`{name}` knows {unsaid:?}, which is not in its row of {PAGE}");
        let unused: Vec<_> = stated[name].difference(&own).collect();
        assert!(
            unused.is_empty(),
            "`{name}` does not know {unused:?}, which is in its row of {PAGE}"
        );
    }
    assert!(!dependencies("src").contains("lab"));
}

/// First names after a root: `fs` in `std::fs` and in `use std::{fs, io}`.
fn named(text: &str, root: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let first_word = |text: &str| -> String {
        text.trim().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let mut names = Vec::new();
    for (at, _) in code.match_indices(root) {
        let rest = &code[at + root.len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(outermost(group).into_iter().map(first_word)),
            None => names.push(first_word(rest)),
        }
    }
    names
}

#[test]
fn the_first_page_of_a_crate_says_what_it_never_knows_and_where_to_begin() {
    for (name, source) in sources().into_iter().filter(|(name, _)| name != "src") {
        let text = text(&source.join("lib.rs"));
        let page = text.lines().take_while(|line| line.starts_with("//!"));
        let page = page.collect::<Vec<_>>().join(" ");
        let limit = page.contains("never knows") || page.contains("knows everything");
        assert!(limit && page.contains("egin with `"), "the first page of `{name}`: {page}");
    }
}

#[test]
fn groups_over_several_lines_are_looked_into() {
    let text = "use std::{\n    fs::{self, File},\n    io,\n};\nstd::time::x";
    assert_eq!(named(text, "std::"), ["fs", "io", "", "time"]);
}

#[test]
fn pure_crates_touch_no_device_file_or_clock() {
    let pure = ["math", "registry", "space", "knees", "search-api", "search"];
    for (name, source) in sources() {
        if !pure.contains(&name.as_str()) {
            continue;
        }
        for path in files(&source) {
            let text = text(&path);
            assert!(!text.contains("libloading"), "{} loads libraries", path.display());
            for used in named(&text, "std::") {
                let forbidden = ["fs", "process", "time", "net", "env", "thread"];
                assert!(!forbidden.contains(&used.as_str()), "{}: std::{used}", path.display());
            }
        }
    }
}
