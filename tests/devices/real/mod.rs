//! A real GPU, where there is one: every fault that a kernel can make is made, and each costs its
//! own trial. Without a GPU this is skipped aloud. `AUTOBENCH_TEST_DEVICE` names another device
//! than `cuda:0`.
#![expect(clippy::print_stderr, reason = "skips are said aloud")]

mod faults;
mod machine;
mod studies;
