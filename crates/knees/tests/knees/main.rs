//! Detectors and answers on curves whose knee is known, and beside published implementations.

mod curves;
mod generated;
mod reference;
mod rounds;
#[path = "../../../../tests/support/shared.rs"]
mod support;
