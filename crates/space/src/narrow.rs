//! Narrows a parameter's values, as `--param name=values` does. Additional restrictions need no
//! code here: the caller appends their texts to those given to `Space::build`.

use super::{Parameter, Value, ValuesError, parse_values};

/// Why a narrowing does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NarrowError {
    /// The text has no `=`.
    #[error("`{0}` must be a parameter and its values, such as `block_size_x=64,128`")]
    Form(String),
    /// No parameter has this name.
    #[error("there is no parameter `{name}` (known: {known})")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known names.
        known: String,
    },
    /// The values cannot be read.
    #[error("parameter `{name}`: {source}")]
    Values {
        /// The parameter.
        name: String,
        /// Cause.
        source: ValuesError,
    },
    /// The parameter has no such value.
    #[error("parameter `{name}` has no value {value} (it has: {existing})")]
    NoSuchValue {
        /// The parameter.
        name: String,
        /// The value asked for.
        value: String,
        /// The parameter's values.
        existing: String,
    },
}

/// Keeps only the values in `text`, such as `block_size_x=64,128`, in the parameter's order.
///
/// If the default is dropped, the nearest value that stays becomes the default.
///
/// # Errors
/// For unknown parameters and values; the error lists the known ones.
pub fn keep_values(parameters: &mut [Parameter], text: &str) -> Result<(), NarrowError> {
    let (name, list) = text.split_once('=').ok_or_else(|| NarrowError::Form(text.to_owned()))?;
    let name = name.trim();
    let known = || parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
    let Some(at) = parameters.iter().position(|p| p.name == name) else {
        return Err(NarrowError::Unknown { name: name.to_owned(), known: known() });
    };
    let parameter = &mut parameters[at];
    let wanted = match own_texts(&parameter.values, list) {
        Some(own) => own,
        None => parse_values(list)
            .map_err(|source| NarrowError::Values { name: name.to_owned(), source })?,
    };
    if let Some(value) = wanted.iter().find(|v| parameter.index_of(v).is_none()) {
        return Err(NarrowError::NoSuchValue {
            name: name.to_owned(),
            value: value.to_string(),
            existing: shown(&parameter.values),
        });
    }
    let kept: Vec<usize> =
        (0..parameter.values.len()).filter(|i| wanted.contains(&parameter.values[*i])).collect();
    let default = parameter.default_index();
    parameter.default = (0..kept.len()).min_by_key(|i| kept[*i].abs_diff(default));
    parameter.values = kept.iter().map(|i| parameter.values[*i].clone()).collect();
    Ok(())
}

/// Reads `list` as texts of the parameter, which need not be words (`-O2`, or an empty text).
fn own_texts(values: &[Value], list: &str) -> Option<Vec<Value>> {
    let own = |text: &str| values.iter().find(|value| value.as_text() == Some(text)).cloned();
    match own(list.trim()) {
        Some(whole) => Some(vec![whole]),
        None => list.split(',').map(|part| own(part.trim())).collect(),
    }
}

fn shown(values: &[Value]) -> String {
    const MOST: usize = 20;
    let mut shown: Vec<String> = values.iter().take(MOST).map(ToString::to_string).collect();
    if values.len() > MOST {
        shown.push(format!("… {} in all", values.len()));
    }
    shown.join(", ")
}
