//! The Python package: its tests, types and style, with the program under test.
//!
//! They run in a virtual environment that stays in the target folder. Skipped with a message where
//! there is no Python, or where its packages cannot be installed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Oldest Python that the package supports.
const OLDEST: &str = "(3, 10)";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn words(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

/// Runs a command; why it did not end well, if so.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.current_dir(root()).output();
    match output {
        Ok(output) if output.status.success() => Ok(words(&output)),
        Ok(output) => Err(words(&output)),
        Err(error) => Err(format!("{}: {error}", command.get_program().display())),
    }
}

/// A Python that can make a virtual environment.
fn python() -> Option<&'static str> {
    let check = format!("import sys, venv, ensurepip; assert sys.version_info >= {OLDEST}");
    let can = |name: &&str| run(Command::new(name).args(["-c", &check])).is_ok();
    ["python3", "python3.13", "python3.12", "python3.11", "python3.10"].into_iter().find(can)
}

/// The Python of a virtual environment with what the tests need; says why there is none.
fn environment() -> Result<PathBuf, String> {
    let python = python().ok_or("there is no Python 3.10 or later with `venv`")?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let installed = folder.join("requirements.txt");
    let wanted = root().join("python/tests/requirements.txt");
    let text = fs::read_to_string(&wanted).expect("the list of packages");
    let inside = folder.join("bin/python");
    if fs::read_to_string(&installed).is_ok_and(|known| known == text) {
        return Ok(inside);
    }
    run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--prefer-binary", "--requirement"];
    run(Command::new(&inside).args(install).arg(&wanted))
        .map_err(|why| format!("its packages cannot be installed: {}", why.trim()))?;
    fs::write(&installed, text).expect("written");
    Ok(inside)
}

#[test]
fn the_package_passes_its_own_tests() {
    let python = match environment() {
        Ok(python) => python,
        Err(why) => return eprintln!("skipped: the Python package was not tested: {why}"),
    };
    for tool in
        [&["mypy"][..], &["ruff", "check", "python"], &["ruff", "format", "--check", "python"]]
    {
        let said = run(Command::new(&python).arg("-m").args(tool));
        assert!(said.is_ok(), "{tool:?}: {}", said.unwrap_err());
    }
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]);
    pytest.env("AUTOBENCH", env!("CARGO_BIN_EXE_autobench"));
    match run(&mut pytest) {
        Ok(said) => said
            .lines()
            .filter(|line| line.contains("SKIPPED") && !line.contains("doctest"))
            .for_each(|skipped| {
                eprintln!("skipped: {}", skipped.trim_start_matches("SKIPPED "));
            }),
        Err(said) => panic!("{said}"),
    }
}
