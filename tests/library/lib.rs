//! A library for tests, in which every benchmark exports its own table.

pub use benchmarks::TABLES;
