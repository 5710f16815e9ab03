<<<<<<< HEAD
//! Arguments to a command; prints the one error type; the exit code says what happened.

use std::process::ExitCode;

fn main() -> ExitCode {
    autobench::cli::main()
=======
//! main
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|a| a == autobench::worker::SUBCOMMAND) {
        #[expect(clippy::exit, reason = "the worker's exit code")]
        std::process::exit(autobench::worker::main(&arguments[1..]));
    }
>>>>>>> worker
}
