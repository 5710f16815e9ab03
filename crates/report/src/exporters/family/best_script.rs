//! Writes the best candidate as a script whose head says where it comes from.

use records::FamilyView;

use super::words::{error, numbers};

/// Longest line of the head, in characters.
const WIDTH: usize = 100;

/// Returns the script of the best candidate; `None` if no candidate has a score.
#[must_use]
pub fn best_script(view: &FamilyView) -> Option<String> {
    let best = view.best()?;
    let score = error(best.score, best.standard_error);
    let spaces: Vec<&str> = view.record.spaces.iter().map(|space| space.name.as_str()).collect();
    let ancestry = view.ancestry(best);
    let line: Vec<u64> = ancestry.iter().rev().map(|one| one.number).collect();
    let mut head = vec![
        format!("{} (candidate {} of a family of `autobench evolve`)", best.name, best.number),
        best.about.clone(),
        format!(
            "Score {score} ({} runs each from seed {} on {}).",
            view.record.rules.repeats,
            view.record.rules.seed,
            spaces.join(", ")
        ),
        view.finals.as_ref().zip(view.in_finals(best.number)).map_or_else(
            String::new,
            |(finals, row)| {
                let score = error(row.score, row.standard_error);
                format!(
                    "In the finals {score} ({} runs each from seed {}).",
                    finals.repeats, finals.seed
                )
            },
        ),
        format!("Written by {}.", view.record.generator.words()),
    ];
    if line.len() > 1 {
        head.push(format!("It comes from the candidates {}.", numbers(&line)));
    }
    let commented = head.iter().filter(|line| !line.is_empty()).flat_map(|line| wrapped(line));
    let head: String = commented.map(|line| format!("-- {line}\n")).collect();
    Some(format!("{head}\n{}", best.code))
}

/// Breaks a text into lines of a comment.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + word.chars().count() + 4 > WIDTH
        {
            lines.push(word.to_owned());
            continue;
        }
        if !lines[last].is_empty() {
            lines[last].push(' ');
        }
        lines[last].push_str(word);
    }
    // `--[[` would begin a long comment.
    lines.into_iter().map(|line| line.replace("[[", "[ [").replace("[=", "[ =")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_folded_and_stays_a_comment() {
        let lines = wrapped(&format!("[[ {} ]]", "word ".repeat(60)));
        assert!(lines.len() > 2 && lines.iter().all(|line| line.chars().count() <= WIDTH));
        assert!(lines[0].starts_with("[ [ word"), "{}", lines[0]);
    }
}
