//! What a benchmark plugin depends on: the document that describes a benchmark, the C table that
//! crosses the library boundary, and the generators of its inputs.

pub mod abi;
pub mod document;
