//! Texts of others, made safe for the place where they are written. Names, values, units, reasons and
//! messages come from documents, plugins, compilers and recorded files; each place has one function.

use std::borrow::Cow;

/// What stands for a character that must not be written.
const REPLACEMENT: &str = "\u{FFFD}";

/// Whether the character steers what shows the text: a control character, or one that changes the
/// direction of the text around it.
fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

/// Whether the character ends a line for some reader.
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Copies the text only if a character of it changes.
fn replaced(text: &str, with: impl Fn(char) -> Option<&'static str>) -> Cow<'_, str> {
    let Some(first) = text.find(|c| with(c).is_some()) else { return Cow::Borrowed(text) };
    let mut out = text[..first].to_owned();
    for c in text[first..].chars() {
        match with(c) {
            Some(other) => out.push_str(other),
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text of several lines for a terminal, which obeys nothing in it.
#[must_use]
pub fn terminal(text: &str) -> Cow<'_, str> {
    replaced(text, |c| (steers(c) && c != '\n' && c != '\t').then_some(REPLACEMENT))
}

/// A text on one line, for terminals, pictures and comments: line breaks become spaces.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, |c| match c {
        c if ends_line(c) => Some(" "),
        '\t' => Some(" "),
        c => steers(c).then_some(REPLACEMENT),
    })
}

/// JSON for a terminal: in its texts, what would steer the terminal is written as `\u…`.
#[must_use]
pub fn json(json: &str) -> Cow<'_, str> {
    let escaped = |c: char| steers(c) && !c.is_ascii_whitespace();
    if !json.contains(escaped) {
        return Cow::Borrowed(json);
    }
    let one = |c: char| if escaped(c) { format!("\\u{:04x}", u32::from(c)) } else { c.into() };
    Cow::Owned(json.chars().map(one).collect())
}

/// A cell of a table for spreadsheets. An apostrophe keeps a text that is no number from being a
/// formula. Options of compilers (`-O3`) stay as they are, since programs read them.
#[must_use]
pub fn csv(text: &str) -> Cow<'_, str> {
    let calculates = text.starts_with('-') && text.contains(['(', '!', '|', '+', '*', '/']);
    let starts_formula = calculates || text.starts_with(['=', '+', '@', '\t', '\r']);
    let text = replaced(text, |c| (steers(c) && c != '\n' && c != '\t').then_some(REPLACEMENT));
    let is_formula = starts_formula && text.parse::<f64>().is_err();
    if is_formula { Cow::Owned(format!("'{text}")) } else { text }
}

/// A text in a line or a cell of Markdown.
#[must_use]
pub fn markdown(text: &str) -> Cow<'_, str> {
    let text = line(text);
    let special = |c: char| "\\`*[]<>&|~".contains(c);
    if !text.contains(special) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c if special(c) => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text as code in a cell of Markdown: outside of tables, `\|` in code is not a bar.
#[must_use]
pub fn markdown_code_cell(text: &str) -> String {
    format!("`{}`", line(text).replace('`', "'").replace('|', "\\|"))
}

/// A text in HTML or SVG, between tags or in a quoted attribute.
#[must_use]
pub fn html(text: &str) -> String {
    let text = replaced(text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        c => (steers(c) && c != '\n' && c != '\t').then_some(REPLACEMENT),
    });
    text.into_owned()
}

/// A text in a comment of C or C++, of either kind: it ends neither the comment nor the line.
#[must_use]
pub fn c_comment(text: &str) -> String {
    let text = line(text).replace("*/", "* /").replace("/*", "/ *");
    // A backslash at the end of a line continues a comment on the next.
    if text.trim_end().ends_with('\\') { text + "." } else { text }
}

/// A text as a literal of C or C++, with its quotes.
#[must_use]
pub fn c_string(text: &str) -> String {
    format!("\"{}\"", line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[31mred\r\u{9b}2J\u{202e}b\nc\t<b>&\"'|`*/";

    #[test]
    fn a_terminal_obeys_no_words_of_others() {
        assert_eq!(
            terminal(HOSTILE),
            "a\u{FFFD}[31mred\u{FFFD}\u{FFFD}2J\u{FFFD}b\nc\t<b>&\"'|`*/"
        );
        assert!(matches!(terminal("two\n\tlines, µs"), Cow::Borrowed(_)));
        assert_eq!(line(HOSTILE), "a\u{FFFD}[31mred \u{FFFD}2J\u{FFFD}b c <b>&\"'|`*/");
        assert!(matches!(line("one line, µs"), Cow::Borrowed(_)));
        assert_eq!(json("{\n\"a\": \"\u{9b}\u{7f}µ\"}"), "{\n\"a\": \"\\u009b\\u007fµ\"}");
    }

    #[test]
    fn cells_are_no_formulas_and_numbers_stay_numbers() {
        for number in ["-1", "+2.5", "-1e-9", "1", "", "-O3", "--use_fast_math"] {
            assert_eq!(csv(number), number);
        }
        for formula in ["=1+1", "+cmd", "-1+2", "@SUM(1)", "\tx", "-a|b!A0"] {
            assert_eq!(csv(formula), format!("'{formula}"));
        }
        assert_eq!(csv("\r=1"), "'\u{FFFD}=1");
        assert_eq!(csv("two\nlines"), "two\nlines");
    }

    #[test]
    fn markdown_and_html_show_what_was_written() {
        assert_eq!(
            markdown("a|b <i> [x](y) block_size_x"),
            "a\\|b &lt;i&gt; \\[x\\](y) block_size_x"
        );
        assert_eq!(markdown_code_cell("a|`b\n<i>"), "`a\\|'b <i>`");
        assert_eq!(html("<a b=\"c\" d='&'>"), "&lt;a b=&quot;c&quot; d=&#39;&amp;&#39;&gt;");
    }

    #[test]
    fn a_comment_ends_where_it_should() {
        assert_eq!(c_string("a\"b\\\nc"), "\"a\\\"b\\\\ c\"");
        assert_eq!(c_comment("x */ int y; /*\n#error z\\"), "x * / int y; / * #error z\\.");
        for text in ["*//*/", "/*/", "**//"] {
            let text = c_comment(text);
            assert!(!text.contains("*/") && !text.contains("/*"), "{text}");
        }
    }
}
