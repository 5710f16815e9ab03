//! A study's answer about its knee, for the terminal, the page, the plot and all formats.

use knees::Confidence;
use records::{AcceptedKnee, KneeFinding, Progress, StudyRecord, StudyView};

use super::quantities::grouped;

/// A study's answer about its knee.
#[derive(Debug, Clone, PartialEq)]
pub struct KneeAnswer<'a> {
    /// Size of the knee, if the study has one.
    pub knee: Option<u64>,
    /// Finding of the deciding detector, if any.
    pub finding: Option<&'a KneeFinding>,
    /// Confidence of the answer; `None` in older records.
    pub confidence: Option<Confidence>,
    /// What speaks against the knee, one phrase each.
    pub against: Vec<String>,
    /// Why there is no knee, or why it was accepted.
    pub why: String,
    /// Findings of other detectors.
    pub others: Vec<&'a KneeFinding>,
}

impl<'a> KneeAnswer<'a> {
    /// Returns the answer of a study that sought a knee, finished or not.
    #[must_use]
    pub fn of(record: &StudyRecord, view: &'a StudyView) -> Option<Self> {
        let first = record.settings.detectors.first();
        let deciding = view.accepted.as_ref().map(|knee| &knee.detector).or(first)?;
        let (own, others): (Vec<_>, Vec<_>) =
            view.knees.iter().partition(|finding| finding.detector == *deciding);
        let finding = own.first().copied();
        let answer = match &view.accepted {
            Some(accepted) => Self::accepted(view, accepted, finding),
            None => Self::none(view, finding),
        };
        Some(Self { others, ..answer })
    }

    fn accepted(
        view: &'a StudyView,
        accepted: &AcceptedKnee,
        finding: Option<&'a KneeFinding>,
    ) -> Self {
        let mut confidence = finding.and_then(|finding| Confidence::named(&finding.confidence));
        let mut against = finding.map_or_else(Vec::new, |finding| finding.against.clone());
        if !accepted.confirmed {
            confidence = Some(Confidence::Weak);
            // A doubt in the reason may already say why larger sizes did not confirm the knee.
            if !against.iter().any(|doubt| accepted.why.contains(doubt.as_str())) {
                against.push("larger sizes did not confirm it".to_owned());
            }
        }
        if matches!(view.progress, Progress::Open | Progress::Interrupted(_)) {
            confidence = Some(Confidence::Weak);
            against.push("the study is not finished".to_owned());
        }
        let (knee, why) = (Some(accepted.size), accepted.why.clone());
        let others = Vec::new();
        Self { knee, finding, confidence, against, why, others }
    }

    fn none(view: &'a StudyView, finding: Option<&'a KneeFinding>) -> Self {
        let seen = finding.and_then(|finding| Some((finding, finding.knee?)));
        let why = match (seen, finding, &view.progress) {
            (Some((finding, at)), ..) => format!(
                "{} sees one at {}, and too few larger sizes were measured",
                finding.detector,
                whole(at)
            ),
            (None, Some(finding), _) => finding.why.clone(),
            (None, None, Progress::Finished(_)) => "too few sizes were measured".to_owned(),
            (None, None, _) => "the study is not finished".to_owned(),
        };
        let confidence = Some(Confidence::None);
        let (against, others) = (Vec::new(), Vec::new());
        Self { knee: None, finding, confidence, against, why, others }
    }

    /// Returns the word for the confidence in records and documents.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        self.confidence.map(Confidence::word)
    }

    /// Whether something speaks against the knee.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        self.confidence == Some(Confidence::Weak)
    }

    /// Returns the detectors that confirm the knee.
    #[must_use]
    pub fn confirmed_by(&self) -> &'a [String] {
        self.finding.map_or(&[], |finding| &finding.confirmed_by)
    }

    /// Returns the findings whose knees are drawn, the deciding one first. Empty if the study has
    /// no knee.
    #[must_use]
    pub fn drawn(&self) -> Vec<&'a KneeFinding> {
        let shown = self.knee.and(self.finding);
        let others = shown.map(|_| self.others.iter().copied()).into_iter().flatten();
        shown.into_iter().chain(others).filter(|finding| finding.knee.is_some()).collect()
    }
}

/// A size that detectors give as a float, in words.
pub(in crate::exporters) fn whole(size: f64) -> String {
    grouped(size.round().max(0.0) as u64)
}
