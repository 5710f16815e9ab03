//! Colours of a few words and marks on terminals, unless `NO_COLOR` asks for none.

use std::{
    env,
    ffi::{OsStr, OsString},
    fmt::Write as _,
    io::IsTerminal,
};

const RED: &str = "1;31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const BLUE: &str = "34";

/// Words that are coloured at the beginning of a line.
const WORDS: [(&str, &str); 4] =
    [("error:", RED), ("warning", YELLOW), ("hint:", GREEN), ("  hint:", GREEN)];

/// Whether a stream shows colours.
pub(super) fn are_on(stream: &impl IsTerminal) -> bool {
    wanted(stream.is_terminal(), env::var_os("NO_COLOR"), env::var_os("TERM"))
}

/// Reference: <https://no-color.org>.
fn wanted(terminal: bool, no_colour: Option<OsString>, term: Option<OsString>) -> bool {
    let refused = no_colour.is_some_and(|value| !value.is_empty());
    terminal && !refused && term.as_deref() != Some(OsStr::new("dumb"))
}

/// Colours the first words of lines, and the dots and the knees of curves.
pub(super) fn painted(text: &str) -> String {
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn line(text: &str) -> String {
    let known = WORDS.iter().find(|(word, _)| text.starts_with(word));
    if let Some((word, colour)) = known {
        return format!("\u{1b}[{colour}m{word}\u{1b}[0m{}", &text[word.len()..]);
    }
    let mut painted = String::with_capacity(text.len());
    let mut now = None;
    for c in text.chars() {
        let colour = match c {
            '\u{2800}'..='\u{28ff}' => Some(BLUE),
            '┊' => Some(GREEN),
            _ => None,
        };
        if colour != now {
            // Writing to a string cannot fail.
            let _ = write!(painted, "\u{1b}[{}m", colour.unwrap_or("0"));
            now = colour;
        }
        painted.push(c);
    }
    if now.is_some() {
        painted += "\u{1b}[0m";
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_get_colours_and_only_if_they_are_wanted() {
        let some = |text: &str| Some(OsString::from(text));
        assert!(wanted(true, None, some("xterm")) && wanted(true, some(""), None));
        assert!(!wanted(false, None, some("xterm")), "a pipe");
        assert!(!wanted(true, some("1"), some("xterm")), "NO_COLOR");
        assert!(!wanted(true, None, some("dumb")));
    }

    #[test]
    fn colours_change_no_text() {
        let texts = ["error: no such file", "warning   2 of 5", "   16 │ ⠁⡇ ┊⣿", "plain", ""];
        for text in texts {
            let mut bare = painted(text);
            for code in [RED, GREEN, YELLOW, BLUE, "0"] {
                bare = bare.replace(&format!("\u{1b}[{code}m"), "");
            }
            assert_eq!(bare, text);
        }
        assert_eq!(painted("plain"), "plain");
        assert_eq!(painted("error: x"), "\u{1b}[1;31merror:\u{1b}[0m x");
        assert_eq!(painted("⠁⠁ a"), "\u{1b}[34m⠁⠁\u{1b}[0m a");
    }
}
