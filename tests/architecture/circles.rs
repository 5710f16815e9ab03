//! No circular dependencies between the files of a crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{files, outermost, sources, text};

/// Names that a file uses and re-exports, as full paths such as `worker::ring::Ring`.
#[derive(Default)]
struct Names {
    used: Vec<String>,
    /// Re-exports of items from elsewhere: (name, path).
    handed_on: Vec<(String, String)>,
}

impl Names {
    /// Reads a file with the module path `module`, without its tests.
    fn of(module: &str, text: &str, modules: &[String]) -> Self {
        let code: Vec<&str> = text
            .split("mod tests {")
            .next()
            .unwrap_or_default()
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        // `pub(in crate::…)` is a visibility, not a use.
        let code = code.join("\n").replace("(in crate::", "(");
        let mut names = Self::default();
        let mut rest = String::new();
        // `use` and `pub(...) use` statements are unfolded. In other code, paths that begin with
        // `crate`, `super` or `self` count.
        for statement in code.split_inclusive(';') {
            let (before, used) = match statement.rsplit_once("use ") {
                Some((before, used)) if begins_a_line(before) => (before, used),
                _ => {
                    rest += statement;
                    continue;
                }
            };
            rest += before;
            // In a module inside the file, `super` is the file itself.
            let used = match (before.ends_with("    "), used.strip_prefix("super")) {
                (true, Some(used)) => format!("self{used}"),
                _ => used.to_owned(),
            };
            for path in unfolded(used.trim_end_matches(';')) {
                let (path, name) = match path.split_once(" as ") {
                    Some((path, name)) => (path, name),
                    None => (path.as_str(), path.rsplit("::").next().unwrap_or_default()),
                };
                let Some(full) = from_crate(module, path, modules) else { continue };
                match before.lines().last().is_some_and(|line| line.starts_with("pub")) {
                    true => names.handed_on.push((name.to_owned(), full)),
                    false => names.used.push(full),
                }
            }
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_:".contains(c);
        let paths = rest.split(|c| !is_part(c)).filter(|path| path.contains("::"));
        names.used.extend(paths.filter_map(|path| from_crate(module, path, modules)));
        names
    }
}

/// Whether a text ends at the start of a line, apart from a visibility such as `pub`.
fn begins_a_line(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or_default().trim();
    line.is_empty() || line.starts_with("pub")
}

/// The paths of a `use`: `a::{b, c::{d}}` gives `a::b` and `a::c::d`.
fn unfolded(used: &str) -> Vec<String> {
    let Some((root, group)) = used.split_once('{') else { return vec![used.trim().to_owned()] };
    let parts = outermost(group).into_iter().flat_map(unfolded).filter(|part| !part.is_empty());
    let whole = |part: String| format!("{}{part}", root.trim());
    parts.map(|part| whole(part).trim_end_matches("::self").to_owned()).collect()
}

/// The full path, beginning with the crate; `None` for paths of other crates.
fn from_crate(module: &str, path: &str, modules: &[String]) -> Option<String> {
    let mut base: Vec<&str> = module.split("::").collect();
    let mut parts = path.split("::").peekable();
    match *parts.peek()? {
        "crate" => base.truncate(1),
        "super" | "self" => {}
        first => {
            return modules
                .contains(&format!("{module}::{first}"))
                .then(|| format!("{module}::{path}"));
        }
    }
    while let Some(step @ ("crate" | "super" | "self")) = parts.peek().copied() {
        if step == "super" {
            base.pop();
        }
        parts.next();
    }
    Some(base.into_iter().chain(parts).collect::<Vec<_>>().join("::"))
}

/// The file that defines the item of a path, with re-exports resolved.
fn defining<'m>(path: &str, all: &'m BTreeMap<String, Names>) -> Option<&'m str> {
    let mut path = path.to_owned();
    for _ in 0..9 {
        let inside = |module: &&String| {
            path.strip_prefix(module.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let module = all.keys().filter(inside).max_by_key(|module| module.len())?;
        let rest = path[module.len()..].trim_start_matches("::").to_owned();
        let (name, below) = rest.split_once("::").unwrap_or((&rest, ""));
        match all[module].handed_on.iter().find(|(known, _)| known == name) {
            Some((_, elsewhere)) => {
                path = format!("{elsewhere}::{below}").trim_end_matches("::").to_owned()
            }
            None => return Some(module),
        }
    }
    None
}

/// Nodes on cycles of a graph: those that remain after removing nodes without dependencies or
/// users.
fn on_circles(mut graph: BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    loop {
        let known: BTreeSet<&str> = graph.values().flatten().copied().collect();
        let loose = |node: &&str| graph[*node].is_empty() || !known.contains(*node);
        let loose: Vec<&str> = graph.keys().copied().filter(loose).collect();
        if loose.is_empty() {
            return graph.keys().map(|node| (*node).to_owned()).collect();
        }
        for node in loose {
            graph.remove(node);
            for others in graph.values_mut() {
                others.remove(node);
            }
        }
    }
}

#[test]
fn no_files_of_a_crate_know_each_other_in_a_circle() {
    let circles: Vec<String> =
        sources().iter().flat_map(|(name, source)| circles(name, source)).collect();
    assert!(circles.is_empty(), "these know each other in a circle: {}", circles.join(", "));
}

/// Files of a crate that depend on each other in a cycle.
fn circles(name: &str, source: &Path) -> Vec<String> {
    let found = files(source);
    let module = |path: &Path| {
        let inside = path.strip_prefix(source).expect("inside").with_extension("");
        let parts = inside.iter().map(|part| part.to_string_lossy().into_owned());
        let parts = parts.filter(|part| !["mod", "lib"].contains(&part.as_str()));
        std::iter::once(name.to_owned()).chain(parts).collect::<Vec<_>>().join("::")
    };
    let modules: Vec<String> = found.iter().map(|path| module(path)).collect();
    let all: BTreeMap<String, Names> = found
        .iter()
        .map(|path| (module(path), Names::of(&module(path), &text(path), &modules)))
        .collect();
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, names) in &all {
        let others = names.used.iter().filter_map(|path| defining(path, &all));
        let near = |other: &&str| *other != module;
        graph.insert(module, others.filter(near).collect());
    }
    on_circles(graph)
}
