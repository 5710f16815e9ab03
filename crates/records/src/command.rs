//! Quoting of commands for a shell.

/// The command as one line that a shell reads back as the same words.
#[must_use]
pub fn command_line(argv: &[String]) -> String {
    argv.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// A word, quoted where a shell needs quotes.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_for_something_else() {
        let argv = ["autobench", "run", "--restrict", "x >= 2", "it's", "", "a=b", "$HOME"];
        let line = command_line(&argv.map(str::to_owned));
        assert_eq!(line, r"autobench run --restrict 'x >= 2' 'it'\''s' '' a=b '$HOME'");
    }
}
