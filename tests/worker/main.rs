//! Workers as the program uses them: real processes, real plugins in C, the cpu device.
#![expect(clippy::print_stderr, reason = "skips and figures are said aloud")]

mod benchmarks;
mod copies;
mod hostile;
mod isolation;
mod lifetime;
mod made_sources;
mod plugin_loading;
mod plugin_words;
mod support;
mod trials;
mod wrong_variants;
