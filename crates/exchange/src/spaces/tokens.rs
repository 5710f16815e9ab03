//! Tokens of parameter values in a file, and their positions in a recorded space. A file repeats
//! few values many times, so a token is looked up instead of parsed again.

use rustc_hash::FxHashMap;
use space::{Value, ValueIndex};

use crate::{
    RecordedSpace,
    spaces::json_reader::{JsonFault, JsonReader, Scalar},
};

#[derive(Debug, Default)]
struct Column<'a> {
    last: Option<(&'a str, u32)>,
    seen: FxHashMap<&'a str, Option<u32>>,
}

#[derive(Debug, Default)]
pub(crate) struct Tokens<'a>(Vec<Column<'a>>);

impl<'a> Tokens<'a> {
    pub(crate) fn new(parameters: usize) -> Self {
        Self((0..parameters).map(|_| Column::default()).collect())
    }

    /// Position of a parameter's value; `None` if the token is not a value.
    pub(crate) fn place(
        &mut self,
        space: &mut RecordedSpace,
        parameter: usize,
        token: &'a str,
    ) -> Option<u32> {
        let column = &mut self.0[parameter];
        if let Some((last, place)) = column.last
            && last == token
        {
            return Some(place);
        }
        let place = *column
            .seen
            .entry(token)
            .or_insert_with(|| Some(space.place_or_add(parameter, value(token)?)));
        column.last = Some((token, place?));
        place
    }
}

pub(crate) fn value(token: &str) -> Option<Value> {
    match token {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    if let Ok(whole) = token.parse() {
        return Some(Value::Int(whole));
    }
    // The reader does not trust a token at the end of the text, so a blank follows.
    match JsonReader::new(&format!("{token} ")).scalar().ok()? {
        Scalar::Number(number) => Some(Value::Float(number)),
        Scalar::Text(text) => Some(Value::Text(text.into())),
        Scalar::Missing | Scalar::Other(_) => None,
    }
}

/// Distinct values of a list; elements that are not values are left out.
pub(crate) fn list(reader: &mut JsonReader<'_>) -> Result<Vec<Value>, JsonFault> {
    let mut values: Vec<Value> = Vec::new();
    let mut seen = ValueIndex::default();
    if !reader.enter(b'[')? {
        reader.skip()?;
        return Ok(values);
    }
    while reader.element()? {
        values.extend(value(reader.token()?).filter(|value| seen.insert(value, 0)));
    }
    Ok(values)
}
