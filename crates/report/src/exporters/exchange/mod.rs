//! What the formats of other programs share.

pub(super) mod json_text;
pub(super) mod own;
