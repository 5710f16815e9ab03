//! Reads JSON values: numbers, texts, and anything else as JSON.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::spaces::json_reader::{JsonFault, JsonReader};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scalar<'a> {
    /// `null`, `NaN`, or an infinite number.
    Missing,
    Number(f64),
    Text(Cow<'a, str>),
    /// A truth value, a list or an object, as JSON text.
    Other(&'a str),
}

impl<'a> JsonReader<'a> {
    /// Reads a number; any other value is skipped and gives `None`.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<Option<f64>, JsonFault> {
        match self.peek()? {
            b'"' | b'{' | b'[' => self.skip().map(|()| None),
            _ => {
                if let Some(number) = self.decimal() {
                    return Ok(Some(number));
                }
                match self.plain()? {
                    Scalar::Number(number) => Ok(Some(number)),
                    _ => Ok(None),
                }
            }
        }
    }

    /// Reads the finite number at the cursor if a delimiter follows it.
    #[inline]
    fn decimal(&mut self) -> Option<f64> {
        let bytes = &self.text.as_bytes()[self.at..];
        let (number, length) = fast_float2::parse_partial::<f64, _>(bytes).ok()?;
        let ends = matches!(bytes.get(length)?, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
        (ends && number.is_finite()).then(|| {
            self.at += length;
            number
        })
    }

    /// Reads a time; anything else is skipped and gives `None`.
    pub(crate) fn time(&mut self) -> Result<Option<f64>, JsonFault> {
        Ok(self.number()?.filter(|time| self.is_time(*time)))
    }

    /// Whether a number can be a time. Counts it if not.
    pub(crate) fn is_time(&mut self, number: f64) -> bool {
        self.missing.negative += usize::from(number < 0.0);
        number >= 0.0
    }

    /// Reads all times of a list; none if the value is not a list.
    pub(crate) fn times(&mut self, likely: usize) -> Result<Vec<f64>, JsonFault> {
        if !self.enter(b'[')? {
            self.skip()?;
            return Ok(Vec::new());
        }
        let mut numbers = Vec::with_capacity(likely);
        while self.element()? {
            numbers.extend(self.time()?);
        }
        Ok(numbers)
    }

    /// Sum and count of the times of a list; zero if the value is not a list.
    pub(crate) fn sum(&mut self) -> Result<(f64, usize), JsonFault> {
        let (mut sum, mut count) = (-0.0, 0);
        if !self.enter(b'[')? {
            return self.skip().map(|()| (sum, count));
        }
        while self.element()? {
            if let Some(number) = self.time()? {
                (sum, count) = (sum + number, count + 1);
            }
        }
        Ok((sum, count))
    }

    /// Reads a number or a word as a scalar.
    #[inline]
    fn plain(&mut self) -> Result<Scalar<'a>, JsonFault> {
        let start = self.at;
        let token = self.bare()?;
        match token {
            "null" => return Ok(Scalar::Missing),
            "true" | "false" => return Ok(Scalar::Other(token)),
            _ => {}
        }
        // `parse` also accepts all spellings of infinity and NaN.
        match token.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Scalar::Number(number)),
            Ok(_) => {
                self.missing.not_finite += 1;
                Ok(Scalar::Missing)
            }
            Err(_) => Err(JsonFault::Expected("a value", start)),
        }
    }

    pub(crate) fn scalar(&mut self) -> Result<Scalar<'a>, JsonFault> {
        match self.peek()? {
            b'"' => self.text().map(Scalar::Text),
            b'{' | b'[' => self.token().map(Scalar::Other),
            _ => self.plain(),
        }
    }

    /// Reads any value as strict JSON.
    pub(crate) fn json(&mut self) -> Result<String, JsonFault> {
        self.peek()?;
        let start = self.at;
        let token = self.token()?;
        let is_json = |text: &str| serde_json::from_str::<Json>(text).is_ok();
        if is_json(token) {
            return Ok(token.to_owned());
        }
        let (json, found) = finite(token);
        self.missing.not_finite += found;
        if is_json(&json) { Ok(json) } else { Err(JsonFault::Expected("a value", start)) }
    }
}

pub(crate) fn json_text(text: &str) -> String {
    Json::from(text).to_string()
}

/// The value with `null` in place of every number that is not finite, and the count of these
/// numbers.
fn finite(token: &str) -> (String, usize) {
    let (mut out, mut found, mut rest) = (String::new(), 0, token);
    while !rest.is_empty() {
        let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        let mut taken = rest.find(|c| !bare(c)).unwrap_or(rest.len());
        if rest[..taken].parse::<f64>().is_ok_and(|number| !number.is_finite()) {
            found += 1;
            out.push_str("null");
        } else {
            if taken == 0 {
                let quoted = rest.starts_with('"').then(|| JsonReader::new(rest).quoted());
                let first = rest.chars().next().map_or(1, char::len_utf8);
                taken = quoted.and_then(Result::ok).map_or(first, |(quoted, _)| quoted.len());
            }
            out.push_str(&rest[..taken]);
        }
        rest = &rest[taken..];
    }
    (out, found)
}
