//! Settings of blocks: allowed values, how they are drawn, and how they change.

use math::{Rng, normal};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A setting of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    /// Name of the setting, and of the script's knob.
    pub(super) name: &'static str,
    /// Description for the knob.
    pub(super) about: &'static str,
    /// Allowed values.
    pub(super) range: Range,
}

/// Allowed values of a setting, both ends included.
#[derive(Debug, Clone, Copy)]
pub(super) enum Range {
    /// A whole number, drawn uniformly in its logarithm.
    Whole(u64, u64),
    /// A number, drawn uniformly.
    Even(f64, f64),
    /// A positive number, drawn uniformly in its logarithm.
    Scale(f64, f64),
    /// Words, each with the text that replaces it in a script.
    Words(&'static [(&'static str, &'static str)]),
}

/// Value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Given {
    /// A whole number.
    Whole(u64),
    /// Any other number.
    Number(f64),
    /// A word.
    Word(String),
}

impl Given {
    pub(super) fn number(&self) -> f64 {
        match self {
            Self::Whole(whole) => *whole as f64,
            Self::Number(number) => *number,
            Self::Word(_) => 0.0,
        }
    }
}

impl Range {
    /// Draws a value.
    pub(super) fn drawn(self, rng: &mut Rng) -> Given {
        let share = rng.random::<f64>();
        match self {
            Self::Whole(from, to) => {
                let (low, high) = (from as f64 + 0.5, to as f64 + 1.5);
                self.nearest(low * (high / low).powf(share) - 0.5)
            }
            Self::Even(from, to) => self.nearest(from + (to - from) * share),
            Self::Scale(from, to) => self.nearest(from * (to / from).powf(share)),
            Self::Words(words) => Given::Word(words[rng.random_range(0..words.len())].0.to_owned()),
        }
    }

    /// Draws a value close to the given one; a different one if there is any.
    pub(super) fn stepped(self, given: &Given, rng: &mut Rng) -> Given {
        /// Standard deviation of a step: in the logarithm, and as a share of the range.
        const STEPS: (f64, f64) = (0.5, 0.15);
        for _ in 0..20 {
            let (from, step) = (given.number(), normal(rng));
            let made = match self {
                Self::Whole(..) => {
                    let moved = (from + 0.5) * (STEPS.0 * step).exp() - 0.5;
                    let least = if step < 0.0 { from - 1.0 } else { from + 1.0 };
                    self.nearest(if step < 0.0 { moved.min(least) } else { moved.max(least) })
                }
                Self::Even(low, high) => self.nearest(from + (high - low) * STEPS.1 * step),
                Self::Scale(..) => self.nearest(from * (STEPS.0 * step).exp()),
                Self::Words(_) => self.drawn(rng),
            };
            if made != *given {
                return made;
            }
        }
        given.clone()
    }

    /// The given value if it is allowed, otherwise the nearest allowed one.
    pub(super) fn mended(self, given: Option<&Given>) -> Given {
        match (self, given) {
            (Self::Words(words), Some(Given::Word(word))) => {
                let found = words.iter().find(|known| known.0 == word).unwrap_or(&words[0]);
                Given::Word(found.0.to_owned())
            }
            (Self::Words(words), _) => Given::Word(words[0].0.to_owned()),
            (_, Some(given)) => self.nearest(given.number()),
            (Self::Whole(from, to), None) => self.nearest((from as f64 * to as f64).sqrt()),
            (Self::Even(from, to), None) => self.nearest(f64::midpoint(from, to)),
            (Self::Scale(from, to), None) => self.nearest((from * to).sqrt()),
        }
    }

    /// The nearest number of the range that has two significant digits.
    fn nearest(self, number: f64) -> Given {
        match self {
            Self::Whole(from, to) => {
                let whole = number.round().clamp(from as f64, to as f64);
                Given::Whole(whole as u64)
            }
            Self::Even(from, to) => plain((number * 100.0).round() / 100.0, from, to),
            Self::Scale(from, to) => plain(short(number), from, to),
            Self::Words(words) => Given::Word(words[0].0.to_owned()),
        }
    }
}

/// Rounds to two significant digits.
fn short(number: f64) -> f64 {
    let written = format!("{number:.1e}");
    written.parse().unwrap_or(number)
}

/// A number of the range; whole ones are stored as such, so that reading gives the same value.
fn plain(number: f64, from: f64, to: f64) -> Given {
    let number = number.clamp(from, to);
    match number >= 0.0 && number.fract() == 0.0 {
        true => Given::Whole(number as u64),
        false => Given::Number(number),
    }
}

#[cfg(test)]
mod tests {
    use math::seeded;

    use super::*;

    const RANGES: [Range; 4] = [
        Range::Whole(0, 9),
        Range::Even(-1.0, 2.0),
        Range::Scale(1e-4, 10.0),
        Range::Words(&[("one", "1"), ("two", "2")]),
    ];

    #[test]
    fn what_is_drawn_or_changed_keeps_to_its_range_and_is_read_as_it_was_written() {
        let mut rng = seeded(1, 0);
        for range in RANGES {
            let mut given = range.drawn(&mut rng);
            for _ in 0..500 {
                assert_eq!(range.mended(Some(&given)), given);
                let text = serde_json::to_string(&given).expect("it is plain");
                assert_eq!(serde_json::from_str::<Given>(&text).expect("it is plain"), given);
                let next = range.stepped(&given, &mut rng);
                assert_ne!(next, given);
                given = next;
            }
        }
    }

    #[test]
    fn values_from_elsewhere_become_the_nearest_that_is_allowed() {
        assert_eq!(Range::Whole(2, 5).mended(Some(&Given::Number(70.5))), Given::Whole(5));
        assert_eq!(Range::Even(0.0, 1.0).mended(Some(&Given::Number(-3.0))), Given::Whole(0));
        let words = Range::Words(&[("one", "1")]);
        assert_eq!(words.mended(Some(&Given::Whole(3))), Given::Word("one".to_owned()));
        assert_eq!(Range::Scale(0.01, 1.0).mended(None), Given::Number(0.1));
    }
}
