//! Hostile input of every kind gives an answer or a message, never a panic, a hang or a flood of
//! memory.
//!
//! `AUTOBENCH_FUZZ_SECONDS=600 cargo test --test fuzz` fuzzes each parser for ten minutes.

mod parsers;
mod records;
