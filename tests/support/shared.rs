//! The folder `../shared` next to the checkout, with recordings that are too large for the
//! repository.
//!
//! Tests that need it are in modules named `shared`. They are ignored by default, and fail without
//! the folder. `cargo test --workspace -- --ignored shared::` runs them.

#![allow(dead_code, reason = "every crate's tests use their part")]

use std::path::{Path, PathBuf};

/// The repository's folder, from the tests of any crate.
pub(crate) fn repository() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().find(|folder| folder.join("tests/data").exists()).expect("a repository")
}

/// A file or folder in `../shared`.
pub(crate) fn shared(path: &str) -> PathBuf {
    let places = ["../shared", "../../shared"].map(|up| repository().join(up).join(path));
    let found = places.into_iter().find(|place| place.exists());
    found.unwrap_or_else(|| panic!("there is no `../shared/{path}` beside this checkout"))
}

/// A file or folder in `tests/data`.
pub(crate) fn data(path: &str) -> PathBuf {
    repository().join("tests/data").join(path)
}
