//! What all pages share: their frame, style and script, and the data that the script draws.

pub(super) mod cell;
mod columns;
mod curve;
mod data;
mod front;
pub(super) mod html;
mod metrics;
mod trials;

pub use cell::{Cell, row};
pub use data::PageData;
pub use html::{configuration, escape, whole};
