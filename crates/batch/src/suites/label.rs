//! Labels of studies: their names in tables, made of what distinguishes them.

use std::{collections::BTreeMap, path::Path};

use super::given::{Given, Word};

/// Builds a study's label from the benchmark and the values that its entry varies.
pub(super) fn label(
    own: Option<&Word>,
    (benchmark, command): (Option<&Word>, &str),
    several_benchmarks: bool,
    fixed: &[Given],
    varied: &[&Given],
    repeat: Option<u32>,
) -> String {
    let recorded = || {
        let names_space = |given: &&Given| ["device", "spaces"].contains(&given.flag.as_str());
        fixed.iter().find(names_space)?.words.first()
    };
    let subject = benchmark.or_else(recorded);
    let nameless = if command == "score" { "score" } else { "replay" };
    let subject = subject.map_or_else(|| nameless.to_owned(), |word| short(&word.text));
    let mut parts = match own {
        Some(word) if several_benchmarks => vec![word.text.clone(), subject],
        Some(word) => vec![word.text.clone()],
        None => vec![subject],
    };
    if own.is_none() {
        parts.extend(fixed.iter().filter(|given| given.flag == "size").map(values));
    }
    parts.extend(varied.iter().map(|given| values(given)));
    parts.extend(repeat.map(|number| format!("#{number}")));
    parts.join(" ")
}

/// A flag with its values: `size=512`, `precision=f16,f32`, `objective=seconds+error`.
fn values(given: &Given) -> String {
    let texts: Vec<String> = given.words.iter().map(|word| short(&word.text)).collect();
    let named = texts.iter().any(|text| text.contains('='));
    match (texts.is_empty(), named) {
        (true, _) => format!("no-{}", given.flag),
        (false, true) => texts.join(" "),
        (false, false) => format!("{}={}", given.flag, texts.join("+")),
    }
}

/// The last part of a path, without its extension. Other words stay unchanged.
fn short(text: &str) -> String {
    let (before, path) = match text.split_once(':') {
        Some(("replay", path)) => ("replay:", path),
        _ => ("", text),
    };
    if !path.contains('/') && !path.ends_with(".yaml") && !path.ends_with(".yml") {
        return text.to_owned();
    }
    let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    format!("{before}{}", name.split('.').next().unwrap_or(&name))
}

/// Numbers labels that occur more than once: `gemm`, `gemm (2)`.
pub(super) fn told_apart(labels: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    labels
        .map(|label| {
            let times = seen.entry(label.clone()).or_default();
            *times += 1;
            if *times == 1 { label } else { format!("{label} ({times})") }
        })
        .collect()
}
