//! Runs the real binary.
#![allow(dead_code, reason = "every test file uses its part, and some use all of it")]

use std::{
    process::{Command, Output},
    sync::{Condvar, Mutex, PoisonError},
};

/// Number of tests that are measuring now.
static MEASURING: (Mutex<u32>, Condvar) = (Mutex::new(0), Condvar::new());

/// A test's permission to measure, held until it is dropped.
pub(crate) struct Turn;

/// Waits until fewer than two tests measure. On a machine with many cores, all would otherwise
/// start together and get little done in their seconds.
pub(crate) fn turn() -> Turn {
    let (count, changed) = &MEASURING;
    let count = count.lock().unwrap_or_else(PoisonError::into_inner);
    let count = changed.wait_while(count, |measuring| *measuring >= 2);
    *count.unwrap_or_else(PoisonError::into_inner) += 1;
    Turn
}

impl Drop for Turn {
    fn drop(&mut self) {
        let (count, changed) = &MEASURING;
        *count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        changed.notify_one();
    }
}

/// Whether to test everything, as `scripts/nightly` does, instead of a fixed sample.
pub(crate) fn exhaustive() -> bool {
    std::env::var_os("AUTOBENCH_EXHAUSTIVE").is_some()
}

/// The program, without the user's own settings.
pub(crate) fn command() -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.env_remove("AUTOBENCH_PLUGIN_PATH").env("RUST_BACKTRACE", "0");
    // Ignore stored measurements of this machine, too.
    command.env("AUTOBENCH_CEILINGS", "/dev/null/no-ceilings");
    command
}

/// Runs the program to its end.
pub(crate) fn autobench(arguments: &[&str]) -> Output {
    command().args(arguments).output().expect("the program starts")
}

/// The program's message on standard error, which must be an error and not a panic.
pub(crate) fn sentence(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("error: "), "no error was told: {text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// The program's standard output as JSON.
pub(crate) fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}
