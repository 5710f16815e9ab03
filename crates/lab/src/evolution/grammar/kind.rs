//! Kinds of blocks, of which strategies are composed.

use super::setting::{Range, Setting};

/// What a block does in a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// How a search begins.
    Design,
    /// From where moves depart, and what is gone on from.
    Walk,
    /// How a proposal is made.
    Move,
    /// Which of several moves makes the next proposal.
    Choice,
    /// What is expected of a proposal.
    Model,
    /// What a proposal is judged by.
    Merit,
    /// How a search that is stuck begins anew.
    Restart,
}

/// A kind of block.
#[derive(Debug)]
pub(super) struct Kind {
    /// What it does.
    pub(super) role: Role,
    /// Its name, among those of its role.
    pub(super) name: &'static str,
    /// What it does, as a part of a sentence.
    pub(super) about: &'static str,
    /// How often it is drawn, beside others of its role.
    pub(super) weight: f64,
    /// Its settings.
    pub(super) settings: &'static [Setting],
    /// Shared functions that its text calls.
    pub(super) needs: &'static [&'static str],
    /// Its text.
    pub(super) text: &'static str,
}

/// The text of a block, or of a shared function.
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

/// A setting that is a number, each as likely.
pub(super) const fn even(name: &'static str, about: &'static str, from: f64, to: f64) -> Setting {
    Setting { name, about, range: Range::Even(from, to) }
}

/// A setting that is a positive number, all sizes as likely.
pub(super) const fn scale(name: &'static str, about: &'static str, from: f64, to: f64) -> Setting {
    Setting { name, about, range: Range::Scale(from, to) }
}
