//! Kinds of blocks; strategies are composed of blocks.

use super::setting::{Range, Setting};

/// The part that a block plays in a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// How a search begins.
    Design,
    /// Where moves start from, and which place is kept.
    Walk,
    /// How a proposal is made from a place.
    Move,
    /// Which of several moves makes the next proposal.
    Choice,
    /// The prediction for a proposal.
    Model,
    /// The criterion by which a proposal is judged.
    Merit,
    /// How a stuck search starts again.
    Restart,
}

/// A kind of block.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) role: Role,
    /// Name of the kind; unique within its role.
    pub(super) name: &'static str,
    /// What the block does, as a part of a sentence.
    pub(super) about: &'static str,
    /// Weight in random draws among the kinds of its role.
    pub(super) weight: f64,
    /// Settings of the block.
    pub(super) settings: &'static [Setting],
    /// Shared functions that the block's code calls.
    pub(super) needs: &'static [&'static str],
    /// Luau code of the block.
    pub(super) text: &'static str,
}

/// Luau code of a block, or of a shared function.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("blocks/", $name, ".luau"))
    };
}

pub(super) use text;

/// A setting that is a whole number.
pub(super) const fn whole(name: &'static str, about: &'static str, from: u64, to: u64) -> Setting {
    Setting { name, about, range: Range::Whole(from, to) }
}

/// A setting that is a number, drawn uniformly.
pub(super) const fn even(name: &'static str, about: &'static str, from: f64, to: f64) -> Setting {
    Setting { name, about, range: Range::Even(from, to) }
}

/// A setting that is a positive number, drawn uniformly in its logarithm.
pub(super) const fn scale(name: &'static str, about: &'static str, from: f64, to: f64) -> Setting {
    Setting { name, about, range: Range::Scale(from, to) }
}
