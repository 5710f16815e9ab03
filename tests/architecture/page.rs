//! Checks the paths and the names in `docs/internals/map.md` against the source tree.

use super::{root, text};

pub(super) const PAGE: &str = "docs/internals/map.md";

/// Cells of the tables below a heading, up to the next heading, without header rows.
pub(super) fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let found = page.lines().position(|line| line.trim_start_matches('#') == format!(" {heading}"));
    let start = found.unwrap_or_else(|| panic!("{PAGE} has no heading `{heading}`"));
    let lines = page.lines().skip(start + 1).take_while(|line| !line.starts_with('#'));
    let rows = lines.filter(|line| line.starts_with('|')).map(|line| {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    // The header row is the one above the dashes.
    let is_head = |at: usize| rows.get(at + 1).is_some_and(|below| below[0].starts_with("---"));
    let body =
        rows.iter().enumerate().filter(|(at, row)| !row[0].starts_with("---") && !is_head(*at));
    body.map(|(_, row)| row.clone()).collect()
}

pub(super) fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Paths of the source tree in a text; a placeholder `NAME` cuts the path.
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
            // Skips `pub(super)` and similar visibilities.
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

/// Files that one opens to follow the main command; short names lie in the folder before them.
fn main_path(page: &str) -> Vec<String> {
    let (_, after) = page.split_once("to sizes.csv\n").expect("the section");
    let block = after.split("```").nth(1).expect("a block");
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let mut folder = String::new();
    let mut files = Vec::new();
    for word in block.split(|c| !is_part(c)) {
        match word.rsplit_once('/') {
            Some((parent, name)) => {
                folder = parent.to_owned();
                if name.ends_with(".rs") {
                    files.push(word.to_owned());
                }
            }
            None if word.ends_with(".rs") => files.push(format!("{folder}/{word}")),
            None => {}
        }
    }
    files
}

#[test]
fn the_main_command_is_followed_in_few_files_that_name_each_other() {
    const MOST_FILES: usize = 60;
    let page = text(&root().join(PAGE));
    let files = main_path(&page);
    assert!((30..=MOST_FILES).contains(&files.len()), "{} files: {files:?}", files.len());
    let sources: Vec<String> = files.iter().map(|file| text(&root().join(file))).collect();
    for (at, file) in files.iter().enumerate().skip(1) {
        let (folder, name) = file.rsplit_once('/').expect("a folder");
        let module = match name.trim_end_matches(".rs") {
            "mod" => folder.rsplit('/').next().unwrap_or_default(),
            stem => stem,
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let named = |source: &String| source.split(|c| !is_part(c)).any(|word| word == module);
        let others = sources.iter().enumerate().filter(|(other, _)| *other != at);
        let folder = if name == "mod.rs" { folder } else { file };
        let crate_roots = ["lib.rs", "mod.rs"].map(|root| root_of(folder, root));
        let known = others.map(|(_, source)| source).any(named)
            || crate_roots.iter().flatten().any(|path| named(&text(path)));
        assert!(known, "{PAGE}: no file of the path names `{module}` of {file}");
    }
}

/// The file of this name in the folder of another one, if it is there.
fn root_of(file: &str, name: &str) -> Option<std::path::PathBuf> {
    let path = root().join(file).with_file_name(name);
    path.is_file().then_some(path)
}
