//! Reads JSON as programs leave it, in one pass without a tree. Accepts `NaN` and `Infinity` as
//! words, extra commas, and a missing end where the writer still runs or was killed. Files of
//! recorded spaces are tens of megabytes of numbers, so names and tokens are borrowed from the
//! text. A torn text ends in [`JsonFault::End`]; the caller keeps what was complete before it.

mod values;

use std::borrow::Cow;

pub(crate) use values::{Scalar, json_text};

/// Limit of nesting, as in `serde_json`.
const DEEPEST: usize = 127;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonFault {
    /// The text ends inside a value or an object.
    End,
    /// The reader expected something else at this byte.
    Expected(&'static str, usize),
}

impl JsonFault {
    pub(crate) fn sentence(self, text: &str) -> String {
        let (what, at) = match self {
            Self::End => ("it ends too early".to_owned(), text.len()),
            Self::Expected(wanted, at) => (format!("{wanted} was expected"), at),
        };
        let before = &text.as_bytes()[..at.min(text.len())];
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        format!("{what} in line {line}, column {}", before.len() - start + 1)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct JsonReader<'a> {
    text: &'a str,
    at: usize,
    pub(crate) missing: ReadAsMissing,
}

/// Counts of values that are there and are read as missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReadAsMissing {
    /// Values that JSON cannot express (`NaN`, infinities).
    pub(crate) not_finite: usize,
    /// Times below zero.
    pub(crate) negative: usize,
}

impl ReadAsMissing {
    /// Adds what another reader of the same text counted, which began with `before`.
    pub(crate) fn add_since(&mut self, before: Self, after: Self) {
        self.not_finite += after.not_finite - before.not_finite;
        self.negative += after.negative - before.negative;
    }

    /// The counts in words, as the beginnings of sentences.
    pub(crate) const fn in_words(self) -> [(usize, &'static str); 2] {
        [
            (self.not_finite, "values are NaN or infinite; they are read as missing"),
            (self.negative, "times are negative; they are read as missing"),
        ]
    }
}

impl<'a> JsonReader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let at = text.len() - text.trim_start_matches('\u{feff}').len();
        Self { text, at, missing: ReadAsMissing::default() }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Number of bytes that have been read.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is not a blank, without consuming it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<u8, JsonFault> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Ok(*byte);
            }
            self.at += 1;
        }
        Err(JsonFault::End)
    }

    pub(crate) const fn expected(&self, wanted: &'static str) -> JsonFault {
        JsonFault::Expected(wanted, self.at)
    }

    /// Enters the object or list that comes next; `false` if something else comes next.
    #[inline]
    pub(crate) fn enter(&mut self, bracket: u8) -> Result<bool, JsonFault> {
        let there = self.peek()? == bracket;
        self.at += usize::from(there);
        Ok(there)
    }

    /// Name of the next member of the entered object; `None` at its end.
    #[inline]
    pub(crate) fn key(&mut self) -> Result<Option<Cow<'a, str>>, JsonFault> {
        if !self.another(b'}')? {
            return Ok(None);
        }
        let name = self.text()?;
        if self.peek()? != b':' {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        Ok(Some(name))
    }

    /// Whether the entered list has another element.
    #[inline]
    pub(crate) fn element(&mut self) -> Result<bool, JsonFault> {
        self.another(b']')
    }

    /// Skips a comma, and the closing bracket if it is next. Returns whether another element
    /// follows.
    #[inline]
    fn another(&mut self, closing: u8) -> Result<bool, JsonFault> {
        if self.peek()? == b',' {
            self.at += 1;
        }
        let closes = self.peek()? == closing;
        self.at += usize::from(closes);
        Ok(!closes)
    }

    #[inline]
    pub(crate) fn text(&mut self) -> Result<Cow<'a, str>, JsonFault> {
        let start = self.at;
        if self.peek()? != b'"' {
            return Err(self.expected("a text in double quotes"));
        }
        let (quoted, escaped) = self.quoted()?;
        if !escaped {
            return Ok(Cow::Borrowed(&quoted[1..quoted.len() - 1]));
        }
        let plain = serde_json::from_str(quoted);
        plain.map(Cow::Owned).map_err(|_| JsonFault::Expected("a text in double quotes", start))
    }

    /// Reads the quoted text at the cursor. Returns the text with its quotes, and whether it has
    /// escapes.
    #[inline]
    fn quoted(&mut self) -> Result<(&'a str, bool), JsonFault> {
        let bytes = self.text.as_bytes();
        let (start, mut at, mut escaped) = (self.at, self.at + 1, false);
        loop {
            match bytes.get(at) {
                None => return Err(JsonFault::End),
                Some(b'"') => break,
                Some(b'\\') => (at, escaped) = (at + 2, true),
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        Ok((&self.text[start..self.at], escaped))
    }

    /// Reads a number or a word. A token that touches the end of the text may be torn.
    #[inline]
    fn bare(&mut self) -> Result<&'a str, JsonFault> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start;
        while let Some(b'0'..=b'9' | b'.' | b'-' | b'+' | b'a'..=b'z' | b'A'..=b'Z') = bytes.get(at)
        {
            at += 1;
        }
        if at == bytes.len() {
            return Err(JsonFault::End);
        }
        if at == start {
            return Err(self.expected("a value"));
        }
        self.at = at;
        Ok(&self.text[start..at])
    }

    #[inline]
    pub(crate) fn token(&mut self) -> Result<&'a str, JsonFault> {
        self.peek()?;
        let start = self.at;
        self.skip()?;
        Ok(&self.text[start..self.at])
    }

    #[inline]
    pub(crate) fn skip(&mut self) -> Result<(), JsonFault> {
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'{' | b'[' if open == DEEPEST => return Err(self.expected("less nesting")),
                b'{' | b'[' => (open, self.at) = (open + 1, self.at + 1),
                b'}' | b']' if open == 0 => return Err(self.expected("a value")),
                b'}' | b']' => (open, self.at) = (open - 1, self.at + 1),
                b',' | b':' if open > 0 => self.at += 1,
                b'"' => drop(self.quoted()?),
                _ => drop(self.bare()?),
            }
            if open == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
