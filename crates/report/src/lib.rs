//! What a study is written as: tables, pictures, pages, words; studies side by side; and what share of a device's
//! ceilings they reach. Everything is read off records; nothing here measures or decides.
//!
//! It never knows devices and searches. Begin with `exporters/json.rs`.

pub mod ceilings;
pub mod comparison;
pub mod exporters;
