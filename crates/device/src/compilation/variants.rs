//! Puts several configurations into one compilation, which costs less than one compilation each.
//! Every configuration has its own namespace, and its macros are defined only for its source.

use std::fmt::Write;

use crate::CompileJob;

/// Whether a job may share a text with others. A job that includes foreign headers may not: the
/// headers would land in a namespace, and their include guards would hide them from later jobs.
pub fn may_share(job: &CompileJob) -> bool {
    let [(_, source)] = job.sources.as_slice() else { return false };
    // A job's macros are undefined before its entries are named, and so would be a macro of our
    // headers.
    let names_macro = |entry: &String| job.macros.iter().any(|(name, _)| entry.contains(name));
    let is_ours = |name: &&str| name.starts_with("AUTOBENCH") || name.starts_with("__");
    !foreign_includes(source)
        && !job.entries.iter().any(|entry| !is_identifier(entry) && names_macro(entry))
        && !defines(source).iter().any(is_ours)
}

fn foreign_includes(text: &str) -> bool {
    includes(text).any(|name| !name.starts_with("autobench/"))
}

/// Names of the files that a source includes.
pub fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        let rest = rest.trim_start();
        Some(rest.trim_start_matches(['<', '"']).split(['>', '"']).next().unwrap_or_default())
    })
}

/// Adds a job to a text: alone, or as number `among` of several. `adapted` may change the source
/// but must not move lines.
pub fn add(
    text: &mut String,
    among: Option<usize>,
    job: &CompileJob,
    adapted: impl Fn(&str) -> String,
) {
    for (name, value) in &job.macros {
        let _ = writeln!(text, "#define {name} {value}");
    }
    // Functions with C linkage are the same function in all namespaces, so each gets a distinct
    // name.
    let plain = || job.entries.iter().filter(|entry| is_identifier(entry));
    if let Some(number) = among {
        for entry in plain() {
            let _ = writeln!(text, "#define {entry} ab_v{number}_{entry}");
        }
        let _ = writeln!(text, "namespace ab_v{number} {{");
    }
    if let Some((name, source)) = job.sources.first() {
        let _ = writeln!(text, "#line 1 \"{}\"", name.replace(['"', '\\', '\n'], "_"));
        text.push_str(&adapted(source));
        text.push('\n');
        let _ = writeln!(text, "#line 1 \"autobench-unit\"");
        if among.is_some() {
            text.push_str("}\n");
            for name in defines(source) {
                let _ = writeln!(text, "#undef {name}");
            }
        }
    }
    if among.is_some() {
        for name in job.macros.iter().map(|(name, _)| name).chain(plain()) {
            let _ = writeln!(text, "#undef {name}");
        }
    }
}

/// Name of a job's entry as seen from outside the namespace.
pub fn entry(among: Option<usize>, entry: &str) -> String {
    match among {
        None => entry.to_owned(),
        Some(number) if is_identifier(entry) => format!("ab_v{number}::ab_v{number}_{entry}"),
        Some(number) => format!("ab_v{number}::{entry}"),
    }
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Names that a source defines by `#define`. The next configuration must not see them.
fn defines(source: &str) -> Vec<&str> {
    let mut names: Vec<&str> = source
        .lines()
        .filter_map(|line| {
            let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
            let name = rest.trim_start();
            let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            Some(&name[..end.unwrap_or(name.len())]).filter(|name| !name.is_empty())
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_of_a_source_are_forgotten_after_it() {
        assert_eq!(defines("#define A 1\n # define B(x) x\n#undef A\n#define A 2"), ["A", "B"]);
    }

    #[test]
    fn sources_with_headers_of_others_are_compiled_alone() {
        let job = |text: &str| CompileJob {
            sources: vec![("k.cu".to_owned(), text.to_owned())],
            macros: vec![],
            options: vec![],
            entries: vec!["k".to_owned()],
            blocks: vec![[1; 3]],
        };
        assert!(may_share(&job("#include \"autobench/autobench.h\"\n")));
        assert!(!may_share(&job("#include <stdint.h>\n")));
        assert!(!may_share(&job("#ifndef AUTOBENCH_UNROLL\n#define AUTOBENCH_UNROLL\n#endif\n")));
        let mut template = job("");
        template.macros = vec![("N".to_owned(), "3".to_owned())];
        template.entries = vec!["t<float>".to_owned()];
        assert!(may_share(&template));
        template.entries = vec!["t<N>".to_owned()];
        assert!(!may_share(&template));
    }
}
