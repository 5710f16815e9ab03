//! Hostile input of every kind: an answer or a sentence, never a panic, a hang or a flood of memory.
//!
//! `AUTOBENCH_FUZZ_SECONDS=600 cargo test --test fuzz` fuzzes for ten minutes a parser.

mod parsers;
mod records;
