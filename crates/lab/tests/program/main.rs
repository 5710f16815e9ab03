//! The real `autobench-lab`: its own commands, and scripts in the commands of `autobench`.

mod evolve;
mod evolve_llm;
mod knobs;
mod scripts;

#[path = "../../../../tests/support/chat_server.rs"]
mod chat_server;
#[path = "../../../../tests/support/mod.rs"]
mod support;

#[path = "../../../../tests/support/valley.rs"]
mod valley;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_autobench-lab");
