//! One model of rounds. The logarithm of a time is what its size has, plus what the piece of memory
//! adds in which the size lies, plus what its round has in common, plus an error with heavy tails
//! that is larger where others took time: `z[r, s] = a[k(r), s] + p[m(r), s] + b[r] + e[r, s]`. The
//! machine may have a few states `k`, each with a curve of its own; the fastest that lasted gives
//! the answer. No round and no sample is dropped.

mod additive;
pub(crate) mod curve;
pub(crate) mod fit;
mod own_scatter;
mod placements;
mod states;
mod table;
