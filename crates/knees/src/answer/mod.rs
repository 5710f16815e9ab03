//! From a curve and a detector to a finding: the knee, its confidence, and whether it is confirmed.

mod bagging;
pub(super) mod confidence;
pub(super) mod confirmation;
pub(super) mod find;
pub(super) mod finding;
pub(super) mod support;
mod uncertainty;
