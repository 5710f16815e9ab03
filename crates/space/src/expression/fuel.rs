//! Bounds on the work and memory of an evaluation.

use super::EvalError;

/// Limit of the length of a list or text that an expression builds.
pub(super) const MAX_LENGTH: usize = 1 << 20;

/// Limit of the list elements that one evaluation touches.
const MAX_WORK: usize = 1 << 23;

/// Work that is left, in list elements.
#[derive(Clone, Debug)]
pub(crate) struct Fuel {
    left: usize,
    all: usize,
}

impl Fuel {
    pub(super) fn for_one() -> Self {
        Self { left: MAX_WORK, all: MAX_WORK }
    }

    /// Fuel that all restriction checks of one space share.
    pub(crate) fn for_many() -> Self {
        Self { left: 1 << 28, all: 1 << 28 }
    }

    pub(super) fn burn(&mut self, amount: usize) -> Result<(), EvalError> {
        self.left = self.left.checked_sub(amount).ok_or(EvalError::TooLong(self.all))?;
        Ok(())
    }
}
