//! What strategies share: a problem whose failures are infinite costs, and which form of an algorithm runs.

pub(crate) mod explorer;
pub(crate) mod form;
