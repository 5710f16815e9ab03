//! Benchmarks as YAML files. Faults of syntax, fields and meaning state the line and column.

use std::{fs, path::Path};

use autobench_sdk::document::{Document, Fill, Made, Reference, Source};
use records::FileFault;
use yaml::{self, Node, YamlFault};

use super::{Benchmark, DocumentFault, PluginFault, nearby::nearby};

/// Longest document, in bytes.
const LONGEST: u64 = 16 << 20;

/// Reads and checks a declarative benchmark. Sources without text are read from files next to it.
pub(super) fn read(path: &Path) -> Result<Benchmark, PluginFault> {
    let text = read_text(path)?;
    let at = |fault: YamlFault| PluginFault::Yaml {
        path: path.to_owned(),
        line: fault.place.line,
        column: fault.place.column,
        message: fault.message,
    };
    let tree = Node::parse(&text).map_err(at)?;
    let mut document: Document = serde_saphyr::from_str_with_options(&text, yaml::options())
        .map_err(|error| at(yaml::fault(&error)))?;
    let located = |fault: DocumentFault| {
        let message = format!("{}: {}", fault.path, fault.message);
        at(YamlFault { place: tree.place_of(&fault.path), message })
    };
    let embedded = embedded(&document, &tree, &text);
    complete(&mut document, path).map_err(located)?;
    let mut benchmark = Benchmark::new(document).map_err(located)?;
    let in_file = |(name, line)| (name, path.to_owned(), line);
    benchmark.embedded = embedded.into_iter().map(in_file).collect();
    Ok(benchmark)
}

/// The sources whose lines are lines of the document, with the number of their first line.
fn embedded(document: &Document, tree: &Node, text: &str) -> Vec<(String, u64)> {
    let lines: Vec<&str> = text.lines().collect();
    let first = |(at, source): (usize, &Source)| {
        let own: Vec<&str> = source.text.lines().map(str::trim).collect();
        let block = tree.place_of(&format!("sources[{at}].text")).line;
        // The place of a block is its first line, or the line before that has the `|`.
        let begins = |line: &u64| {
            let begin = usize::try_from(line - 1).unwrap_or(usize::MAX);
            let there = lines.get(begin..).unwrap_or_default();
            there.len() >= own.len() && own.iter().zip(there).all(|(own, line)| *own == line.trim())
        };
        let line = (block..=block + 1).find(begins).filter(|_| !own.is_empty())?;
        Some((source.name.clone(), line))
    };
    document.sources.iter().enumerate().filter_map(first).collect()
}

fn read_text(path: &Path) -> Result<String, PluginFault> {
    let unreadable = |why: String| PluginFault::Unreadable { path: path.to_owned(), why };
    let length =
        fs::metadata(path).map_err(|e| unreadable(FileFault::reading(path)(e).why()))?.len();
    if length > LONGEST {
        return Err(unreadable(format!("{length} bytes are too many for a document")));
    }
    text_of(path).map_err(unreadable)
}

fn text_of(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| FileFault::reading(path)(error).why())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// Reads the files next to the document, and refuses what only a plugin's code can do.
fn complete(document: &mut Document, path: &Path) -> Result<(), DocumentFault> {
    let folder = path.parent().unwrap_or(Path::new("."));
    for (at, source) in document.sources.iter_mut().enumerate() {
        no_code_makes(source, &format!("sources[{at}]"))?;
        if source.text.is_empty() {
            source.text = beside(folder, &source.name)
                .map_err(|why| DocumentFault::new(format!("sources[{at}].name"), why))?;
        }
    }
    read_reference(&mut document.reference, "reference", folder)?;
    for (at, stage) in document.stages.iter_mut().enumerate() {
        let place = format!("stages[{at}]");
        if let Some(reference) = &mut stage.reference {
            read_reference(reference, &format!("{place}.reference"), folder)?;
        }
        for (name, fill) in &stage.fills {
            filled(fill, &format!("{place}.fills.{name}"), folder)?;
        }
    }
    for (at, argument) in document.arguments.iter().enumerate() {
        filled(&argument.fill, &format!("arguments[{at}].fill"), folder)?;
    }
    Ok(())
}

fn no_code_makes(source: &Source, place: &str) -> Result<(), DocumentFault> {
    match source.made {
        Made::Plugin => Err(DocumentFault::new(
            format!("{place}.made"),
            "a YAML benchmark has no code to make it; write a text, or a `template`",
        )),
        Made::AsWritten | Made::Template => Ok(()),
    }
}

fn filled(fill: &Fill, place: &str, folder: &Path) -> Result<(), DocumentFault> {
    match fill {
        Fill::File(name) => named(folder, name, &format!("{place}.file")),
        Fill::Plugin => Err(DocumentFault::new(
            place,
            "a YAML benchmark has no code to fill it; use a generator or a file",
        )),
        _ => Ok(()),
    }
}

fn read_reference(
    reference: &mut Reference,
    place: &str,
    folder: &Path,
) -> Result<(), DocumentFault> {
    if let Reference::Kernel(source, _) = reference {
        no_code_makes(source, &format!("{place}.kernel[0]"))?;
    }
    match reference {
        Reference::Kernel(source, _) if source.text.is_empty() => {
            source.text = beside(folder, &source.name)
                .map_err(|why| DocumentFault::new(format!("{place}.kernel[0].name"), why))?;
        }
        Reference::Plugin => {
            return Err(DocumentFault::new(
                place,
                "a YAML benchmark has no code for it; give `expressions`, a `kernel` or `files`",
            ));
        }
        Reference::Guest => {
            return Err(DocumentFault::new(place, "a YAML benchmark is no guest; leave it out"));
        }
        Reference::Files(files) => {
            for (output, name) in files {
                named(folder, name, &format!("{place}.files.{output}"))?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn named(folder: &Path, name: &str, place: &str) -> Result<(), DocumentFault> {
    nearby(folder, name).map(drop).map_err(|why| DocumentFault::new(place, why))
}

fn beside(folder: &Path, name: &str) -> Result<String, String> {
    let path = nearby(folder, name)?;
    text_of(&path).map_err(|why| format!("cannot read `{}`: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = autobench_sdk::templates::YAML;

    /// The template as `plugin new` writes it.
    fn scale() -> String {
        TEMPLATE.replace("NAME", "scale")
    }

    fn fault(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scale.yaml");
        fs::write(&path, text).unwrap();
        let fault = read(&path).expect_err("a fault").to_string();
        fault.replace(&format!("{}/", folder.path().display()), "")
    }

    fn place_of(text: &str, part: &str) -> String {
        let before = &text[..text.find(part).unwrap()];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        format!("scale.yaml:{line}:{column}: ")
    }

    #[test]
    fn the_template_is_a_benchmark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scale.yaml");
        fs::write(&path, scale()).unwrap();
        let benchmark = read(&path).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(benchmark.parameters().len() > 1);
        assert!(benchmark.footprint(4096, &benchmark.defaults()).unwrap() >= 8 * 4096);
    }

    #[test]
    fn syntax_errors_say_line_and_column() {
        let text = fault("name: [a, b\nabout: x\n");
        let mut parts = text.split(':');
        assert_eq!(parts.next(), Some("scale.yaml"));
        assert!(parts.next().unwrap().parse::<u32>().is_ok(), "{text}");
        assert!(parts.next().unwrap().parse::<u32>().is_ok(), "{text}");
        assert!(!text.contains('\n'), "{text}");
        assert!(fault("").starts_with("scale.yaml:1:1: "));
        assert!(fault("- a\n").starts_with("scale.yaml:1:1: "));
    }

    #[test]
    fn unknown_fields_say_line_and_column() {
        let wrong = scale().replace("launches:", "lunches:");
        let text = fault(&wrong);
        assert!(text.starts_with(&place_of(&wrong, "lunches")), "{text}");
        assert!(text.contains("lunches") && text.contains("launches"), "{text}");
    }

    #[test]
    fn errors_of_meaning_point_at_the_value() {
        for (right, wrong, message) in [
            ("block_size_x * items_per_thread <= 4096", "block_sise_x <= 1", "restrictions[0]: "),
            ("12 * size", "12 * sice", "bytes: "),
            ("secondary: bandwidth", "secondary: beauty", "secondary: no metric named `beauty`"),
        ] {
            assert!(scale().contains(right), "{right}");
            let changed = scale().replace(right, wrong);
            let value = wrong.strip_prefix("secondary: ").unwrap_or(wrong);
            let text = fault(&changed);
            assert!(text.starts_with(&place_of(&changed, value)), "{text}");
            assert!(text.contains(message), "{text}");
        }
    }

    #[test]
    fn a_missing_source_file_is_named() {
        let scale = scale();
        let cut = scale.find("    text: |").unwrap();
        let end = scale.find("launches:").unwrap();
        let text = fault(&format!("{}{}", &scale[..cut], &scale[end..]));
        assert!(text.contains("sources[0].name: cannot read `"), "{text}");
    }

    #[test]
    fn what_only_code_can_do_is_refused() {
        let scale = scale();
        let start = scale.find("reference:").unwrap();
        let text = fault(&format!("{}reference: plugin\n", &scale[..start]));
        assert!(text.contains("reference: a YAML benchmark has no code"), "{text}");
    }

    /// The template with another text instead of a part.
    fn with(part: &str, other: &str) -> String {
        let scale = scale();
        assert!(scale.contains(part), "{part}");
        scale.replace(part, other)
    }

    /// A document with a file's name in one of its fields.
    type Field<'a> = Box<dyn Fn(&str) -> String + 'a>;

    #[test]
    fn every_file_that_a_document_names_lies_in_its_folder() {
        let whole = tempfile::tempdir().unwrap();
        let folder = whole.path().join("benchmark");
        fs::create_dir_all(folder.join("parts")).unwrap();
        fs::write(whole.path().join("secret"), "secret").unwrap();
        fs::write(folder.join("parts/own"), "own").unwrap();
        std::os::unix::fs::symlink(whole.path().join("secret"), folder.join("link")).unwrap();
        std::os::unix::fs::symlink("..", folder.join("up")).unwrap();
        let scale = scale();
        let (start, end) = (scale.find("sources:").unwrap(), scale.find("launches:").unwrap());
        let source = &scale[start..end];
        let reference = &scale[scale.find("reference:").unwrap()..];
        let launch = "{entry: r, problem: [size]}";
        let staged = |field: &str| {
            let own = "name: s, launches: [add], parameters: [block_size_x], outputs: [c]";
            format!("{reference}\nstages:\n  - {{{own}, {field}}}\n")
        };
        let fields: Vec<Field<'_>> = vec![
            Box::new(|name| with(source, &format!("sources:\n  - name: {name}\n"))),
            Box::new(|name| {
                let kernel = format!("reference:\n  kernel: [{{name: {name}}}, {launch}]\n");
                with(reference, &kernel)
            }),
            Box::new(|name| with(reference, &format!("reference:\n  files: {{c: {name}}}\n"))),
            Box::new(|name| {
                with(reference, &staged(&format!("reference: {{files: {{c: {name}}}}}")))
            }),
            Box::new(|name| with(reference, &staged(&format!("fills: {{c: {{file: {name}}}}}")))),
            Box::new(|name| with("{uniform: {low: -1, high: 1}}", &format!("{{file: {name}}}"))),
        ];
        for (at, field) in fields.iter().enumerate() {
            let said = |name: &str| {
                let path = folder.join("scale.yaml");
                fs::write(&path, field(name)).unwrap();
                read(&path).map_or_else(|fault| fault.to_string(), |_| String::new())
            };
            for name in ["/etc/shadow", "../secret", "parts/../../secret", "link", "up/secret"] {
                let said = said(name);
                assert!(said.contains("is not in the document's folder"), "{at} {name}: {said}");
                assert!(said.contains("scale.yaml:"), "{at} {name}: {said}");
            }
            assert!(said("parts").contains("`parts` is no file"), "{at}: {}", said("parts"));
            for name in ["parts/own", "./parts/own"] {
                let said = said(name);
                assert!(
                    !said.contains("folder") && !said.contains("no file"),
                    "{at} {name}: {said}"
                );
            }
        }
    }
}
