//! `autobench plugin new`: writes a template of a benchmark.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use autobench_sdk::templates;
use clap::ValueEnum;
use records::FileFault;

use crate::terminal::{Failure, output};

/// The language of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// A crate
    Rust,
    /// One file for any C compiler
    C,
    /// One file, no compiler
    Yaml,
}

/// Writes a template and prints the next steps.
pub(super) fn create(name: &str, language: Language, dir: &Path) -> Result<(), Failure> {
    let valid = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
    if !valid {
        return Err(Failure::settings(format!("`{name}` cannot be a benchmark's name"))
            .hint("use lower-case letters, digits, `-` and `_`, a letter first"));
    }
    let (base, files) = files(name, language, dir);
    for (path, _) in &files {
        if path.exists() {
            return Err(Failure::settings(format!("`{}` exists already", path.display()))
                .hint("choose another name, or another folder with --dir"));
        }
    }
    let sdk = base.join("sdk");
    for (path, text) in &files {
        write(path, text).map_err(FileFault::writing(path)).map_err(Failure::settings)?;
        if !path.starts_with(&sdk) {
            output::line(&format!("wrote {}", path.display()))?;
        }
    }
    if files.iter().any(|(path, _)| path.starts_with(&sdk)) {
        output::line(&format!("wrote {} (what it depends on)", sdk.display()))?;
    }
    output::line("")?;
    for step in steps(name, language, &base) {
        output::line(&format!("  {step}"))?;
    }
    Ok(())
}

/// The folder to work in, and the files with their texts.
fn files(name: &str, language: Language, dir: &Path) -> (PathBuf, Vec<(PathBuf, String)>) {
    let named = |text: &str| text.replace("NAME", name);
    let dir = dir.strip_prefix(".").unwrap_or(dir);
    let own = dir.join(name);
    let files = match language {
        Language::Rust => {
            let sdk = templates::sdk().into_iter();
            [
                (own.join("Cargo.toml"), named(templates::MANIFEST)),
                (own.join("src/lib.rs"), named(templates::RUST)),
                (own.join(format!("{name}.cu")), named(templates::KERNEL)),
            ]
            .into_iter()
            .chain(sdk.map(|(path, text)| (own.join("sdk").join(path), text)))
            .collect()
        }
        Language::C => vec![
            (own.join(format!("{name}.c")), named(templates::C)),
            (own.join("autobench.h"), templates::HEADER.to_owned()),
        ],
        Language::Yaml => {
            let file = (dir.join(format!("{name}.yaml")), named(templates::YAML));
            return (dir.to_owned(), vec![file]);
        }
    };
    (own, files)
}

fn steps(name: &str, language: Language, base: &Path) -> Vec<String> {
    let library = format!("lib{}.so", name.replace('-', "_"));
    let enter = format!("cd {}", base.display());
    match language {
        Language::Rust => vec![
            enter,
            "cargo build --release".to_owned(),
            format!("autobench plugin check target/release/{library}"),
            format!("autobench run target/release/{library}"),
        ],
        Language::C => vec![
            enter,
            format!("cc -O2 -shared -fPIC -o {library} {name}.c"),
            format!("autobench plugin check ./{library}"),
            format!("autobench run ./{library}"),
        ],
        Language::Yaml => {
            let file = base.join(format!("{name}.yaml"));
            vec![
                format!("autobench plugin check {}", file.display()),
                format!("autobench run {}", file.display()),
            ]
        }
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
