//! Pages in a real browser: what is hovered, zoomed, chosen, sorted, copied and saved. Without a
//! browser these tests are skipped, aloud; `AUTOBENCH_CHROMIUM` names one, and
//! `AUTOBENCH_SCREENSHOTS` a folder that pictures of the pages go to.

#![expect(clippy::print_stderr, reason = "skips and figures are said aloud")]

mod accessibility;
mod browser;
mod charts;
mod failures;
mod families;
#[path = "../program/made.rs"]
mod made;
mod many;
mod pages;
#[path = "../../crates/report/tests/report/study.rs"]
mod study;
mod whole;
