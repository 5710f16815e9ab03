//! What all pages share: their frame, their style, their script, and the data that it draws.

mod columns;
mod curve;
mod data;
pub(super) mod html;
mod metrics;
mod trials;

pub use data::PageData;
pub use html::{configuration, escape, whole};
