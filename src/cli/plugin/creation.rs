//! `autobench plugin new`.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use autobench_sdk::templates;

use clap::ValueEnum;

use crate::{
    cli::terminal::{Failure, output},
    records::FileFault,
};

/// What a benchmark is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// A crate
    Rust,
    /// One file for any C compiler
    C,
    /// One file, no compiler
    Yaml,
}

/// Where this program was built: new crates use the checkout's SDK while it exists.
const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");

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
    for (path, text) in &files {
        write(path, text).map_err(FileFault::writing(path)).map_err(Failure::settings)?;
        output::line(&format!("wrote {}", path.display()))?;
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
        Language::Rust => vec![
            (own.join("Cargo.toml"), named(templates::MANIFEST).replace("SDK", &sdk())),
            (own.join("src/lib.rs"), named(templates::RUST)),
            (own.join(format!("{name}.cu")), named(templates::KERNEL)),
        ],
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

/// The SDK's dependency in a new crate.
fn sdk() -> String {
    let here = Path::new(CHECKOUT).join("benchmarks/sdk");
    if here.join("Cargo.toml").is_file() {
        format!("{{ path = {:?} }}", here.display().to_string())
    } else {
        format!("{:?}", env!("CARGO_PKG_VERSION"))
    }
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
