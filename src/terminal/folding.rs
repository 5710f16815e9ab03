//! Folds lines to the terminal's width, so that the terminal does not break them inside numbers.

use std::borrow::Cow;

/// In a terminal narrower than this, lines are not folded.
const NARROWEST: usize = 30;

/// From this indentation on, a line counts as the continuation of a column.
const FAR: usize = 8;

/// Folds a line into pieces of at most `width` characters. The line breaks at gaps between columns
/// or between words, never between a number and its unit. Each piece after the first is indented to
/// the column that it continues.
pub(super) fn folded(line: &str, width: usize) -> Cow<'_, str> {
    if width < NARROWEST || line.chars().count() <= width {
        return Cow::Borrowed(line);
    }
    let indent = " ".repeat(column(line).filter(|at| *at <= width / 2).unwrap_or(2));
    let (mut text, mut rest) = (String::new(), line.to_owned());
    while rest.chars().count() > width {
        let Some((end, next)) = place(&rest, width, indent.len()) else { break };
        text += rest[..end].trim_end();
        text.push('\n');
        rest = indent.clone() + rest[next..].trim_start();
    }
    Cow::Owned(text + &rest)
}

/// The position of the second column. Without gaps, the position of an indented first column.
fn column(line: &str) -> Option<usize> {
    let words = line.trim_start();
    let before = line.len() - words.len();
    let gap = words.find("  ");
    let second = gap.map(|gap| words[gap..].len() - words[gap..].trim_start().len() + gap);
    let column = second.map(|at| before + line[before..before + at].chars().count());
    // Text indented this far already continues a column.
    column.or_else(|| (before > 0).then_some(if before < FAR { before + 2 } else { before }))
}

/// Where to break: the end of the first piece, and the start of the rest.
fn place(line: &str, width: usize, indent: usize) -> Option<(usize, usize)> {
    let limit = line.char_indices().nth(width).map_or(line.len(), |(at, _)| at);
    let first = line.char_indices().nth(indent + 1).map_or(line.len(), |(at, _)| at);
    let spaces: Vec<usize> = line
        .match_indices(' ')
        .map(|(at, _)| at)
        .filter(|at| (first..=limit).contains(at) && !line[..*at].trim().is_empty())
        .collect();
    let is_gap = |at: &&usize| line[**at..].starts_with("  ") && !line[..**at].ends_with(' ');
    if let Some(gap) = spaces.iter().rev().find(is_gap).filter(|gap| **gap > width / 2) {
        return Some((*gap, *gap));
    }
    let word = spaces.iter().rev().find(|at| !joins(&line[..**at], &line[**at + 1..]));
    // Configurations are long words, so they break between parameters.
    let comma = line[..limit].rfind(',').map(|at| at + 1).filter(|at| *at > first);
    let comma = comma.filter(|at| word.is_none_or(|word| *word < width / 2 && word < at));
    comma.or(word.copied()).map(|at| (at, at))
}

/// Whether the space is between a number and its unit, or next to `±` or `≈`.
fn joins(before: &str, after: &str) -> bool {
    const LONGEST_UNIT: usize = 3;
    let unit = after.split([' ', ',', ';', ')']).next().unwrap_or_default();
    let short = unit.chars().count() <= LONGEST_UNIT || unit.contains('/');
    let number = before.ends_with(|c: char| c.is_ascii_digit());
    before.ends_with(['±', '≈']) || unit.starts_with('±') || (number && short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_as_it_is() {
        assert!(matches!(folded("best      1.5 ms", 40), Cow::Borrowed(_)));
        let long = "a sentence that is longer than so narrow a terminal";
        assert_eq!(folded(long, 20), long);
    }

    #[test]
    fn words_follow_below_their_column() {
        let line = "growth    ended: larger sizes left the knee where it was";
        assert_eq!(
            folded(line, 40),
            "growth    ended: larger sizes left the\n          knee where it was"
        );
    }

    #[test]
    fn numbers_keep_their_units() {
        let line = "          2.9 µs ± 16 %, 16.98 GB/s (14.64 to 20.21)";
        for width in NARROWEST..60 {
            let text = folded(line, width);
            for part in ["2.9 µs ± 16 %,", "16.98 GB/s"] {
                assert!(text.contains(part), "{width}: {text}");
            }
        }
    }

    #[test]
    fn configurations_break_between_parameters_and_tables_between_columns() {
        let line = "best      precision=f32,block_size_x=256,items_per_thread=1 at size 4096";
        assert_eq!(
            folded(line, 44),
            "best      precision=f32,block_size_x=256,\n          items_per_thread=1 at size 4096"
        );
        let row = "2026-11-24 22:02  vecadd at 1000  AMD EPYC  finished";
        assert_eq!(
            folded(row, 48),
            "2026-11-24 22:02  vecadd at 1000  AMD EPYC\n                  finished"
        );
    }

    #[test]
    fn nothing_is_lost_and_what_has_no_break_goes_on() {
        let word = "x".repeat(100);
        assert_eq!(folded(&word, 40), word);
        let mut line = "a µ×± 12 ms, ".repeat(20);
        line.insert_str(0, "  ");
        for width in 0..90 {
            let text = folded(&line, width);
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&text), bare(&line), "{width}");
        }
    }
}
