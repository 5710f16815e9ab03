//! Grids of settings: braces in an entry hold several values, and every combination is an entry.
//!
//! `nsga2:population={20,40}:mutation={0.1,0.2}` stands for four entries. A comma inside braces
//! separates values, not entries.

/// Most entries that one text may stand for.
const MOST: usize = 10_000;

/// Why braces cannot be read. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// A brace has no partner.
    #[error("`{brace}` at column {column} of `{text}` has no partner")]
    Alone {
        /// The brace.
        brace: char,
        /// Its column.
        column: usize,
        /// The whole text.
        text: String,
    },
    /// Braces inside braces.
    #[error("`{{` at column {column} of `{text}` is inside braces, which hold values alone")]
    Nested {
        /// Its column.
        column: usize,
        /// The whole text.
        text: String,
    },
    /// A value is missing.
    #[error("a value is missing at column {column} of `{text}`")]
    Missing {
        /// Column where the value should be.
        column: usize,
        /// The whole text.
        text: String,
    },
    /// There are too many combinations.
    #[error("`{0}` stands for more than {MOST} settings; leave some out")]
    TooMany(String),
}

/// Splits a list at its commas into entries. Commas inside braces do not split it.
#[must_use]
pub fn listed(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Every entry that a text with braces stands for; the last brace varies fastest. A text without
/// braces stands for itself.
///
/// # Errors
/// If braces do not match, are nested, or lack a value, or there are too many combinations.
pub fn combined(text: &str) -> Result<Vec<String>, GridError> {
    let mut all = vec![String::new()];
    for part in parts(text)? {
        let many = all.len().checked_mul(part.len()).filter(|many| *many <= MOST);
        if many.is_none() {
            return Err(GridError::TooMany(text.to_owned()));
        }
        let mut longer = Vec::with_capacity(all.len() * part.len());
        for before in &all {
            longer.extend(part.iter().map(|value| format!("{before}{value}")));
        }
        all = longer;
    }
    Ok(all)
}

/// A text with braces as a grid. Every brace is a dimension, named by the text before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Alternatives of every part; every second part is a brace.
    parts: Vec<Vec<String>>,
}

impl Grid {
    /// Reads a text.
    ///
    /// # Errors
    /// If braces do not match, are nested, or lack a value.
    pub fn read(text: &str) -> Result<Self, GridError> {
        let owned = |part: Vec<&str>| part.into_iter().map(str::to_owned).collect();
        Ok(Self { parts: parts(text)?.into_iter().map(owned).collect() })
    }

    /// Every dimension: the name of its knob, which stands before the brace, and its values.
    #[must_use]
    pub fn dimensions(&self) -> Vec<(&str, &[String])> {
        let pairs = self.parts.chunks_exact(2);
        let knob =
            |before: &'_ String| -> usize { before.rfind([':', ',']).map_or(0, |at| at + 1) };
        pairs
            .map(|pair| {
                let before = &pair[0][0];
                (before[knob(before)..].trim_end_matches('=').trim(), pair[1].as_slice())
            })
            .collect()
    }

    /// The entry whose value in each dimension is at the given place.
    #[must_use]
    pub fn entry(&self, places: &[usize]) -> String {
        let mut places = places.iter();
        let of = |(at, part): (usize, &Vec<String>)| match at % 2 {
            0 => part[0].clone(),
            _ => places.next().and_then(|place| part.get(*place)).cloned().unwrap_or_default(),
        };
        self.parts.iter().enumerate().map(of).collect()
    }
}

/// Splits a text into parts with their alternatives: one outside braces, the values inside.
fn parts(text: &str) -> Result<Vec<Vec<&str>>, GridError> {
    let whole = || text.to_owned();
    let column = |at: usize| text[..at].chars().count() + 1;
    let (mut parts, mut from, mut opened) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        match (c, opened) {
            ('{', Some(_)) => return Err(GridError::Nested { column: column(at), text: whole() }),
            ('{', None) => {
                parts.push(vec![&text[from..at]]);
                (from, opened) = (at + 1, Some((at, Vec::new())));
            }
            ('}', None) => {
                return Err(GridError::Alone { brace: c, column: column(at), text: whole() });
            }
            (',' | '}', Some((brace, mut values))) => {
                let value = text[from..at].trim();
                if value.is_empty() {
                    return Err(GridError::Missing { column: column(at), text: whole() });
                }
                values.push(value);
                from = at + 1;
                opened = match c {
                    ',' => Some((brace, values)),
                    _ => {
                        parts.push(values);
                        None
                    }
                };
            }
            (_, still) => opened = still,
        }
    }
    if let Some((at, _)) = opened {
        return Err(GridError::Alone { brace: '{', column: column(at), text: whole() });
    }
    parts.push(vec![&text[from..]]);
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_combination_is_an_entry() {
        let all = combined("nsga2:population={20,40}:mutation={0.1, 0.2}").expect("a grid");
        assert_eq!(
            all,
            [
                "nsga2:population=20:mutation=0.1",
                "nsga2:population=20:mutation=0.2",
                "nsga2:population=40:mutation=0.1",
                "nsga2:population=40:mutation=0.2"
            ]
        );
        assert_eq!(combined("random"), Ok(vec!["random".to_owned()]));
    }

    #[test]
    fn a_grid_has_a_dimension_for_every_brace() {
        let grid = Grid::read("pso:particles={10,20}:cognitive=2:social={1, 3}").expect("a grid");
        let dimensions = grid.dimensions();
        assert_eq!(
            dimensions.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["particles", "social"]
        );
        assert_eq!(dimensions[1].1, ["1", "3"]);
        assert_eq!(grid.entry(&[1, 0]), "pso:particles=20:cognitive=2:social=1");
        assert_eq!(Grid::read("random").expect("a grid").entry(&[]), "random");
    }

    #[test]
    fn commas_inside_braces_separate_no_entries() {
        assert_eq!(listed("a:x={1,2},b,c:y=3"), ["a:x={1,2}", "b", "c:y=3"]);
        assert_eq!(listed("a"), ["a"]);
    }

    #[test]
    fn faulty_braces_say_where() {
        for (text, told) in [
            ("a:x={1,2", "`{` at column 5 of `a:x={1,2` has no partner"),
            ("a:x=1}", "`}` at column 6 of `a:x=1}` has no partner"),
            ("a:x={1,{2}}", "`{` at column 8 of"),
            ("a:x={}", "a value is missing at column 6 of"),
            ("é:x={1,,2}", "a value is missing at column 8 of"),
        ] {
            let fault = combined(text).expect_err(text).to_string();
            assert!(fault.contains(told), "{fault}");
        }
        let many = format!("a{}", ":x={1,2,3,4,5,6,7,8,9,10}".repeat(5));
        assert!(matches!(combined(&many), Err(GridError::TooMany(_))));
    }

    proptest! {
        #[test]
        fn the_number_of_entries_is_the_product(lengths in prop::collection::vec(1_usize..5, 0..5)) {
            let values = |many: &usize| (0..*many).map(|n| n.to_string()).collect::<Vec<_>>();
            let knobs = lengths.iter().enumerate();
            let knobs = knobs.map(|(at, many)| format!(":k{at}={{{}}}", values(many).join(",")));
            let text = format!("name{}", knobs.collect::<String>());
            let all = combined(&text).expect("a grid");
            prop_assert_eq!(all.len(), lengths.iter().product::<usize>());
            let mut different = all.clone();
            different.sort();
            different.dedup();
            prop_assert_eq!(different.len(), all.len());
            let list = format!("{text},other");
            prop_assert_eq!(listed(&list).len(), 2);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[{},a:=é ]{0,20}") {
            let _ = (combined(&text), listed(&text));
        }
    }
}
