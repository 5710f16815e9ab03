//! Values of flags in a suite's file.

use yaml::{Node, Place, Value};

use super::{
    commands::{Flag, FlagKind},
    fault::Faults,
};

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The value as it appears on a command line.
    pub text: String,
    /// Where the value is in the file.
    pub place: Place,
}

/// A flag with its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Long name of the flag.
    pub flag: String,
    /// How the flag takes values.
    pub kind: FlagKind,
    /// The flag's values. If empty, the flag is left out, even if `defaults` sets it.
    pub words: Vec<Word>,
    /// Where the flag is in the file.
    pub place: Place,
}

impl Given {
    /// Reads the values of a flag.
    pub(super) fn read(flag: &Flag, node: &Node, place: Place, faults: &mut Faults) -> Self {
        let words = words(flag, node, faults);
        Self { flag: flag.name.clone(), kind: flag.kind, words, place }
    }

    /// The flag as arguments of a command line.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let name = &self.flag;
        match self.kind {
            FlagKind::Switch => {
                let on = self.words.iter().any(|word| word.text == "true");
                if on { vec![format!("--{name}")] } else { Vec::new() }
            }
            _ => self.words.iter().map(|word| format!("--{name}={}", word.text)).collect(),
        }
    }
}

fn words(flag: &Flag, node: &Node, faults: &mut Faults) -> Vec<Word> {
    let name = &flag.name;
    let word = |text: &str, place| Word { text: text.to_owned(), place };
    match (&node.value, flag.kind) {
        (Value::Nothing, _) => Vec::new(),
        (Value::Text(text), FlagKind::Switch) => {
            if !["true", "false"].contains(&text.as_str()) {
                faults.add(node.place, format!("`{name}` is `true` or `false`, not `{text}`"));
            }
            vec![word(text, node.place)]
        }
        (Value::Text(text), _) => vec![word(text, node.place)],
        (Value::List(items), FlagKind::Several) => {
            items.iter().flat_map(|item| several(flag, item, faults)).collect()
        }
        (Value::List(items), FlagKind::Listed) => {
            let texts = listed(name, items, faults);
            if texts.is_empty() { Vec::new() } else { vec![word(&texts.join(","), node.place)] }
        }
        (Value::List(_), _) => {
            faults.add(
                node.place,
                format!(
                    "`{name}` takes one value; for a study of each, write the list under `for_each`"
                ),
            );
            Vec::new()
        }
        (Value::Map(_), FlagKind::Several) => several(flag, node, faults),
        (Value::Map(_), _) => {
            faults.add(node.place, format!("`{name}` takes a value, not keys"));
            Vec::new()
        }
    }
}

/// Reads one item of a flag that may be given several times: a text, or a map of `NAME: VALUES`.
fn several(flag: &Flag, node: &Node, faults: &mut Faults) -> Vec<Word> {
    let name = &flag.name;
    match &node.value {
        Value::Text(text) => vec![Word { text: text.clone(), place: node.place }],
        Value::Map(members) => members
            .iter()
            .map(|member| {
                let texts = match &member.node.value {
                    Value::Text(text) => vec![text.clone()],
                    Value::List(items) => listed(name, items, faults),
                    _ => Vec::new(),
                };
                if texts.is_empty() {
                    let what = format!("`{}` of `{name}` needs a value or a list", member.key);
                    faults.add(member.place, what);
                }
                let text = format!("{}={}", member.key, texts.join(","));
                Word { text, place: member.node.place }
            })
            .collect(),
        Value::List(_) | Value::Nothing => {
            faults.add(node.place, format!("an item of `{name}` is a text or `NAME: VALUE`"));
            Vec::new()
        }
    }
}

/// Reads a flat list of texts.
fn listed(name: &str, items: &[Node], faults: &mut Faults) -> Vec<String> {
    let mut texts = Vec::new();
    for item in items {
        match &item.value {
            Value::Text(text) => texts.push(text.clone()),
            _ => faults.add(item.place, format!("a list in `{name}` holds plain values")),
        }
    }
    texts
}
