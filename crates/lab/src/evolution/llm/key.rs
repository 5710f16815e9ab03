//! The key of a language model's server: read from a file or the environment, sent in one header,
//! and never shown.

use std::{collections::HashSet, fmt, fs::File, io::Read, path::Path};

/// The environment variable of this program, and the one that many programs share.
pub(super) const OWN: &str = "AUTOBENCH_LLM_KEY";
pub(super) const SHARED: &str = "OPENAI_API_KEY";
/// Most bytes of a key.
const LONGEST: u64 = 4096;
/// Shorter keys are not secret: servers that need no key accept any word.
const SHORTEST_SECRET: usize = 8;
/// Parts of a key of at least this many bytes are as secret as the whole.
const PART: usize = 8;
/// Text that replaces a key.
const HIDDEN: &str = "[key]";

/// A key, and its source.
pub(super) struct Key {
    text: String,
    /// Whether the key was given for this program, not for all programs of the protocol.
    pub(super) is_ours: bool,
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

impl Key {
    /// The key from a file, or else from the environment; `None` if there is none.
    pub(super) fn found(
        file: Option<&Path>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, String> {
        if let Some(path) = file {
            let of = format!("the key file `{}`", path.display());
            return Self::new(&read(path).map_err(|why| format!("{of} {why}"))?, &of, true)
                .map(Some);
        }
        for name in [OWN, SHARED] {
            if let Some(text) = variable(name).filter(|text| !text.trim().is_empty()) {
                return Self::new(&text, &format!("the variable {name}"), name == OWN).map(Some);
            }
        }
        Ok(None)
    }

    fn new(text: &str, of: &str, is_ours: bool) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(format!("{of} holds no key"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("{of} holds more than a key: characters that no key has"));
        }
        Ok(Self { text: text.to_owned(), is_ours })
    }

    /// The value of the header with the key.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.text)
    }

    /// Removes the key and long parts of it from a text.
    pub(super) fn redacted(&self, text: &str) -> String {
        let key = self.text.as_bytes();
        if key.len() < SHORTEST_SECRET {
            return text.to_owned();
        }
        let width = if key.len() < 2 * PART { key.len() } else { PART };
        let parts: HashSet<&[u8]> = key.windows(width).collect();
        let bytes = text.as_bytes();
        let mut hidden = vec![false; bytes.len()];
        for (at, window) in bytes.windows(width).enumerate() {
            if parts.contains(window) {
                hidden[at..at + width].fill(true);
            }
        }
        let mut told = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            match (hidden[at], at > 0 && hidden[at - 1]) {
                (false, _) => told.push(c),
                (true, false) => told.push_str(HIDDEN),
                (true, true) => {}
            }
        }
        told
    }
}

/// Reads a file that may be a key.
fn read(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    match file.take(LONGEST + 1).read_to_string(&mut text) {
        Ok(length) if length as u64 > LONGEST => Err("is longer than a key".to_owned()),
        Ok(_) => Ok(text),
        // The error for a binary file would quote its content.
        Err(_) => Err("is no text".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<Option<Key>, String> {
        let find = |name: &str| pairs.iter().find(|(known, _)| *known == name);
        Key::found(None, |name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn our_own_variable_wins_and_an_empty_one_is_none() {
        let both = of(&[(SHARED, "shared-secret"), (OWN, "our-own-secret")]).expect("a key");
        let both = both.expect("one");
        assert_eq!((both.header().as_str(), both.is_ours), ("Bearer our-own-secret", true));
        let shared = of(&[(SHARED, " shared-secret\n"), (OWN, " ")]).expect("a key").expect("one");
        assert_eq!((shared.header().as_str(), shared.is_ours), ("Bearer shared-secret", false));
        assert!(of(&[]).expect("none").is_none());
    }

    #[test]
    fn what_is_no_key_is_refused_and_not_shown() {
        let refused = of(&[(OWN, "secret one\nsecret two")]).expect_err("two");
        assert!(refused.contains(OWN) && !refused.contains("secret"), "{refused}");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let refused = |content: &[u8]| {
            std::fs::write(&path, content).expect("written");
            Key::found(Some(&path), |_| None).expect_err("no key")
        };
        assert!(refused(b" \n").ends_with("holds no key"));
        assert!(refused(b"\xff\xfe").ends_with("is no text"));
        assert!(refused(&[b'x'; 5000]).ends_with("is longer than a key"));
        let missing = Key::found(Some(&folder.path().join("none")), |_| None).expect_err("none");
        assert!(missing.contains("cannot be read"), "{missing}");
    }

    #[test]
    fn a_key_and_its_parts_are_hidden_wherever_they_stand() {
        let key = Key::new("sk-0123456789abcdef", "", true).expect("a key");
        assert_eq!(format!("{key:?}"), "[key]");
        for (text, told) in [
            ("wrong key sk-0123456789abcdef.", "wrong key [key]."),
            ("wrong key sk-01234…89abcdef", "wrong key [key]…[key]"),
            ("é456789abé", "é[key]é"),
            ("nothing sk-0123", "nothing sk-0123"),
            ("", ""),
        ] {
            assert_eq!(key.redacted(text), told);
        }
        // For servers that need no key, the word in its place is not secret.
        let word = Key::new("none", "", true).expect("a key");
        assert_eq!(word.redacted("none of them"), "none of them");
    }
}
