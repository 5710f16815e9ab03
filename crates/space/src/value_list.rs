//! Lists of values as users write them in benchmarks and on the command line.

use super::{
    EvalError, Expression, ExpressionError, Value,
    expression::{Item, excerpt},
};

/// A text that is not a list of values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValuesError {
    /// The text is not an expression.
    #[error("{0}")]
    Expression(#[from] ExpressionError),
    /// The expression has no value.
    #[error("`{}` has no value: {source}", excerpt(.text))]
    Evaluation {
        /// The text.
        text: String,
        /// Cause.
        source: EvalError,
    },
    /// The list is empty or has elements that are not scalars.
    #[error(
        "`{}` must be a list of {wanted}, such as `64,128` or `[2**i for i in range(6)]`",
        excerpt(.text)
    )]
    NotScalars {
        /// The text.
        text: String,
        /// The expected kind of elements.
        wanted: &'static str,
    },
}

/// Reads a list of values: `64,128`, `f16,f32`, `[2**i for i in range(6)]`,
/// `[1] + list(range(2, 11, 2))`. Without brackets, commas separate values and bare words are
/// texts.
///
/// # Errors
/// If `text` cannot be read (the error says where), or the list is empty.
pub fn parse_values(text: &str) -> Result<Vec<Value>, ValuesError> {
    let values = if text.contains(['[', '(']) {
        evaluated(text)?
    } else {
        let mut values = Vec::new();
        for part in text.split(',') {
            values.push(single(part.trim(), text)?);
        }
        values
    };
    if values.is_empty() {
        return Err(not_scalars(text, "at least one value"));
    }
    Ok(values)
}

fn not_scalars(text: &str, wanted: &'static str) -> ValuesError {
    ValuesError::NotScalars { text: text.to_owned(), wanted }
}

fn evaluated(text: &str) -> Result<Vec<Value>, ValuesError> {
    let expression = Expression::compile(text.trim(), &[])?;
    let item = expression
        .item(&[])
        .map_err(|source| ValuesError::Evaluation { text: text.to_owned(), source })?;
    let scalars = |items: &[Item]| -> Option<Vec<Value>> {
        items
            .iter()
            .map(|item| match item {
                Item::Value(Value::Float(f)) if f.is_nan() => None,
                Item::Value(value) => Some(value.clone()),
                _ => None,
            })
            .collect()
    };
    match &item {
        Item::List(items) => scalars(items),
        other => scalars(std::slice::from_ref(other)),
    }
    .ok_or_else(|| not_scalars(text, "numbers, texts or truth values"))
}

fn single(part: &str, text: &str) -> Result<Value, ValuesError> {
    match part {
        "" => return Err(not_scalars(text, "values with one comma between them")),
        "true" => return Ok(Value::Bool(true)),
        "false" => return Ok(Value::Bool(false)),
        _ => {}
    }
    match Expression::compile(part, &[]) {
        Ok(expression) => expression
            .eval(&[])
            .map_err(|source| ValuesError::Evaluation { text: text.to_owned(), source }),
        Err(_) if is_bare_word(part) => Ok(Value::from(part)),
        Err(error) => Err(error.into()),
    }
}

fn is_bare_word(part: &str) -> bool {
    part.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && part.chars().all(|c| c.is_alphanumeric() || "_-+.:/".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(text: &str) -> Vec<i64> {
        parse_values(text).expect("values").iter().filter_map(Value::as_i64).collect()
    }

    #[test]
    fn lists_are_read_as_people_write_them() {
        assert_eq!(ints("64,128"), [64, 128]);
        assert_eq!(ints(" 64 "), [64]);
        assert_eq!(ints("2**3, 0x10"), [8, 16]);
        assert_eq!(ints("[2**i for i in range(6)]"), [1, 2, 4, 8, 16, 32]);
        assert_eq!(ints("[1] + list(range(2, 11, 4))"), [1, 2, 6, 10]);
        assert_eq!(ints("range(3)"), [0, 1, 2]);
        assert_eq!(parse_values("f16,f32").expect("words")[1], Value::from("f32"));
        assert_eq!(parse_values("true,false").expect("truth")[0], Value::Bool(true));
        assert_eq!(parse_values("[0.5, 'a']").expect("mixed")[0], Value::Float(0.5));
    }

    #[test]
    fn what_is_no_list_is_refused_with_a_reason() {
        for text in ["", "1,,2", "[]", "[[1]]", "None", "1/0", "range(10**12)", "[i for i", "a b"] {
            let message = parse_values(text).expect_err(text).to_string();
            assert!(!message.is_empty() && !message.contains('\n'), "{text}: {message}");
        }
    }
}
