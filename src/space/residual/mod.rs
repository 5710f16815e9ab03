//! What is left of the restrictions once some parameters are bound.
//!
//! Construction binds one parameter after the other. Two partial configurations leave the same
//! choices when every restriction has the same rest: `a + b + c <= 9` is `5 + c <= 9` after
//! `a = 1, b = 4` as after `a = 3, b = 2`. So what matters of a prefix is a short list of numbers,
//! its *state*: the value of every part of a restriction that is known and still waits for others.
//!
//! A restriction becomes a [`Term`] (`term`, read by `scope`), split at `and` and turned so that
//! sums and products take their operands in any order (`normal`). Binding a parameter replaces what
//! is now known by an element of the state (`bind`). Bounds tell whether a rest is decided already,
//! and which states cannot be told apart by anything that may follow (`judge`, with `interval` and
//! `rests`). `plan` is all this for one order of the parameters.

mod bind;
mod interval;
mod judge;
mod normal;
mod plan;
mod rests;
mod scope;
mod term;

pub(super) use normal::conjuncts;
pub(super) use plan::{Layer, Plan};
pub(super) use scope::Scope;
pub(super) use term::{Operation, Point, Term};
