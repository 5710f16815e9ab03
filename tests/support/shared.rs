//! The folder `../shared` beside the checkout, which holds recordings too large for the repository.
//!
//! Tests that need it are in modules named `shared`, ignored unless asked for, and fail without it:
//! `cargo test --test search --test records -- --ignored shared::`.

use std::path::{Path, PathBuf};

/// A file or folder in it.
pub(crate) fn shared(path: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["../shared", "../../shared"].map(|up| here.join(up).join(path));
    let found = places.into_iter().find(|place| place.exists());
    found.unwrap_or_else(|| panic!("there is no `../shared/{path}` beside this checkout"))
}

/// A file or folder of `tests/data`.
pub(crate) fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path)
}
