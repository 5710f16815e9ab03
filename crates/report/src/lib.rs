//! Writes studies as tables, pictures, pages and words, compares studies, and computes what share
//! of a device's ceilings they reach. Everything is read from records: nothing here measures or
//! decides.
//!
//! It never knows devices and searches. Begin with `exporters/json.rs`.

pub mod ceilings;
pub mod comparison;
pub mod exporters;
