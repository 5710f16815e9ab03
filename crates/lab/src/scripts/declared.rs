//! A script's declaration: its description, its reference, and its knobs.
//!
//! A script returns a table with a function `search`, and optionally `about`, `reference` and
//! `knobs`.

use mlua::{Function, Table, Value};
use registry::{Allowed, Knob, Knobs, PRESET};

use super::faults::ScriptFault;

/// Names that every strategy's own knobs use.
const TAKEN: [&str; 2] = [PRESET, "order"];
/// Most knobs.
const MOST_KNOBS: usize = 100;
/// Longest name of a knob, and longest other text, in bytes.
const LONGEST: (usize, usize) = (40, 400);

/// What a script declares.
pub(super) struct Declared {
    pub(super) about: String,
    pub(super) reference: String,
    pub(super) knobs: Vec<DeclaredKnob>,
}

/// A knob of a script, owned by the script.
pub(super) struct DeclaredKnob {
    pub(super) name: String,
    about: String,
    default: String,
    values: Values,
}

/// Allowed values of a knob.
enum Values {
    Whole(u64, u64),
    Numbers(f64, f64),
    Words(Vec<String>),
}

/// Value of a knob in a search.
pub(super) enum Setting {
    Number(f64),
    Word(String),
}

impl DeclaredKnob {
    /// The knob as users set it. It is leaked, because registered knobs live as long as the
    /// program.
    pub(super) fn kept(&self) -> Knob {
        let kept = |text: &str| -> &'static str { text.to_owned().leak() };
        let allowed = match &self.values {
            Values::Whole(from, to) => Allowed::Integer(*from, *to),
            Values::Numbers(from, to) => Allowed::Number(*from, *to),
            Values::Words(words) => {
                Allowed::Choice(words.iter().map(|word| kept(word)).collect::<Vec<_>>().leak())
            }
        };
        let (name, about, default) = (kept(&self.name), kept(&self.about), kept(&self.default));
        Knob { name, about, default, allowed }
    }

    /// The user's setting, or the default.
    pub(super) fn setting(&self, knobs: Option<&Knobs>) -> Option<Setting> {
        match (knobs, &self.values) {
            (None, _) => self.default_setting(),
            (Some(knobs), Values::Words(_)) => {
                Some(Setting::Word(knobs.choice(&self.name).to_owned()))
            }
            (Some(knobs), _) => Some(Setting::Number(knobs.number(&self.name))),
        }
    }

    /// The default, if it is an allowed value.
    fn default_setting(&self) -> Option<Setting> {
        let text = &self.default;
        match &self.values {
            Values::Whole(from, to) => {
                let value = text.parse::<u64>().ok().filter(|value| (from..=to).contains(&value));
                value.map(|value| Setting::Number(value as f64))
            }
            Values::Numbers(from, to) => {
                let value = text.parse::<f64>().ok().filter(|value| (from..=to).contains(&value));
                value.map(Setting::Number)
            }
            Values::Words(words) => words.contains(text).then(|| Setting::Word(text.clone())),
        }
    }
}

impl Values {
    /// The allowed values, in words.
    fn shown(&self) -> String {
        match self {
            Self::Whole(from, to) => format!("a whole number from {from} to {to}"),
            Self::Numbers(from, to) => format!("a number from {from} to {to}"),
            Self::Words(words) => format!("one of {}", words.join(", ")),
        }
    }
}

impl Declared {
    /// Reads the table that a script returned.
    pub(super) fn read(name: &str, returned: &Table) -> Result<Self, ScriptFault> {
        let fault = |why: String| ScriptFault::declared(name, &why);
        let _: Function = returned.raw_get("search").map_err(|_| {
            fault("`search` is no function of the table that the script returns".to_owned())
        })?;
        let about = text(returned, "about").map_err(fault)?;
        let reference = text(returned, "reference").map_err(fault)?;
        Ok(Self {
            about: about.unwrap_or_else(|| format!("the script {name}")),
            reference: reference.unwrap_or_else(|| name.to_owned()),
            knobs: knobs(returned).map_err(fault)?,
        })
    }
}

/// A text of a table; `None` if it is missing.
fn text(table: &Table, key: &str) -> Result<Option<String>, String> {
    match table.raw_get(key) {
        Ok(Value::Nil) => Ok(None),
        Ok(Value::String(text)) => match text.to_str() {
            Ok(text) if text.len() <= LONGEST.1 && !text.contains(char::is_control) => {
                Ok(Some(text.to_owned()))
            }
            _ => Err(format!("`{key}` is no line of text of at most {} bytes", LONGEST.1)),
        },
        _ => Err(format!("`{key}` is no text")),
    }
}

/// The declared knobs, sorted by name because a table has no order.
fn knobs(returned: &Table) -> Result<Vec<DeclaredKnob>, String> {
    let declared = match returned.raw_get("knobs") {
        Ok(Value::Nil) => return Ok(Vec::new()),
        Ok(Value::Table(knobs)) => knobs,
        _ => return Err("`knobs` is no table".to_owned()),
    };
    let mut knobs = Vec::new();
    for pair in declared.pairs::<String, Table>() {
        let (name, declared) =
            pair.map_err(|_| "`knobs` holds something else than tables by name".to_owned())?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if name.is_empty() || name.len() > LONGEST.0 || !name.chars().all(plain) {
            return Err("a knob's name is up to 40 of the characters a-z, 0-9 and `_`".to_owned());
        }
        if TAKEN.contains(&name.as_str()) {
            return Err(format!("the knob `{name}` must have another name: every strategy has it"));
        }
        knobs.push(knob(&name, &declared).map_err(|why| format!("the knob `{name}` {why}"))?);
        if knobs.len() > MOST_KNOBS {
            return Err(format!("there are more than {MOST_KNOBS} knobs"));
        }
    }
    knobs.sort_by(|a: &DeclaredKnob, b| a.name.cmp(&b.name));
    Ok(knobs)
}

fn knob(name: &str, declared: &Table) -> Result<DeclaredKnob, String> {
    let about = text(declared, "about").map_err(|why| format!("is faulty: {why}"))?;
    let values = match words(declared)? {
        Some(words) => Values::Words(words),
        None => range(declared)?,
    };
    let default = match declared.raw_get("default") {
        Ok(Value::String(text)) => text.to_string_lossy(),
        Ok(Value::Integer(value)) => value.to_string(),
        Ok(Value::Number(value)) => value.to_string(),
        _ => return Err("has no `default`, a number or a word".to_owned()),
    };
    let about = about.unwrap_or_default();
    let knob = DeclaredKnob { name: name.to_owned(), about, default, values };
    match knob.default_setting() {
        Some(_) => Ok(knob),
        None => {
            let DeclaredKnob { default, values, .. } = &knob;
            Err(format!("has the default `{default}`, which is not {}", values.shown()))
        }
    }
}

/// The words of a choice; `None` if the knob is not a choice.
fn words(declared: &Table) -> Result<Option<Vec<String>>, String> {
    let words = match declared.raw_get("one_of") {
        Ok(Value::Nil) => return Ok(None),
        Ok(Value::Table(words)) => words,
        _ => return Err("has a `one_of` that is no table of words".to_owned()),
    };
    let words: Vec<String> =
        words.sequence_values().take(MOST_KNOBS).collect::<Result<_, _>>().unwrap_or_default();
    let plain = |word: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.';
        !word.is_empty() && word.len() <= LONGEST.0 && word.chars().all(plain)
    };
    match !words.is_empty() && words.iter().all(plain) {
        true => Ok(Some(words)),
        false => Err("has a `one_of` that is no table of words".to_owned()),
    }
}

/// The numbers from `from` to `to`; only whole ones if `whole` is true.
fn range(declared: &Table) -> Result<Values, String> {
    let bound = |key: &str| match declared.raw_get(key) {
        Ok(Value::Integer(value)) => Ok(value as f64),
        Ok(Value::Number(value)) if value.is_finite() => Ok(value),
        _ => Err("needs numbers `from` and `to`, or words in `one_of`".to_owned()),
    };
    let (from, to) = (bound("from")?, bound("to")?);
    let is_whole = matches!(declared.raw_get("whole"), Ok(Value::Boolean(true)));
    let wholes = |x: f64| x >= 0.0 && x <= 2.0_f64.powi(53) && x.fract() == 0.0;
    match is_whole {
        _ if from > to => Err("has a `from` beyond its `to`".to_owned()),
        true if wholes(from) && wholes(to) => Ok(Values::Whole(from as u64, to as u64)),
        true => Err("is whole, so its `from` and `to` must be whole numbers from 0".to_owned()),
        false => Ok(Values::Numbers(from, to)),
    }
}
