//! The commands that `autobench-lab` has beside those of `autobench`.

mod evolve;
mod knobs;
