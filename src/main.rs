//! Arguments to a command; prints the one error type; the exit code says what happened.

use std::process::ExitCode;

fn main() -> ExitCode {
    autobench::main("autobench")
}
