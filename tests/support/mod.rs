//! Driving the real binary.
#![allow(dead_code, reason = "every test file uses its part, and some use all of it")]

use std::{
    process::{Command, Output},
    sync::{Condvar, Mutex, PoisonError},
};

/// How many tests measure at this moment.
static MEASURING: (Mutex<u32>, Condvar) = (Mutex::new(0), Condvar::new());

/// A test's turn to measure, until it is dropped.
pub(crate) struct Turn;

/// Waits until fewer than two tests measure: on a machine of many cores all would start together,
/// and none would get far in its seconds.
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

/// Whether everything is tried, as `scripts/nightly` asks for, and not a fixed sample of it.
pub(crate) fn exhaustive() -> bool {
    std::env::var_os("AUTOBENCH_EXHAUSTIVE").is_some()
}

/// The program, without the user's own settings.
pub(crate) fn command() -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.env_remove("AUTOBENCH_PLUGIN_PATH").env("RUST_BACKTRACE", "0");
    // Nor what somebody has measured of this machine.
    command.env("AUTOBENCH_CEILINGS", "/dev/null/no-ceilings");
    command
}

/// Runs it to its end.
pub(crate) fn autobench(arguments: &[&str]) -> Output {
    command().args(arguments).output().expect("the program starts")
}

/// Its message on standard error, which must be an error and no panic.
pub(crate) fn sentence(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("error: "), "no error was told: {text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// Its standard output as JSON.
pub(crate) fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}
