//! Commands that only `autobench-lab` has.

mod evolve;
mod knobs;
