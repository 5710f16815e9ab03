//! The list of strategies in the documentation is the registry's.

use std::fmt::Write;

use autobench::strategies::{Allowed, STRATEGIES, Strategy};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/strategies.md");
const BEGIN: &str =
    "<!-- written by `AUTOBENCH_WRITE_DOCS=1 cargo test --test search documentation` -->\n";

#[test]
fn the_documentation_lists_every_strategy_with_its_knobs() {
    let text = std::fs::read_to_string(FILE).expect("the documentation");
    let (before, _) = text.split_once(BEGIN).expect("the mark before the list");
    let mut wanted = before.to_owned() + BEGIN;
    for strategy in STRATEGIES.iter() {
        wanted.push_str(&entry(strategy));
    }
    if std::env::var_os("AUTOBENCH_WRITE_DOCS").is_some() {
        std::fs::write(FILE, &wanted).expect("writable");
    } else {
        assert!(text == wanted, "docs/strategies.md is not what the registry says: {BEGIN}");
    }
}

fn entry(strategy: &Strategy) -> String {
    let mut entry = format!("\n### `{}`\n\n", strategy.name);
    let about = strategy.about;
    write!(entry, "{}{}. ", about[..1].to_uppercase(), &about[1..]).expect("a string");
    if !strategy.aliases.is_empty() {
        write!(entry, "Also `{}`. ", strategy.aliases.join("`, `")).expect("a string");
    }
    writeln!(entry, "{}.", strategy.reference).expect("a string");
    if !strategy.knobs.is_empty() {
        entry.push_str("\n| knob | default | may be | |\n|---|---|---|---|\n");
    }
    for knob in strategy.knobs {
        let allowed = match knob.allowed {
            Allowed::Integer(low, high) => format!("{low} to {high}"),
            Allowed::Number(low, high) => format!("{} to {}", figure(low), figure(high)),
            Allowed::Choice(words) => words.join(", "),
        };
        writeln!(entry, "| `{}` | `{}` | {allowed} | {} |", knob.name, knob.default, knob.about)
            .expect("a string");
    }
    if !strategy.presets.is_empty() {
        entry.push_str("\n| preset | paper | knobs |\n|---|---|---|\n");
    }
    for preset in strategy.presets {
        let (name, reference, knobs) = (preset.name, preset.reference, preset.written());
        writeln!(entry, "| `{name}` | {reference} | `{knobs}` |").expect("a string");
    }
    entry
}

/// Numbers of many digits by their powers of ten.
fn figure(number: f64) -> String {
    let short = number == 0.0 || (1e-4..1e6).contains(&number.abs());
    if short { number.to_string() } else { format!("{number:e}") }
}
