//! Pages in a real browser: hovering, zooming, choosing, sorting, copying and saving. Without a
//! browser these tests are skipped with a message. `AUTOBENCH_CHROMIUM` names the browser, and
//! `AUTOBENCH_SCREENSHOTS` a folder for screenshots.

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
