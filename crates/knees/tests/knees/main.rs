//! Detectors and findings on curves whose knee is known, and compared with published
//! implementations.

mod curves;
mod generated;
mod reference;
mod rounds;
#[path = "../../../../tests/support/shared.rs"]
mod support;
