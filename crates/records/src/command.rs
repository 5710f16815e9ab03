//! Commands in records, as a shell reads them.

/// A command in one line that can be given to a shell again.
#[must_use]
pub fn command_line(argv: &[String]) -> String {
    argv.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it, whatever it holds.
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
