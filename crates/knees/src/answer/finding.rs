//! Answer about a curve.

use crate::Knee;

/// How far a finding can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confidence {
    /// A knee that stays where it is when measurements are redrawn.
    Settled,
    /// A knee with something against it.
    Weak,
    /// No knee.
    #[default]
    None,
}

impl Confidence {
    /// The word in records and pages.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Weak => "weak",
            Self::None => "none",
        }
    }

    /// The confidence that `word` means.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        [Self::Settled, Self::Weak, Self::None].into_iter().find(|known| known.word() == word)
    }
}

/// A detector's answer about a curve, with its interval and confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Name of the detector.
    pub detector: &'static str,
    /// The knee, as an index into the given curve.
    pub knee: Option<Knee>,
    /// Interval of the knee's x, at the confidence of the settings.
    pub interval: Option<(f64, f64)>,
    /// The knee's y as a share of the level that the curve reaches; only of rising curves.
    pub share: Option<f64>,
    /// Why there is no knee, or what speaks for it.
    pub why: String,
    /// Figures of the method by name.
    pub facts: Vec<(String, f64)>,
    /// How far it can be relied on.
    pub confidence: Confidence,
    /// What speaks against it, one phrase each.
    pub against: Vec<String>,
    /// Detectors that confirm it, of those that were named to.
    pub confirmed_by: Vec<&'static str>,
}

impl Finding {
    /// The same finding, weak because its curve should have been measured in rounds and was not.
    #[must_use]
    pub fn unrepeated(self) -> Self {
        self.doubted("its points were measured once, and not in rounds".to_owned())
    }

    /// The same finding, weak for this reason.
    #[must_use]
    pub fn doubted(mut self, why: String) -> Self {
        if self.knee.is_some() {
            self.confidence = Confidence::Weak;
            self.against.push(why);
        }
        self
    }

    /// No knee, and why.
    #[must_use]
    pub fn none(detector: &'static str, why: impl Into<String>) -> Self {
        Self {
            detector,
            knee: None,
            interval: None,
            share: None,
            why: why.into(),
            facts: Vec::new(),
            confidence: Confidence::None,
            against: Vec::new(),
            confirmed_by: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubt_makes_a_knee_weak_and_no_knee_of_none() {
        let settled = Finding {
            knee: Some(Knee { index: 3, x: 8.0 }),
            confidence: Confidence::Settled,
            ..Finding::none("kneedle", "")
        };
        let doubted = settled.doubted("it was dark".to_owned());
        assert_eq!((doubted.confidence, doubted.against.len()), (Confidence::Weak, 1));
        let none = Finding::none("kneedle", "flat").doubted("it was dark".to_owned());
        assert_eq!((none.confidence, none.against.len()), (Confidence::None, 0));
    }
}
