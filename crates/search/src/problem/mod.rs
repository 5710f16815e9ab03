//! What strategies share: a problem whose failures are infinite costs, and the forms of an
//! algorithm.

pub(crate) mod explorer;
pub(crate) mod form;
