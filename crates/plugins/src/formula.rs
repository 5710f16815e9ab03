//! Compiled expressions of a document, with their place for messages, and the values of their
//! names.

use autobench_sdk::document::Document;
use records::{Named, are_formats, macro_text};
use space::{EvalError, Expression, Parameter, Value, accuracy::Element};

use super::{fault::DocumentFault, template::Template};

/// Why a formula of a benchmark has no usable value for a size and a configuration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FormulaFault {
    /// The configuration is of another space.
    #[error("the configuration has no value for parameter `{0}`")]
    MissingParameter(String),
    /// A size beyond what expressions can hold.
    #[error("size {0} is too large for any device")]
    Size(u64),
    /// The expression fails.
    #[error("{place}, `{text}`: {source}")]
    Evaluation {
        /// The place in the document.
        place: String,
        /// The expression.
        text: String,
        /// Why it fails.
        source: EvalError,
    },
    /// A count that is not a whole number from 0.
    #[error("{place}, `{text}`, is {value} where a whole number from 0 on is needed")]
    NotWhole {
        /// The place in the document.
        place: String,
        /// The expression.
        text: String,
        /// Its value.
        value: Value,
    },
    /// A format that is unknown.
    #[error("parameter `{parameter}` is {value}, which is no format")]
    NotFormat {
        /// The parameter.
        parameter: String,
        /// Its value.
        value: Value,
    },
    /// No iterations, or too many.
    #[error("a run would have {times} iterations, and may have 1 to {most}")]
    Iterations {
        /// The number of iterations.
        times: u64,
        /// The upper limit.
        most: usize,
    },
    /// An amount beyond 2⁶⁴.
    #[error("{0} is beyond what any device can hold")]
    TooLarge(String),
    /// A source that cannot be made.
    #[error("the source `{name}` cannot be made: {why}")]
    Source {
        /// The source.
        name: String,
        /// What fails.
        why: String,
    },
    /// An option that the compiler may not receive.
    #[error("{place}: {why}")]
    Option {
        /// The place in the document.
        place: String,
        /// The reason, in one sentence.
        why: String,
    },
    /// A launch without blocks, or with blocks without threads.
    #[error("launch `{entry}` has {what}")]
    Launch {
        /// The kernel.
        entry: String,
        /// What is wrong with the launch.
        what: String,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Formula {
    place: String,
    expression: Expression,
}

impl Formula {
    pub(super) fn compile(
        place: impl Into<String>,
        text: &str,
        names: &[&str],
    ) -> Result<Self, DocumentFault> {
        let place = place.into();
        match Expression::compile(text, names) {
            Ok(expression) => Ok(Self { place, expression }),
            Err(error) => Err(DocumentFault { path: place, message: error.to_string() }),
        }
    }

    pub(super) fn names_used(&self) -> impl Iterator<Item = &str> {
        self.expression.names_used()
    }

    pub(super) fn number(&self, slots: &[Value]) -> Result<f64, FormulaFault> {
        self.expression.eval_f64(slots).map_err(|source| self.failed(source))
    }

    pub(super) fn truth(&self, slots: &[Value]) -> Result<bool, FormulaFault> {
        self.expression.eval_bool(slots).map_err(|source| self.failed(source))
    }

    pub(super) fn slots_used(&self) -> &[usize] {
        self.expression.slots_used()
    }

    /// The value as a whole number from 0.
    pub(super) fn count(&self, slots: &[Value]) -> Result<u64, FormulaFault> {
        let value = self.expression.eval(slots).map_err(|source| self.failed(source))?;
        value.as_i64().and_then(|whole| u64::try_from(whole).ok()).ok_or_else(|| {
            FormulaFault::NotWhole {
                place: self.place.clone(),
                text: self.expression.text().to_owned(),
                value,
            }
        })
    }

    fn failed(&self, source: EvalError) -> FormulaFault {
        let (place, text) = (self.place.clone(), self.expression.text().to_owned());
        FormulaFault::Evaluation { place, text, source }
    }
}

/// A text of a document with expressions in it, and its place for messages.
#[derive(Debug, Clone)]
pub(super) struct TextFormula {
    place: String,
    template: Template,
}

impl TextFormula {
    pub(super) fn compile(
        place: impl Into<String>,
        text: &str,
        names: &[&str],
    ) -> Result<Self, DocumentFault> {
        let place = place.into();
        match Template::parse(text, names) {
            Ok(template) => Ok(Self { place, template }),
            Err(fault) => Err(DocumentFault { path: place, message: fault.to_string() }),
        }
    }

    pub(super) fn slots_used(&self) -> Vec<usize> {
        self.template.slots_used()
    }

    /// The text for these values of the names. In `slots`, the `parameters` follow `size`. A
    /// parameter alone is written as its macro is.
    pub(super) fn text(
        &self,
        slots: &[Value],
        parameters: &[Parameter],
    ) -> Result<String, FormulaFault> {
        let of_name = |name: &str| {
            let at = parameters.iter().position(|parameter| parameter.name == name)?;
            Some(macro_text(slots.get(at + 1)?, &parameters[at].values))
        };
        self.template.render(slots, of_name).map_err(|(text, source)| FormulaFault::Evaluation {
            place: self.place.clone(),
            text,
            source,
        })
    }
}

/// Names that expressions may use, in slot order: `size`, every parameter, and `NAME_bytes` for
/// every parameter that holds formats.
#[derive(Debug, Clone)]
pub(super) struct Names {
    all: Vec<String>,
    formats: Vec<usize>,
}

impl Names {
    pub(super) fn new(parameters: &[Parameter]) -> Self {
        let formats: Vec<usize> =
            (0..parameters.len()).filter(|&at| holds_formats(&parameters[at])).collect();
        let mut all = vec!["size".to_owned()];
        all.extend(parameters.iter().map(|p| p.name.clone()));
        all.extend(formats.iter().map(|&at| format!("{}_bytes", parameters[at].name)));
        Self { all, formats }
    }

    pub(super) fn texts(&self) -> Vec<&str> {
        self.all.iter().map(String::as_str).collect()
    }

    /// Position of the parameter with a name; for `NAME_bytes`, of the parameter `NAME`.
    pub(super) fn parameter(&self, name: &str) -> Option<usize> {
        let slot = self.all.iter().position(|n| n == name)?.checked_sub(1)?;
        let parameters = self.all.len() - 1 - self.formats.len();
        Some(if slot < parameters { slot } else { self.formats[slot - parameters] })
    }

    pub(super) fn slots(
        &self,
        size: u64,
        configuration: &Named,
    ) -> Result<Vec<Value>, FormulaFault> {
        let parameters = self.all.len() - 1 - self.formats.len();
        let mut slots = Vec::with_capacity(self.all.len() + 3);
        slots.push(Value::Int(i64::try_from(size).map_err(|_| FormulaFault::Size(size))?));
        for name in &self.all[1..=parameters] {
            let value = configuration.get(name);
            slots.push(value.ok_or_else(|| FormulaFault::MissingParameter(name.clone()))?.clone());
        }
        for &at in &self.formats {
            let bytes = element_of(&self.all[at + 1], &slots[at + 1])?.bytes();
            slots.push(Value::Int(i64::try_from(bytes).unwrap_or(i64::MAX)));
        }
        Ok(slots)
    }
}

pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(super) fn element_of(parameter: &str, value: &Value) -> Result<Element, FormulaFault> {
    value.as_text().and_then(|text| text.parse().ok()).ok_or_else(|| FormulaFault::NotFormat {
        parameter: parameter.to_owned(),
        value: value.clone(),
    })
}

pub(super) fn holds_formats(parameter: &Parameter) -> bool {
    are_formats(&parameter.values)
}

/// The parameters of a document, in the form that the space uses.
pub(super) fn parameters(document: &Document) -> Result<Vec<Parameter>, DocumentFault> {
    use autobench_sdk::document::Values;
    let mut parameters = Vec::new();
    for (at, stated) in document.parameters.iter().enumerate() {
        let place = format!("parameters[{at}].values");
        let values = match &stated.values {
            Values::List(list) => {
                list.iter().map(scalar).collect::<Option<Vec<_>>>().ok_or_else(|| {
                    DocumentFault::new(&place, "a value is not a number, a text or a truth value")
                })?
            }
            Values::Expression(text) => space::parse_values(text)
                .map_err(|error| DocumentFault::new(&place, error.to_string()))?,
        };
        let mut parameter = Parameter { name: stated.name.clone(), values, default: None };
        if let Some(default) = &stated.default {
            parameter.default = scalar(default).and_then(|value| parameter.index_of(&value));
            if parameter.default.is_none() {
                return Err(DocumentFault::new(
                    format!("parameters[{at}].default"),
                    format!("{default} is not one of the values of `{}`", stated.name),
                ));
            }
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

fn scalar(value: &serde_json::Value) -> Option<Value> {
    serde_json::from_value(value.clone()).ok()
}
