//! The program `autobench`.

use std::process::ExitCode;

fn main() -> ExitCode {
    autobench::main("autobench")
}
