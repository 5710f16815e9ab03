//! Errors of reading and of evaluating an expression.

/// A text that is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}`, character {}: {message}", excerpt(.text), .text.get(..*.position).map_or(0, |t| t.chars().count()) + 1)]
pub struct ExpressionError {
    /// The whole expression.
    pub text: String,
    /// Byte at which reading stopped.
    pub position: usize,
    /// What was expected, or is unknown.
    pub message: String,
}

/// Why an expression has no value for its variables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// A division or a remainder by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A function outside its domain, such as `log(0)`.
    #[error("`{0}` is not defined here")]
    Domain(&'static str),
    /// Operands of types that do not fit the operation.
    #[error("{0}")]
    Type(String),
    /// An index outside its list.
    #[error("the index {0} is outside its list")]
    Index(i64),
    /// Too much work or memory; holds the limit of list elements.
    #[error("it makes or looks at over {0} list elements")]
    TooLong(usize),
    /// A list or `None` where a number, a truth value or a text is needed.
    #[error("the result is {0}, where a number, a text or a truth value is needed")]
    NotScalar(&'static str),
}

/// A text as messages quote it: only the beginning if the text is long.
pub(crate) fn excerpt(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
