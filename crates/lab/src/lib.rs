//! The laboratory of strategies: strategies from scripts, generators that write them, and the search for knobs. It is
//! a program of its own, `autobench-lab`, which has every command of `autobench` as well, so that nobody who only
//! measures has to build a script language and a client for language models.
//!
//! It knows everything, and nothing depends on it. Begin with `scripts/mod.rs`.

mod commands;
pub mod evolution;
pub mod scripts;
