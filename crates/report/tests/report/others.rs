//! Texts of others, as hostile as can be, in place of all texts of a record.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// In front of every text: what spreadsheets take as a formula.
pub(crate) const BEFORE: &str = "=cmd|";

/// Behind every text: what terminals, browsers, compilers and readers of tables would obey.
const BEHIND: &str = "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J\r\n\u{202e}back\u{2066}\u{2028}\
                      <script>alert(1)</script></script><img src=x onerror=alert(2)>\
                      \"' onload=alert(3) `|* [a](javascript:b) */\n#error c\n]]>&\\";

/// Texts with a meaning for readers; others would leave most of a page out.
const WORDS: [&str; 3] = ["confidence", "kind", "strategy"];

/// Objects whose keys are names of others.
const NAMED: [&str; 3] = ["configuration", "metrics", "facts"];

pub(crate) fn hostile(text: &str) -> String {
    // One text is very long.
    let long = if text == "vecadd" { "x".repeat(3000) } else { String::new() };
    format!("{BEFORE}{text}{BEHIND}{long}")
}

/// What the texts of a value become.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Which {
    /// Nothing changes.
    Harmless,
    /// All are hostile but names of parameters and metrics.
    Values,
    /// All are hostile.
    All,
}

/// Changes every text of a value that may be any text.
pub(crate) fn changed<T: Serialize + DeserializeOwned>(value: &T, which: Which) -> T {
    let mut json = serde_json::to_value(value).expect("JSON");
    if which != Which::Harmless {
        if which == Which::All {
            rename(&mut json);
        }
        let mut texts = Vec::new();
        find_texts(&json, String::new(), &mut texts);
        for pointer in texts {
            let is_name = pointer.contains("/document/")
                || pointer.contains("bjective")
                || pointer == "/benchmark/secondary/name";
            let word = pointer.rsplit('/').next().unwrap_or_default();
            if WORDS.contains(&word) || (which == Which::Values && is_name) {
                continue;
            }
            let place = json.pointer_mut(&pointer).expect("a text");
            let text = place.as_str().expect("a text").to_owned();
            *place = hostile(&text).into();
            // Dates and words with a meaning are not any text.
            if serde_json::from_value::<T>(json.clone()).is_err() {
                *json.pointer_mut(&pointer).expect("a text") = text.into();
            }
        }
    }
    serde_json::from_value(json).expect("as before")
}

fn find_texts(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at),
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate() {
                find_texts(value, format!("{at}/{place}"), found);
            }
        }
        Value::Object(object) => {
            for (key, value) in object {
                let key = key.replace('~', "~0").replace('/', "~1");
                find_texts(value, format!("{at}/{key}"), found);
            }
        }
        _ => {}
    }
}

fn rename(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(rename),
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                if NAMED.contains(&key.as_str())
                    && let Value::Object(names) = value
                {
                    let renamed = std::mem::take(names).into_iter();
                    *names =
                        renamed.map(|(name, value)| (hostile(&name), value)).collect::<Map<_, _>>();
                } else {
                    rename(value);
                }
            }
        }
        _ => {}
    }
}

/// Whether a character steers what shows the text.
pub(crate) fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || turns
}
