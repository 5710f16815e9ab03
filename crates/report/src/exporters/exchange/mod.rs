//! Shared by the formats of other programs.

pub(super) mod json_text;
pub(super) mod own;
