//! Recorded spaces: files of other programs, and comparisons with other tools' counts.

mod counts;
mod files;
#[path = "../../../../tests/support/shared.rs"]
mod support;
