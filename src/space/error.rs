//! Why parameters and restrictions make no space.

use super::{EvalError, ExpressionError, Value, expression::excerpt};

/// Why parameters and restrictions make no space.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpaceError {
    /// A parameter without values.
    #[error("parameter `{0}` has no values; give it at least one")]
    NoValues(String),
    /// A value listed twice.
    #[error("parameter `{parameter}` lists the value {value} twice; remove one")]
    Duplicate {
        /// The parameter.
        parameter: String,
        /// The value.
        value: Value,
    },
    /// Two parameters or constants of the same name.
    #[error("`{0}` names two things; rename one")]
    NameTwice(String),
    /// A restriction that is no expression.
    #[error("restriction {0}")]
    Restriction(#[from] ExpressionError),
    /// A restriction without a truth value.
    #[error("restriction `{}` fails: {source}", excerpt(.restriction))]
    Evaluation {
        /// Its text.
        restriction: String,
        /// Why.
        source: EvalError,
    },
    /// Too much work or memory.
    #[error(
        "the space is too large to build ({0}); narrow a parameter, add a restriction, or put parameters that share a restriction next to each other"
    )]
    TooLarge(String),
}
