//! References as expressions over the inputs. They can be computed at any index without storing the
//! inputs.

use autobench_sdk::{
    document::{Document, Fill, Role},
    inputs,
};
use device::workload::{Argument, Content};
use space::{Expression, ExpressionError, Value};

use super::{fault::DocumentFault, formula::is_identifier};

/// An expression over `i`, `size`, parameters that the reference result depends on, and elements of
/// inputs, `NAME[index]`.
#[derive(Debug, Clone)]
pub(super) struct InputExpression {
    expression: Expression,
    inputs: Vec<(usize, InputExpression)>,
}

impl InputExpression {
    /// Compiles the expression. Replaces every `NAME[index]` by a slot name of the same length, so
    /// that positions in error messages stay correct.
    pub(super) fn compile(
        place: &str,
        text: &str,
        document: &Document,
    ) -> Result<Self, DocumentFault> {
        let mut plain = String::with_capacity(text.len());
        let mut inputs = Vec::new();
        let mut slots = vec!["i".to_owned(), "size".to_owned()];
        slots.extend_from_slice(&document.answer_depends_on);
        let mut rest = text;
        while let Some((before, name, index, after)) = next_input(rest, document) {
            plain.push_str(before);
            let position = document.arguments.iter().position(|a| a.name == name);
            let position = position.unwrap_or_default();
            if !matches!(document.arguments[position].role, Role::In | Role::Inout | Role::Constant)
                || matches!(document.arguments[position].fill, Fill::Plugin | Fill::File(_))
            {
                return Err(DocumentFault::new(
                    place,
                    format!("`{name}` has no elements that a generator gives"),
                ));
            }
            inputs.push((position, Self::compile(place, index, document)?));
            let length = name.len() + index.len() + 2;
            let slot = format!("_{:_<width$}", slots.len(), width = length - 1);
            plain.push_str(&slot);
            slots.push(slot);
            rest = after;
        }
        plain.push_str(rest);
        let names: Vec<&str> = slots.iter().map(String::as_str).collect();
        let expression = Expression::compile(&plain, &names).map_err(|error| {
            let error = ExpressionError { text: text.to_owned(), ..error };
            DocumentFault::new(place, error.to_string())
        })?;
        Ok(Self { expression, inputs })
    }

    /// The value for an index, a size and the parameters that the reference result depends on.
    pub(super) fn value(
        &self,
        known: (u64, u64, &[Value]),
        seed: u64,
        arguments: &[Argument],
    ) -> Result<f64, String> {
        self.expression
            .eval_f64(&self.slots(known, seed, arguments)?)
            .map_err(|error| error.to_string())
    }

    fn slots(
        &self,
        known: (u64, u64, &[Value]),
        seed: u64,
        arguments: &[Argument],
    ) -> Result<Vec<Value>, String> {
        let whole =
            |n: u64| i64::try_from(n).map(Value::Int).map_err(|_| format!("{n} is too large"));
        let (index, size, values) = known;
        let mut slots = vec![whole(index)?, whole(size)?];
        slots.extend_from_slice(values);
        for (position, at) in &self.inputs {
            let count = arguments[*position].count().unwrap_or(0);
            let at = at
                .expression
                .eval(&at.slots(known, seed, arguments)?)
                .map_err(|error| error.to_string())?;
            let at = at.as_i64().and_then(|at| u64::try_from(at).ok()).filter(|&at| at < count);
            // An element outside its input may be in a branch that is not taken, so it is no error
            // yet.
            slots.push(match (at, u32::try_from(*position), &arguments[*position].content) {
                (Some(at), Ok(position), Content::Buffer { fill, .. }) => {
                    Value::Float(inputs::element(fill, seed, position, at, count))
                }
                _ => Value::Text("an element outside of its input".into()),
            });
        }
        Ok(slots)
    }
}

/// The first `NAME[index]` of an argument: text before it, name, index, text after it.
fn next_input<'t>(
    text: &'t str,
    document: &Document,
) -> Option<(&'t str, &'t str, &'t str, &'t str)> {
    for (open, _) in text.match_indices('[') {
        let before = &text[..open];
        let start = before
            .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let name = &before[start..];
        if !is_identifier(name) || !document.arguments.iter().any(|a| a.name == name) {
            continue;
        }
        let mut depth = 0_usize;
        for (at, c) in text[open..].char_indices() {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let close = open + at;
                return Some((&text[..start], name, &text[open + 1..close], &text[close + 1..]));
            }
        }
    }
    None
}
