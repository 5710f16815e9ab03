//! Bounds on the work and memory of an evaluation.

use super::EvalError;

/// The longest list or text an expression may build.
pub(super) const MAX_LENGTH: usize = 1 << 20;

/// How many list elements one evaluation may touch.
const MAX_WORK: usize = 1 << 23;

/// What is left of the work that may be done.
#[derive(Clone, Debug)]
pub(in crate::space) struct Fuel {
    left: usize,
    all: usize,
}

impl Fuel {
    /// As much as one evaluation may take.
    pub(super) fn for_one() -> Self {
        Self { left: MAX_WORK, all: MAX_WORK }
    }

    /// As much as many evaluations of restrictions may take together.
    pub(in crate::space) fn for_many() -> Self {
        Self { left: 1 << 28, all: 1 << 28 }
    }

    pub(super) fn burn(&mut self, amount: usize) -> Result<(), EvalError> {
        self.left = self.left.checked_sub(amount).ok_or(EvalError::TooLong(self.all))?;
        Ok(())
    }
}
