//! The real binary: commands, messages, files and exit codes.

mod accuracy;
mod bad_input;
mod before_rounds;
#[path = "../support/chat_server.rs"]
mod chat_server;
mod compare;
mod compiler_options;
mod convert;
mod devices;
mod everyday;
mod evolve;
mod evolve_llm;
mod headers;
mod history;
mod history_clean;
mod knee;
mod knobs;
mod machine;
mod made;
mod objectives;
mod pace;
mod pipeline;
mod plugin_check;
mod plugin_templates;
mod profile;
mod repeat;
mod results;
mod score;
mod scripts;
mod serve;
mod slurm;
mod space;
mod study;
mod suite;
mod suite_scores;
#[path = "../support/mod.rs"]
mod support;
