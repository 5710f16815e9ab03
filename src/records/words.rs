//! JSON as people would write it.

use serde_json::Value as Json;

/// A text as it is, and a list with its elements joined: `4096 × 4096` where they are numbers.
pub(super) fn words(json: &str) -> String {
    serde_json::from_str(json).map_or_else(|_| json.to_owned(), |json: Json| of(&json))
}

fn of(json: &Json) -> String {
    match json {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(list) => {
            let joint = if list.iter().all(Json::is_number) { " × " } else { ", " };
            list.iter().map(of).collect::<Vec<_>>().join(joint)
        }
        other => other.to_string(),
    }
}
