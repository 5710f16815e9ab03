//! Findings: answers of detectors, with interval and confidence.

use crate::Knee;

/// How far a finding can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confidence {
    /// A knee that stays in place when measurements are redrawn.
    Settled,
    /// A knee with reasons against it.
    Weak,
    /// No knee.
    #[default]
    None,
}

impl Confidence {
    /// Word in records and reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Weak => "weak",
            Self::None => "none",
        }
    }

    /// The confidence with this word.
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
    /// Probability that the knee lies within a step of the answer.
    pub probability: Option<f64>,
    /// The same if only more rounds could change it: without what sizes have of their own.
    pub by_rounds: Option<f64>,
    /// The knee's y as a share of the curve's level; only for rising curves.
    pub share: Option<f64>,
    /// Why there is no knee, or what supports it.
    pub why: String,
    /// Values that the detector computed, by name.
    pub facts: Vec<(String, f64)>,
    /// How far the finding can be trusted.
    pub confidence: Confidence,
    /// Reasons against the finding, one phrase each.
    pub against: Vec<String>,
    /// Detectors that confirm the knee, among those that were asked to.
    pub confirmed_by: Vec<&'static str>,
}

impl Finding {
    /// The same finding, but weak: its curve was not measured in rounds.
    #[must_use]
    pub fn unrepeated(self) -> Self {
        self.doubted("its points were measured once, and not in rounds".to_owned())
    }

    /// The same finding, but weak for this reason.
    #[must_use]
    pub fn doubted(mut self, why: String) -> Self {
        if self.knee.is_some() {
            self.confidence = Confidence::Weak;
            self.against.push(why);
        }
        self
    }

    /// A finding without a knee, with the reason.
    #[must_use]
    pub fn none(detector: &'static str, why: impl Into<String>) -> Self {
        Self {
            detector,
            knee: None,
            interval: None,
            probability: None,
            by_rounds: None,
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
