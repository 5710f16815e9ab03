//! Turns jobs into one C++ text: the configurations, then a table of their entries.

use std::fmt::Write;

use device::{
    CompileJob,
    compilation::{
        headers::HEADERS,
        variants::{self, includes},
    },
};

/// File name in the compiler's errors about the table of entries.
pub(super) const ENTRIES: &str = "autobench-entries";

/// The text of these jobs. There may be several only if [`variants::may_share`] allows each.
pub(super) fn unit(jobs: &[&CompileJob]) -> String {
    let mut text = String::new();
    text.push_str(&standard(jobs));
    text.push_str("#include \"autobench/autobench.h\"\n");
    let alone = jobs.len() == 1;
    let among = |number: usize| (!alone).then_some(number);
    for (number, job) in jobs.iter().enumerate() {
        let _ = writeln!(text, "#define AUTOBENCH_VARIANT {number}");
        variants::add(&mut text, among(number), job, dynamic_shared);
        let _ = writeln!(text, "#undef AUTOBENCH_VARIANT");
    }
    let _ = writeln!(text, "#line 1 \"{ENTRIES}\"");
    for (number, job) in jobs.iter().enumerate() {
        entries(&mut text, number, among(number), job);
    }
    text.push_str("static constexpr ab_variant ab_variants[] = {\n");
    for (number, job) in jobs.iter().enumerate() {
        let _ = writeln!(text, "{{ab_entries_{number}, {}, {number}}},", job.entries.len());
    }
    text.push_str("};\nAUTOBENCH_TABLE(ab_variants)\n");
    text
}

/// Includes the host's headers that the sources use, before everything else: they declare functions
/// that CUDA C++ has too, and would clash with ours. Empty if no header is used, since reading the
/// headers takes longer than compiling most kernels.
fn standard(jobs: &[&CompileJob]) -> String {
    let sources = || jobs.iter().flat_map(|job| &job.sources);
    let own = |name: &str| sources().any(|(source, _)| source == name);
    let known = |name: &str| {
        HEADERS.iter().any(|(header, _)| {
            *header == name || header.strip_prefix("autobench/cpu/lacking/") == Some(name)
        })
    };
    let plain = |name: &str| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '+'))
    };
    let mut names: Vec<&str> = sources()
        .flat_map(|(_, text)| includes(text))
        .filter(|name| !name.is_empty() && plain(name) && !own(name) && !known(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return String::new();
    }
    let mut text = "#define AUTOBENCH_STD_MATH 1\n".to_owned();
    for name in ["cmath", "math.h", "stdlib.h", "string.h"].iter().chain(&names) {
        let _ = writeln!(text, "#if __has_include(<{name}>)\n#include <{name}>\n#endif");
    }
    text
}

fn entries(text: &mut String, number: usize, among: Option<usize>, job: &CompileJob) {
    let _ = writeln!(text, "static constexpr ab_entry ab_entries_{number}[] = {{");
    for (at, entry) in job.entries.iter().enumerate() {
        let [x, y, z] = job.blocks.get(at).copied().unwrap_or([0; 3]);
        let name = variants::entry(among, entry);
        let _ = writeln!(text, "ab_describe<::{name}, {x}, {y}, {z}>(),");
    }
    text.push_str("};\n");
}

/// Turns `extern __shared__ T name[];` into a pointer to the launch's dynamic shared memory. Lines
/// stay where they are.
fn dynamic_shared(source: &str) -> String {
    let code = without_comments(source);
    let mut result = String::with_capacity(source.len());
    let mut copied = 0;
    for (at, _) in code.match_indices("extern") {
        let Some(length) = code[at..].find(';') else { break };
        let statement = &code[at..at + length];
        let Some(declaration) = statement["extern".len()..].trim_start().strip_prefix("__shared__")
        else {
            continue;
        };
        let Some((kind, name)) = declared(declaration) else { continue };
        let outside = depth(&code[..at]) == 0;
        result.push_str(&source[copied..at]);
        if outside {
            let _ = write!(
                result,
                "static const struct {{ operator {kind} *() const {{ return ({kind} *)ab_shared; \
                 }} }} {name} = {{}}"
            );
        } else {
            let _ = write!(result, "{kind} *const {name} = ({kind} *)ab_shared");
        }
        result.extend(statement.chars().filter(|&c| c == '\n'));
        copied = at + length;
    }
    result.push_str(&source[copied..]);
    result
}

/// Type and name in a declaration such as `__align__(16) float tile[]`.
fn declared(declaration: &str) -> Option<(String, &str)> {
    let (before, _) = declaration.split_once('[')?;
    let before = before.trim();
    let start = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))? + 1;
    let mut kind = before[..start].trim();
    for attribute in ["__align__", "alignas", "__attribute__"] {
        if let Some(rest) = kind.strip_prefix(attribute) {
            let mut open = 0;
            let end = rest.find(|c| {
                open += i32::from(c == '(') - i32::from(c == ')');
                c == ')' && open == 0
            })?;
            kind = rest[end + 1..].trim();
        }
    }
    Some((kind.to_owned(), &before[start..])).filter(|(kind, _)| !kind.is_empty())
}

fn depth(code: &str) -> i64 {
    code.chars().map(|c| i64::from(c == '{') - i64::from(c == '}')).sum()
}

/// The text with comments and string literals blanked. All bytes keep their positions.
fn without_comments(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut blank = vec![false; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'/')) => source[at..].find('\n').map(|n| at + n),
            (b'/', Some(b'*')) => source[at + 2..].find("*/").map(|n| at + n + 4),
            (b'"', _) => string_end(bytes, at),
            _ => {
                at += 1;
                continue;
            }
        };
        let end = end.unwrap_or(bytes.len());
        blank[at..end].fill(true);
        at = end.max(at + 1);
    }
    let blanked = |(&byte, &blank)| if blank && byte != b'\n' { b' ' } else { byte };
    let bytes: Vec<u8> = bytes.iter().zip(&blank).map(blanked).collect();
    // Blanked ranges start and end at ASCII bytes, so only whole characters were replaced.
    String::from_utf8(bytes).unwrap_or_else(|_| source.to_owned())
}

fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' | b'\n' => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_host_come_first_and_only_where_they_are_asked_for() {
        let job = |text: &str| CompileJob {
            sources: vec![
                ("k.cu".to_owned(), text.to_owned()),
                ("own.h".to_owned(), String::new()),
            ],
            macros: vec![],
            options: vec![],
            entries: vec![],
            blocks: vec![],
        };
        let own = "#include <autobench/phases.h>\n#include <cuda_fp16.h>\n#include \"own.h\"\n";
        assert_eq!(standard(&[&job(own)]), "");
        let text = unit(&[&job(&format!("{own}#include <random>\n"))]);
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
        assert!(at("<cmath>") < at("<random>"));
        assert!(at("#include <random>") < at("autobench/autobench.h"));
        assert!(!text[..at("autobench/autobench.h")].contains("own.h"));
    }

    #[test]
    fn dynamic_shared_memory_becomes_a_pointer_and_keeps_its_lines() {
        let source =
            "__global__ void f() {\n  extern __shared__\n  float tile[];\n  tile[0] = 1;\n}";
        assert_eq!(
            dynamic_shared(source),
            "__global__ void f() {\n  float *const tile = (float *)ab_shared\n;\n  tile[0] = 1;\n}"
        );
        let aligned = "{ extern __shared__ __align__(16) unsigned char raw[]; }";
        assert!(dynamic_shared(aligned).contains("unsigned char *const raw"));
        let outside = "extern __shared__ int all[];";
        assert!(dynamic_shared(outside).contains("operator int *()"));
        let comment = "// extern __shared__ int all[];\n";
        assert_eq!(dynamic_shared(comment), comment);
    }
}
