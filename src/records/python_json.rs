//! JSON as Python programs leave it: `NaN` and `Infinity` as words, and files whose writer was
//! killed before it could close them.

/// Text that a JSON parser accepts, and what had to be done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mended {
    pub(super) text: String,
    pub(super) warnings: Vec<String>,
}

/// What the scanner knows when a value has just been completed.
struct Resting {
    end: usize,
    open: Vec<u8>,
}

/// Replaces the words JSON does not have by `null`, and closes what was left open after the last
/// complete value of the object at depth two (the last complete row of a cache file).
pub(super) fn mend(text: &str) -> Mended {
    let mut warnings = Vec::new();
    let mut out = String::with_capacity(text.len() + 2);
    let mut open: Vec<u8> = Vec::new();
    let mut resting: Option<Resting> = None;
    let mut words = 0_usize;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
            }
            bracket @ (b'{' | b'[') => {
                open.push(if bracket == b'{' { b'}' } else { b']' });
                at += 1;
            }
            b'}' | b']' => {
                open.pop();
                at += 1;
            }
            _ => {
                at += 1;
                while at < bytes.len() && !matches!(bytes[at], b'"' | b'{' | b'}' | b'[' | b']') {
                    at += 1;
                }
            }
        }
        // A backslash at the end of a torn string may step into a character.
        while !text.is_char_boundary(at) {
            at += 1;
        }
        let piece = &text[start..at];
        if piece.starts_with(['"', '{', '[', '}', ']']) {
            out.push_str(piece);
        } else {
            words += plain(piece, &mut out);
        }
        if matches!(bytes[start], b'}' | b']') && (open.len() == 2 || open.len() == 1) {
            resting = Some(Resting { end: out.len(), open: open.clone() });
        }
    }
    if words > 0 {
        warnings.push(format!("{words} values are NaN or infinite; they are read as missing"));
    }
    if !open.is_empty()
        && let Some(resting) = resting
    {
        let lost = out[resting.end..].trim_matches([',', ' ', '\n', '\r', '\t']).len();
        out.truncate(resting.end);
        out.extend(resting.open.iter().rev().map(|&b| char::from(b)));
        warnings.push(if lost == 0 {
            "the file was never closed: its writer may still run, or was stopped".to_owned()
        } else {
            "the file ends inside a row, which is left out".to_owned()
        });
    }
    Mended { text: out, warnings }
}

/// Copies text between strings and brackets, without the words that JSON does not have.
fn plain(piece: &str, out: &mut String) -> usize {
    if !piece.contains(['N', 'I']) {
        out.push_str(piece);
        return 0;
    }
    let mut found = 0;
    let mut rest = piece;
    while let Some(at) = rest.find(['N', 'I']) {
        let word: String = rest[at..].chars().take_while(|c| c.is_ascii_alphabetic()).collect();
        if matches!(word.as_str(), "NaN" | "Infinity" | "Inf") {
            found += 1;
            out.push_str(rest[..at].trim_end_matches('-'));
            out.push_str("null");
        } else {
            out.push_str(&rest[..at + word.len()]);
        }
        rest = &rest[at + word.len()..];
    }
    out.push_str(rest);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_outside_strings_become_null() {
        let mended = mend(r#"{"a": [NaN, -Infinity, 1], "NaN": "Infinity \" NaN"}"#);
        assert_eq!(mended.text, r#"{"a": [null, null, 1], "NaN": "Infinity \" NaN"}"#);
        assert_eq!(mended.warnings.len(), 1);
    }

    #[test]
    fn an_open_cache_is_closed_after_its_last_row() {
        let whole =
            r#"{"k": ["a"], "cache": {"1": {"t": [1, 2]}, "2": {"t": [3, 4], "x": "é\"}"}}}"#;
        let mended = mend(whole);
        assert_eq!(mended.text, whole);
        assert!(mended.warnings.is_empty());
        for end in (0..whole.len()).filter(|&at| whole.is_char_boundary(at)) {
            let mended = mend(&whole[..end]);
            let Ok(value) = serde_json::from_str::<serde_json::Value>(&mended.text) else {
                assert!(
                    end < whole.find("]").expect("a list") + 1,
                    "cut at {end}: {}",
                    mended.text
                );
                continue;
            };
            let rows = value["cache"].as_object().map_or(0, serde_json::Map::len);
            let first_row = whole.find("}, ").expect("two rows") + 1;
            let second_row = whole.len() - 2;
            let expected = usize::from(end >= first_row) + usize::from(end >= second_row);
            assert_eq!(rows, expected, "cut at {end}: {}", mended.text);
        }
    }
}
