//! The real binary: commands, messages, files and exit codes.

mod accuracy;
mod bad_input;
mod before_rounds;
mod compare;
mod compiler_options;
mod convert;
mod devices;
mod everyday;
mod exporters_answer;
mod exporters_commands;
#[path = "../../crates/report/tests/report/others.rs"]
mod exporters_others;
#[path = "../../crates/report/tests/report/study.rs"]
mod exporters_study;
mod guest;
mod headers;
mod history;
mod history_clean;
mod hostile;
mod knee;
mod machine;
mod made;
mod objectives;
mod pipeline;
mod plugin_check;
mod plugin_templates;
mod profile;
mod published_figures;
mod repeat;
mod replays;
mod results;
mod schema;
mod score;
#[path = "../support/shared.rs"]
mod shared_files;
mod slurm;
mod space;
mod study;
mod suite;
mod suite_scores;
#[path = "../support/mod.rs"]
mod support;

#[path = "../support/valley.rs"]
mod valley;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_autobench");
