//! A real GPU: every fault of a kernel is made, and costs only its own trial. Skipped with a
//! message without a GPU. `AUTOBENCH_TEST_DEVICE` names another device than `cuda:0`.
#![expect(clippy::print_stderr, reason = "skips are said aloud")]

mod faults;
mod machine;
mod studies;
