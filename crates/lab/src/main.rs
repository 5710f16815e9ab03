//! `autobench` with the commands of the laboratory.

use std::process::ExitCode;

// Links the commands, scripts and generators, which register themselves.
use lab as _;

fn main() -> ExitCode {
    autobench::main("autobench-lab")
}
