//! Tests load this library, in which every benchmark exports its own table.

pub use benchmarks::TABLES;
