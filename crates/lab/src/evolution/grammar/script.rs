//! Writes the script of a genome: only its blocks, and the shared functions that they call.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    catalogue::{self, SHARED},
    genome::{Block, Genome},
    kind::Role,
    knobs, main_loop, words,
};

/// Line width of comments in scripts.
const WIDTH: usize = 100;
/// Library functions that blocks call without the library's name.
const LIBRARY: [(&str, &[&str]); 2] =
    [("math", &["random", "abs", "exp", "log", "max", "min"]), ("table", &["insert", "remove"])];

/// The whole script.
pub(super) fn script(genome: &Genome) -> String {
    let about = words::about(genome);
    let body = body(genome);
    let mut text = folded(&format!("{}.", words::capital(&about)));
    text +=
        "-- Composed of blocks by autobench's grammar of strategies, which reads the next line.\n";
    text += &genome.line();
    text += "\n\n";
    text += &library(&body);
    text += "\nlocal function search(problem, knobs)\n";
    for line in body.lines() {
        if !line.is_empty() {
            text += "    ";
        }
        text += line;
        text.push('\n');
    }
    text += "end\n\nreturn {\n";
    _ = writeln!(text, "    about = \"{about}\",");
    text += &knobs::declared(genome);
    text += "    search = search,\n}\n";
    text
}

/// The functions of a search, and its main loop.
fn body(genome: &Genome) -> String {
    let needs = needs(genome);
    let remembered: String = [("ranking", "rank(place)"), ("history", "insert(places, place)")]
        .iter()
        .filter(|(need, _)| needs.contains(need))
        .map(|(_, call)| format!("    {call}\n"))
        .collect();
    let mut parts = Vec::new();
    for shared in SHARED.iter().filter(|shared| needs.contains(shared.name)) {
        parts.push(shared.text.replace("    REMEMBER\n", &remembered));
    }
    let of = |role: Role| {
        let blocks = genome.blocks().filter(move |(of, _)| *of == role);
        blocks.map(move |(_, block)| block_text(role, block))
    };
    parts.extend(of(Role::Design).chain(of(Role::Walk)));
    parts.extend(around_walk(genome).map(str::to_owned));
    parts.extend(of(Role::Move));
    if let [only] = &genome.moves[..] {
        parts.push(catalogue::PROPOSE_ONE.replace("MOVE", &only.is));
    } else {
        parts.push(moves(genome));
        parts.extend(of(Role::Choice));
        parts.push(catalogue::PROPOSE_MANY.to_owned());
    }
    // Reference of a gain: the model `process` predicts its own values, other models predict ranks.
    let lowest = if genome.has(Role::Model, "process") { "least_wanted" } else { "0" };
    parts.extend(of(Role::Model));
    parts.extend(of(Role::Merit).map(|text| text.replace("LOWEST", lowest)));
    parts.extend(genome.model.as_ref().map(|model| match model.is.as_str() {
        "process" => catalogue::CHOOSE_WATCHED.to_owned(),
        _ => catalogue::CHOOSE_POOL.to_owned(),
    }));
    parts.extend(of(Role::Restart));
    parts.push(main_loop::text(genome));
    let rest = parts.join("\n");
    let names = ["parameters", "indices", "known"].into_iter().filter(|name| calls(&rest, name));
    let names: Vec<&str> = names.collect();
    let values: Vec<String> = names.iter().map(|name| format!("problem.{name}")).collect();
    format!(
        "local {} = {}\nlocal best -- the best place: a configuration, its indices and its cost\n\n{rest}",
        names.join(", "),
        values.join(", "),
    )
}

/// Names of the shared functions that a genome needs, directly or indirectly.
fn needs(genome: &Genome) -> BTreeSet<&'static str> {
    let mut needs = BTreeSet::from(["visit"]);
    for (role, block) in genome.blocks() {
        needs.extend(catalogue::find(role, &block.is).into_iter().flat_map(|kind| kind.needs));
    }
    if genome.needs_members() {
        needs.insert("ranking");
    }
    if genome.has(Role::Model, "process") && genome.target() == Some("ranks") {
        needs.remove("level");
        let walks = catalogue::find(Role::Walk, &genome.walk.is);
        needs.extend(walks.into_iter().flat_map(|kind| kind.needs));
    }
    for shared in SHARED.iter().rev() {
        if needs.contains(shared.name) {
            needs.extend(shared.needs);
        }
    }
    needs
}

/// Code that a walk needs: members, children, and the next start.
fn around_walk(genome: &Genome) -> impl Iterator<Item = &'static str> {
    let is_population = genome.has_population();
    let settle = match genome.walk.is.as_str() {
        "tabu" => catalogue::SETTLE_TABU,
        _ if is_population => catalogue::SETTLE_POPULATION,
        _ => catalogue::SETTLE_WALK,
    };
    let is_child = |block: &Block| ["breed", "splice"].contains(&block.is.as_str());
    [
        genome.restart.is_some().then_some(settle),
        (genome.needs_members() && !is_population).then_some(catalogue::ELITE),
        genome.moves.iter().any(is_child).then_some(catalogue::BORN),
    ]
    .into_iter()
    .flatten()
}

/// The code of a block, with the words of its settings filled in.
fn block_text(role: Role, block: &Block) -> String {
    let Some(kind) = catalogue::find(role, &block.is) else { return String::new() };
    let mut text = kind.text.to_owned();
    for setting in kind.settings {
        if let Some(word) = knobs::built_in(setting, block.settings.get(setting.name)) {
            text = text.replace(&setting.name.to_uppercase(), word);
        }
    }
    text
}

/// The table of moves, with their shares if they have any.
fn moves(genome: &Genome) -> String {
    let names: Vec<&str> = genome.moves.iter().map(|block| block.is.as_str()).collect();
    let mut text = format!("local moves = {{ {} }}\n", names.join(", "));
    for (setting, table) in [("share", "shares"), ("late", "late")] {
        if genome.moves.iter().all(|block| block.settings.contains_key(setting)) {
            let knobs: Vec<String> =
                names.iter().map(|name| format!("knobs.{name}_{setting}")).collect();
            _ = writeln!(text, "local {table} = {{ {} }}", knobs.join(", "));
        }
    }
    text
}

/// Local names for the library functions that a text calls.
fn library(body: &str) -> String {
    let mut text = String::new();
    for (library, names) in LIBRARY {
        let used: Vec<&str> = names.iter().copied().filter(|name| calls(body, name)).collect();
        if !used.is_empty() {
            let values: Vec<String> = used.iter().map(|name| format!("{library}.{name}")).collect();
            _ = writeln!(text, "local {} = {}", used.join(", "), values.join(", "));
        }
    }
    text
}

/// Whether a text uses a name by itself, not as a field.
fn calls(text: &str, name: &str) -> bool {
    text.lines().filter(|line| !line.trim_start().starts_with("--")).any(|line| {
        line.match_indices(name).any(|(at, _)| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let before = line[..at].chars().next_back();
            let after = line[at + name.len()..].chars().next();
            !before.is_some_and(|c| is_part(c) || c == '.') && !after.is_some_and(is_part)
        })
    })
}

/// A sentence as a comment, wrapped to the line width.
fn folded(sentence: &str) -> String {
    let mut text = String::from("--");
    let mut width = text.len();
    for word in sentence.split(' ') {
        if width + 1 + word.len() > WIDTH {
            text += "\n--";
            width = 2;
        }
        text.push(' ');
        text += word;
        width += 1 + word.len();
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_where_it_stands_alone() {
        assert!(calls("x = max(1, 2)", "max"));
        assert!(!calls("x = math.max(1, 2)", "max"));
        assert!(!calls("maximal(1)", "max"));
        assert!(!calls("    -- the max of both", "max"));
    }

    #[test]
    fn a_long_sentence_is_folded_between_words() {
        let text = folded(&"word ".repeat(50).trim_end().replace("word", "a word or two"));
        assert!(text.lines().count() > 1);
        assert!(text.lines().all(|line| line.starts_with("-- ") && line.len() <= WIDTH));
    }
}
