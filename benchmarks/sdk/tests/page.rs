//! Checks that the page for authors in Rust names everything that they can call.

use std::{fs, path::Path};

/// Names of a file's functions whose line begins with `start`.
fn functions(file: &str, start: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
    let text = fs::read_to_string(path).expect("a file");
    let lines = text.lines().filter_map(|line| line.strip_prefix(start));
    let name = |rest: &str| rest.split(['(', '<']).next().unwrap_or_default().to_owned();
    lines.map(name).collect()
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/builder.md");
    fs::read_to_string(path).expect("the page")
}

/// Whether the page names a call, alone or after its type.
fn names(page: &str, call: &str) -> bool {
    ["`", "::"].iter().any(|before| page.contains(&format!("{before}{call}(")))
}

#[test]
fn every_call_of_the_builder_is_on_the_page() {
    let page = page();
    let calls = functions("builder.rs", "    pub fn ");
    assert!(calls.len() > 40, "{calls:?}");
    for name in &calls {
        assert!(names(&page, name), "`{name}` is not on docs/guide/builder.md");
    }
}

#[test]
fn stages_and_what_a_benchmark_answers_are_on_it_too() {
    let page = page();
    // Hosts call these functions of stages, authors do not.
    let of_hosts = ["means", "stage_named", "launches_of", "takes", "document"];
    let stages = functions("stage.rs", "    pub fn ").into_iter();
    for name in stages.filter(|name| !of_hosts.contains(&name.as_str())) {
        assert!(names(&page, &name), "`{name}` is not on docs/guide/builder.md");
    }
    for name in functions("author.rs", "    fn ") {
        assert!(page.contains(&format!("`{name}`")), "`{name}` is not on docs/guide/builder.md");
    }
}
