//! Recorded spaces: files of other programs, and what peers count in them.

mod counts;
mod files;
#[path = "../../../../tests/support/shared.rs"]
mod support;
