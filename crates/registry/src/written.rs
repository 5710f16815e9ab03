//! An entry as users write it: `name`, or `name:knob=value` with further knobs after `:` or `,`.
//!
//! A name has no `=`, and a value has no `:` or `,`. So in a list of entries separated by commas, a
//! part with a `=` before any `:` is a knob of the entry before it. Any other part begins an entry:
//! `a:x=1,y=2,b,c:z=3` names three entries.

use super::{KnobError, parse_knob};

/// The name of an entry and the knobs that are given with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The name, as typed.
    pub name: String,
    /// Names and values of knobs, in order.
    pub knobs: Vec<(String, String)>,
}

impl Written {
    /// Reads `name:knob=value:…`; after the first colon, commas also separate knobs.
    ///
    /// # Errors
    /// For a knob without `=`.
    pub fn parse(text: &str) -> Result<Self, KnobError> {
        let (name, knobs) = text.split_once(':').unwrap_or((text, ""));
        let knobs = knobs.split([':', ',']).map(str::trim).filter(|knob| !knob.is_empty());
        Ok(Self {
            name: name.trim().to_owned(),
            knobs: knobs.map(parse_knob).collect::<Result<_, _>>()?,
        })
    }

    /// The knobs, as pairs of references.
    pub fn pairs(&self) -> impl Iterator<Item = (&String, &String)> {
        self.knobs.iter().map(|(name, value)| (name, value))
    }

    /// The entry in one spelling: name and knobs joined by `:`.
    #[must_use]
    pub fn label(&self) -> String {
        let knobs = self.knobs.iter().map(|(name, value)| format!(":{name}={value}"));
        std::iter::once(self.name.clone()).chain(knobs).collect()
    }
}

/// Joins a list that was split at every comma, so that knobs are with their entries again.
#[must_use]
pub fn rejoined(parts: &[impl AsRef<str>]) -> Vec<String> {
    let mut entries: Vec<String> = Vec::with_capacity(parts.len());
    for part in parts.iter().map(AsRef::as_ref) {
        let is_knob = part.split(':').next().is_some_and(|first| first.contains('='));
        match entries.last_mut().filter(|_| is_knob) {
            Some(entry) => *entry = format!("{entry}:{part}"),
            None => entries.push(part.to_owned()),
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        rejoined(&text.split(',').collect::<Vec<_>>())
    }

    #[test]
    fn colons_and_commas_separate_knobs_alike() {
        let wanted = "a:x=1:y=2";
        for text in ["a:x=1:y=2", "a:x=1,y=2", " a : x = 1, y=2,"] {
            assert_eq!(Written::parse(text).map(|written| written.label()), Ok(wanted.to_owned()));
        }
        assert_eq!(Written::parse("a").map(|written| written.knobs), Ok(Vec::new()));
        let refused = Written::parse("a:x").expect_err("no value").to_string();
        assert_eq!(refused, "a knob is written NAME=VALUE, not `x`");
    }

    #[test]
    fn a_list_with_commas_has_one_reading() {
        assert_eq!(list("a:x=1,y=2,b,c:z=3"), ["a:x=1:y=2", "b", "c:z=3"]);
        assert_eq!(list("a,b"), ["a", "b"]);
        assert_eq!(list("a:x=1,y=2:w=5,b:v=1"), ["a:x=1:y=2:w=5", "b:v=1"]);
        // The same without a colon, since a name has no `=`.
        assert_eq!(list("a,x=1,b"), ["a:x=1", "b"]);
        assert_eq!(list("x=1,b"), ["x=1", "b"]);
    }
}
