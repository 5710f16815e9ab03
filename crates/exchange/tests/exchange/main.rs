//! Recorded spaces: files of other programs, and comparisons with other tools' counts.

mod counts;
mod files;
mod mended;
#[path = "../../../../tests/support/shared.rs"]
mod support;
