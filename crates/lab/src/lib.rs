//! The strategy laboratory: strategies from scripts, generators that write scripts, and the search
//! for knobs. It is a separate program, `autobench-lab`, which also has every command of
//! `autobench`. Users who only measure thus need not build a script language and a client for
//! language models.
//!
//! It knows everything, and nothing depends on it. Begin with `scripts/mod.rs`.

mod commands;
pub mod evolution;
pub mod scripts;
