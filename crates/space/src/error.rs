//! Errors of building a space.

use super::{EvalError, ExpressionError, Value, expression::excerpt};

/// Why parameters and restrictions do not form a space.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpaceError {
    /// A parameter without values.
    #[error("parameter `{0}` has no values; give it at least one")]
    NoValues(String),
    /// A value that is listed twice.
    #[error("parameter `{parameter}` lists the value {value} twice; remove one")]
    Duplicate {
        /// The parameter.
        parameter: String,
        /// The value.
        value: Value,
    },
    /// A name that two parameters or constants have.
    #[error("`{0}` names two things; rename one")]
    NameTwice(String),
    /// A restriction that is not an expression.
    #[error("restriction {0}")]
    Restriction(#[from] ExpressionError),
    /// A restriction without a truth value.
    #[error("restriction `{}` fails: {source}", excerpt(.restriction))]
    Evaluation {
        /// Text of the restriction.
        restriction: String,
        /// Cause.
        source: EvalError,
    },
    /// Too much work or memory.
    #[error(
        "the space is too large to build ({0}); narrow a parameter, add a restriction, or put parameters that share a restriction next to each other"
    )]
    TooLarge(String),
}
