//! Names and descriptions of strategies.

use super::{catalogue, genome::Genome, kind::Role};

/// Longest description in bytes; scripts allow 400.
const LONGEST: usize = 300;

/// The description of a genome, in a line.
pub(super) fn about(genome: &Genome) -> String {
    let about = |role, name: &str| catalogue::find(role, name).map_or("", |kind| kind.about);
    let of =
        |role| genome.blocks().find(|(of, _)| *of == role).map(|(_, block)| about(role, &block.is));
    let moves: Vec<String> = genome.moves.iter().map(|block| block.is.replace('_', " ")).collect();
    let moves = match &moves[..] {
        [only] => format!("by {only} moves"),
        several => {
            format!("by {} moves {}", several.join(", "), of(Role::Choice).unwrap_or_default())
        }
    };
    let mut parts = vec![format!("{} {moves}", of(Role::Walk).unwrap_or_default())];
    if let (Some(model), Some(merit)) = (of(Role::Model), of(Role::Merit)) {
        parts.push(format!("picks by {merit} from {model}"));
    }
    parts.extend(of(Role::Design).map(str::to_owned));
    parts.extend(of(Role::Restart).map(str::to_owned));
    let last = parts.pop().unwrap_or_default();
    let mut line = format!("{}, and {last}", parts.join(", "));
    line.truncate(LONGEST);
    line
}

/// Name of a genome: its model, or else its first move, followed by its walk.
pub(super) fn name(genome: &Genome) -> String {
    let first = genome.model.as_ref().or(genome.moves.first());
    format!("{}_{}", first.map_or("", |block| block.is.as_str()), genome.walk.is)
}

/// A sentence with a capital at its beginning.
pub(super) fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
