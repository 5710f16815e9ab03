//! Faults of scripts, each in one sentence that names the line.

use std::path::Path;

use mlua::{Error, Lua};
use search_api::Stop;

use super::examples::EXAMPLES;

/// Longest message from a script or from Luau, in characters.
const LONGEST: usize = 300;
/// Name of the code that replaces library functions.
pub(super) const PRELUDE: &str = "prelude";
/// Levels of calls that are searched for a line of the script.
const MOST_LEVELS: usize = 20;

/// Why a script is not a strategy, or failed as one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScriptFault(String);

/// Why a search ended.
#[derive(Clone, Debug)]
pub(super) enum Over {
    /// The problem ended it.
    Stopped(Stop),
    /// The script failed.
    Fault(String),
}

impl ScriptFault {
    pub(super) fn missing(name: &str) -> Self {
        Self(format!(
            "there is no script `{name}`; a script of the program's own is named without a folder: \
             {}",
            EXAMPLES.iter().map(|e| e.name).collect::<Vec<_>>().join(", ")
        ))
    }

    pub(super) fn unreadable(path: &Path, why: &str) -> Self {
        Self(format!("could not read the script `{}`: {why}", path.display()))
    }

    pub(super) fn declared(name: &str, why: &str) -> Self {
        Self(format!("the script `{name}` is no strategy: {why} (docs/guide/lab.md)"))
    }

    /// The message of a Luau error, as a sentence.
    pub(super) fn of(error: &Error) -> Self {
        Self(sentence(error))
    }

    pub(super) fn sentence(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// The first line of an error, without the names of error types.
pub(super) fn sentence(error: &Error) -> String {
    match error {
        Error::CallbackError { cause, .. } => sentence(cause),
        Error::WithContext { cause, .. } => sentence(cause),
        Error::RuntimeError(text) | Error::MemoryError(text) => line(text),
        Error::SyntaxError { message, .. } => line(message),
        other => line(&other.to_string()),
    }
}

/// The first line of a text, shortened, and without control characters.
pub(super) fn line(text: &str) -> String {
    let first = text.trim_start().lines().next().unwrap_or_default();
    // Nested coroutines each add the same place in front of the innermost message.
    let (place, mut told) = first.split_once(": ").unwrap_or(("", first));
    let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
    while let Some(shorter) = told.strip_prefix(&place).filter(|_| !place.is_empty()) {
        told = shorter;
    }
    let told = if told.trim().is_empty() { "raised an empty text" } else { told };
    let first = place + told.trim_end();
    let plain = first.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut plain: String = plain.take(LONGEST + 1).collect();
    if plain.chars().count() > LONGEST {
        plain = plain.chars().take(LONGEST).chain(['…']).collect();
    }
    plain
}

/// The script's current line, as a prefix of messages: `mine.luau:12: `; empty if nothing runs.
pub(super) fn place(lua: &Lua) -> String {
    for level in 0..MOST_LEVELS {
        let found = lua.inspect_stack(level, |debug| {
            let name = debug.source().short_src?.into_owned();
            let line = debug.current_line()?;
            (name != PRELUDE).then_some(format!("{name}:{line}: "))
        });
        match found {
            None => break,
            Some(Some(place)) => return place,
            Some(None) => {}
        }
    }
    String::new()
}

/// A kind of value with its article.
pub(super) fn article(kind: &str) -> String {
    match kind {
        "nil" => kind.to_owned(),
        "integer" => "a number".to_owned(),
        _ if kind.starts_with(['a', 'e', 'i', 'o']) => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}
