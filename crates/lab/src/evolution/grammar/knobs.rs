//! The knobs of a script: the numbers of its genome, which users can then change.

use std::fmt::Write as _;

use super::{
    genome::Genome,
    kind::Role,
    setting::{Given, Range, Setting},
};

/// The table of knobs, as a field of the table that a script returns; empty without knobs.
pub(super) fn declared(genome: &Genome) -> String {
    let mut text = String::new();
    for (role, block) in genome.blocks() {
        for setting in genome.settings(role, &block.is) {
            if let Some(given) = block.settings.get(setting.name) {
                let name = match (role, setting.name) {
                    (Role::Move, "share" | "late") => format!("{}_{}", block.is, setting.name),
                    (_, name) => name.to_owned(),
                };
                text += &knob(&name, &setting, given);
            }
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("    knobs = {{\n{text}    }},\n"),
    }
}

/// A line of the table; empty for a word, which is built into the script.
fn knob(name: &str, setting: &Setting, given: &Given) -> String {
    let mut text = String::new();
    let value = given.number();
    let (from, to, whole) = match setting.range {
        Range::Whole(from, to) => (from as f64, to as f64, ", whole = true"),
        Range::Even(from, to) | Range::Scale(from, to) => (from, to, ""),
        Range::Words(_) => return text,
    };
    _ = writeln!(text, "        {name} = {{");
    _ = writeln!(text, "            about = \"{}\",", setting.about);
    _ = writeln!(text, "            default = {value}, from = {from}, to = {to}{whole},");
    text += "        },\n";
    text
}

/// Text that replaces a word in a script; `None` for numbers, which are knobs.
pub(super) fn built_in(setting: &Setting, given: Option<&Given>) -> Option<&'static str> {
    match (setting.range, given) {
        (Range::Words(words), Some(Given::Word(word))) => {
            words.iter().find(|known| known.0 == word).map(|known| known.1)
        }
        (Range::Words(words), _) => Some(words[0].1),
        _ => None,
    }
}
