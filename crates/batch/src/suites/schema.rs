//! The JSON schema of a suite's file, from the keys and the flags that reading it accepts.

use serde_json::{Map, Value, json};

use super::{
    commands::{CommandFlags, FlagKind},
    document::{KEYS, OF_ALL, OWN, REPEATS},
};

/// Returns the schema, for editors that complete suites.
#[must_use]
pub fn schema(commands: &[CommandFlags]) -> Value {
    let studies: Vec<Value> = commands.iter().map(study).collect();
    let mut all = Map::new();
    for command in commands {
        all.extend(flags(command));
    }
    all.extend(OF_ALL.iter().map(|key| ((*key).to_owned(), own(key))));
    let settings = json!({ "type": "object", "properties": all, "additionalProperties": false });
    let key = |key: &&str| {
        let value = match *key {
            "studies" => json!({ "type": "array", "items": { "anyOf": studies } }),
            "defaults" | "quick" => json!({ "$ref": "#/definitions/settings" }),
            "published" => json!({}),
            "figure" | "map" | "curves" => list(),
            _ => scalar(),
        };
        ((*key).to_owned(), value)
    };
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "autobench suite",
        "type": "object",
        "properties": KEYS.iter().map(key).collect::<Map<_, _>>(),
        "required": ["suite", "studies"],
        "additionalProperties": false,
        "definitions": { "settings": settings },
    })
}

/// A study of a command: what it studies, its flags, and the keys of suites.
fn study(command: &CommandFlags) -> Value {
    let mut properties = flags(command);
    properties.extend(OWN.iter().map(|key| ((*key).to_owned(), own(key))));
    // Without a value, a recorded space is the benchmark, or `--spaces` names the spaces.
    let subject = json!({ "anyOf": [several(), { "type": "null" }] });
    properties.insert(command.name.clone(), subject);
    json!({
        "type": "object",
        "properties": properties,
        "required": [command.name],
        "additionalProperties": false,
    })
}

fn flags(command: &CommandFlags) -> Map<String, Value> {
    let own = command.flags.iter().filter(|flag| command.flag(&flag.name).is_some());
    let of = |kind| match kind {
        FlagKind::Switch => json!({ "type": "boolean" }),
        FlagKind::One => scalar(),
        FlagKind::Listed => list(),
        FlagKind::Several => several(),
    };
    own.map(|flag| (flag.name.clone(), of(flag.kind))).collect()
}

fn own(key: &str) -> Value {
    match key {
        REPEATS => json!({ "type": "integer", "minimum": 1 }),
        "for_each" => json!({ "type": "object", "additionalProperties": { "type": "array" } }),
        "published" => json!({}),
        _ => list(),
    }
}

fn scalar() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

/// One value, or a list of them.
fn list() -> Value {
    json!({ "type": ["string", "number", "boolean", "array"] })
}

/// One value, a list, or pairs of a name and its values.
fn several() -> Value {
    json!({ "type": ["string", "number", "boolean", "array", "object"] })
}
