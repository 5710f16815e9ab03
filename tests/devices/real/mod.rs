//! A real GPU: a kernel causes every kind of fault, and each costs only its own trial. Skipped with
//! a message if there is no GPU. `AUTOBENCH_TEST_DEVICE` replaces the default `cuda:0`.
#![expect(clippy::print_stderr, reason = "skips are said aloud")]

mod faults;
mod machine;
mod studies;
