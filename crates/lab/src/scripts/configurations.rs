//! How scripts write configurations: a valid one as its number, any other as a table with one index
//! per parameter, from 1.

use mlua::{Error, Table, Value};
use smallvec::SmallVec;
use space::{Configuration, ConfigurationId, Neighbourhood, Space};

use super::faults::article;

/// Largest number of configurations whose numbers Luau holds exactly.
pub(super) const MOST: u64 = 1 << 53;

/// The number of a valid configuration.
pub(super) fn valid(space: &Space, written: &Value) -> Result<ConfigurationId, String> {
    if let Value::Table(indices) = written {
        let configuration = indexed(space, indices)?;
        return space.id_of(&configuration).ok_or_else(|| {
            let why = space.explain(&configuration).unwrap_or("the space");
            format!("the configuration is not valid by `{why}`; problem.repair finds one that is")
        });
    }
    let number = match written {
        Value::Integer(number) => *number as f64,
        Value::Number(number) => *number,
        other => {
            return Err(format!(
                "a configuration is a number that the problem gave, or a table of indices, not {}",
                article(other.type_name())
            ));
        }
    };
    let is_one = number >= 0.0 && number < space.len() as f64 && number.fract() == 0.0;
    match is_one {
        true => Ok(ConfigurationId(number as u64)),
        false => Err(format!("{number} is no configuration that the problem gave")),
    }
}

/// A configuration that may be invalid.
pub(super) fn any(space: &Space, written: &Value) -> Result<Configuration, String> {
    match written {
        Value::Table(indices) => indexed(space, indices),
        number => Ok(space.configuration(valid(space, number)?)),
    }
}

fn indexed(space: &Space, indices: &Table) -> Result<Configuration, String> {
    let parameters = space.parameters();
    let given = numbers(indices, parameters.len());
    let mut configuration = Vec::with_capacity(parameters.len());
    for (at, parameter) in parameters.iter().enumerate() {
        let most = parameter.values.len();
        let Some(index) = given.get(at).copied().flatten() else {
            let (at, all, name) = (at + 1, parameters.len(), &parameter.name);
            return Err(format!(
                "a configuration has {all} indices, and that of `{name}`, number {at}, is none"
            ));
        };
        if !(index >= 1.0 && index <= most as f64 && index.fract() == 0.0) {
            let name = &parameter.name;
            return Err(format!("the index of `{name}` is from 1 to {most}, not {index}"));
        }
        configuration.push(index as u32 - 1);
    }
    match given.len() > parameters.len() {
        true => Err(format!("a configuration has {} indices, not more", parameters.len())),
        false => Ok(Configuration(configuration)),
    }
}

/// The first `most` values of a list, and one more if there is one; `None` for values that are not
/// numbers.
fn numbers(list: &Table, most: usize) -> SmallVec<[Option<f64>; 16]> {
    let mut numbers = SmallVec::new();
    // The only possible error is our own, which ends the loop.
    let _ = list.for_each_value(|value: Value| {
        numbers.push(match value {
            Value::Integer(number) => Some(number as f64),
            Value::Number(number) => Some(number),
            _ => None,
        });
        if numbers.len() <= most { Ok(()) } else { Err(Error::StackError) }
    });
    numbers
}

/// The indices of a configuration, counted from 1 as in scripts.
pub(super) fn written(configuration: &Configuration) -> impl Iterator<Item = f64> {
    configuration.0.iter().map(|index| f64::from(*index) + 1.0)
}

/// A kind of neighbour by its name.
pub(super) fn neighbourhood(name: &Value) -> Result<Neighbourhood, String> {
    let text = match name {
        Value::String(text) => text.to_string_lossy(),
        other => other.type_name().to_owned(),
    };
    match text.as_str() {
        "hamming" => Ok(Neighbourhood::Hamming),
        "hamming_adjacent" => Ok(Neighbourhood::HammingAdjacent),
        "adjacent" => Ok(Neighbourhood::Adjacent),
        "strictly_adjacent" => Ok(Neighbourhood::StrictlyAdjacent),
        _ => Err("neighbours are `hamming`, `hamming_adjacent`, `adjacent` or `strictly_adjacent`"
            .to_owned()),
    }
}
