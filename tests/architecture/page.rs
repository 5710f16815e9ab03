//! `docs/internals/map.md` is true of the tree: its paths, and the names it points to.

use super::{root, text};

pub(super) const PAGE: &str = "docs/internals/map.md";

/// Cells of the tables below a heading, up to the next heading, without head rows.
pub(super) fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let found = page.lines().position(|line| line.trim_start_matches('#') == format!(" {heading}"));
    let start = found.unwrap_or_else(|| panic!("{PAGE} has no heading `{heading}`"));
    let lines = page.lines().skip(start + 1).take_while(|line| !line.starts_with('#'));
    let rows = lines.filter(|line| line.starts_with('|')).map(|line| {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    // The head row is above the line of dashes.
    let is_head = |at: usize| rows.get(at + 1).is_some_and(|below| below[0].starts_with("---"));
    let body =
        rows.iter().enumerate().filter(|(at, row)| !row[0].starts_with("---") && !is_head(*at));
    body.map(|(_, row)| row.clone()).collect()
}

/// Texts between backticks.
pub(super) fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Paths of the tree in a text, cut before a placeholder `NAME`.
fn paths(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_start_matches("../"));
    let roots = ["crates/", "src/", "tests/", "docs/", "benchmarks/", "kernels/", "benches/"];
    let paths = words.filter(|word| roots.iter().any(|root| word.starts_with(root)));
    paths.map(|path| path.split("NAME").next().unwrap_or(path).trim_end_matches('.')).collect()
}

#[test]
fn paths_end_where_a_name_may_stand() {
    let text = "see [x](../src/a.rs), `src/b/NAME.rs`, a/src/c.rs and tests/d.";
    assert_eq!(paths(text), ["src/a.rs", "src/b/", "tests/d"]);
}

#[test]
fn every_path_that_is_named_exists() {
    for page in [PAGE, "CONTRIBUTING.md"] {
        let text = text(&root().join(page));
        let paths = paths(&text);
        assert!(!paths.is_empty(), "{page} names nothing");
        for path in paths {
            assert!(root().join(path).exists(), "{page} names `{path}`, which is not there");
        }
    }
}

/// Whether a source declares a name: as an item, a field or a variant.
fn declares(source: &str, name: &str) -> bool {
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    source.lines().map(str::trim_start).any(|line| {
        let mut rest = line;
        loop {
            let first = word(rest);
            let keyword = matches!(
                first.as_str(),
                "pub" | "const" | "static" | "fn" | "struct" | "enum" | "trait" | "type" | "unsafe"
            );
            if !keyword {
                break first == name;
            }
            rest = rest[first.len()..].trim_start();
            // `pub(super)` and the like
            if let Some((_, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
                rest = after.trim_start();
            }
        }
    })
}

#[test]
fn declarations_are_seen_behind_what_stands_before_them() {
    let source = "    pub(in crate::a) const fn one() {}\n    Two,\n    pub three: u8,\n// four";
    assert!(["one", "Two", "three"].iter().all(|name| declares(source, name)));
    assert!(!declares(source, "four") && !declares(source, "fn"));
}

#[test]
fn every_name_is_in_the_file_that_the_page_says() {
    let page = text(&root().join(PAGE));
    for heading in ["Words", "Where is it"] {
        for row in rows(&page, heading) {
            let [.., file, names] = &row[..] else { panic!("not a row of {heading}: {row:?}") };
            let file = quoted(file).concat();
            let source = text(&root().join(&file));
            for name in quoted(names).into_iter().flat_map(|name| name.split("::")) {
                assert!(declares(&source, name), "{PAGE}: no `{name}` in {file}");
            }
            let methods = quoted(names).into_iter().filter_map(|name| name.split_once("::"));
            for (_, name) in methods.filter(|(_, name)| name.starts_with(char::is_lowercase)) {
                assert!(source.contains(&format!("fn {name}")), "{PAGE}: no `fn {name}` in {file}");
            }
        }
    }
}
