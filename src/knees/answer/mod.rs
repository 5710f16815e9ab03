//! From a curve and a detector to an answer: the knee, how far it can be relied on, and whether it
//! is settled.

mod bagging;
pub(super) mod confidence;
pub(super) mod confirmation;
pub(super) mod find;
pub(super) mod finding;
mod uncertainty;
