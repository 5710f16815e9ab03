//! Builds the simulated libraries once, with the host's compiler, and starts processes with them.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::vendor::{self, BACKEND};
use crate::contract::{self, SIMULATED};

/// Headers of the vendors' sources.
const SHARED: [&str; 3] =
    [include_str!("driver.h"), include_str!("compiler.h"), include_str!("image.h")];

/// Whether this process was started for the simulated device.
pub(crate) fn are_in_use() -> bool {
    contract::simulated().is_some_and(|backend| backend == BACKEND)
}

/// Panics unless the simulated libraries are in use; for tests that another test starts.
pub(crate) fn must_be_in_use() {
    assert!(are_in_use(), "not a test by itself: `outer` starts it");
}

/// A folder that outlives the test, so that kernels and libraries are built only once.
pub(crate) fn kept() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("simulated_{BACKEND}"));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Builds a source unless it is already built.
pub(crate) fn build(name: &str, text: &str) -> PathBuf {
    let mut hash = DefaultHasher::new();
    (text, SHARED).hash(&mut hash);
    let library = kept().join(format!("{name}-{:016x}.so", hash.finish()));
    if !library.exists() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
        let headers = repository.join("kernels/include");
        let folder = tempfile::tempdir_in(kept()).expect("a folder");
        let (source, built) = (folder.path().join("source.cpp"), folder.path().join("built.so"));
        fs::write(&source, text).expect("written");
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let output = Command::new(&compiler)
            .args(["-std=gnu++17", "-O1", "-fPIC", "-shared", "-Wl,-soname,simulated", "-I"])
            .arg(repository.join("tests/devices/simulated_gpu"))
            .arg(format!("-DCPU_HEADERS=\"{}\"", headers.display()))
            .arg(&source)
            .arg("-o")
            .arg(&built)
            .arg("-ldl")
            .output()
            .expect("the host's compiler runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::rename(&built, &library).expect("moved");
    }
    library
}

pub(crate) fn driver() -> PathBuf {
    build("driver", vendor::DRIVER_SOURCE)
}

pub(crate) fn compiler() -> PathBuf {
    build("compiler", vendor::COMPILER_SOURCE)
}

/// Makes a process use the simulated libraries, and none of the user's settings.
pub(crate) fn simulated(mut command: Command) -> Command {
    command
        .env(SIMULATED, BACKEND)
        .env(vendor::DRIVER, driver())
        .env(vendor::COMPILER, compiler())
        .env("XDG_CACHE_HOME", kept().join("cache"));
    command.envs(vendor::ABSENT.iter().map(|variable| (variable, "/nowhere/library.so")));
    command
}

/// A filter for the tests of this vendor.
pub(crate) fn ours(filter: &str) -> String {
    format!("simulated_{BACKEND}::{filter}")
}

/// Runs tests of this binary in a separate process, and returns the output.
pub(crate) fn again(filter: &str, with: impl FnOnce(&mut Command)) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([filter, "--include-ignored", "--nocapture", "--test-threads=1"]);
    let mut command = simulated(command);
    with(&mut command);
    let output = command.output().expect("this program runs");
    let said = words(&output);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("running 0 tests"), "no test is named {filter}");
    said
}

/// All output of a process.
pub(crate) fn words(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}
