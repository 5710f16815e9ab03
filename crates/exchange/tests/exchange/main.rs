//! Recorded spaces: files of other programs, and comparisons with other tools' counts.

#[path = "../../../../tests/support/counted.rs"]
mod counted;
mod counts;
mod files;
mod growth;
mod mended;
#[path = "../../../../tests/support/shared.rs"]
mod support;
