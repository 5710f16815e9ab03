//! A study's answer about its knee, for the terminal, the page, the plot and all formats.

use knees::Confidence;
use records::{AcceptedKnee, KneeFinding, Progress, SettledKnee, StudyRecord, StudyView};

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
    /// What speaks against it, one phrase each.
    pub against: Vec<String>,
    /// What studies of the same plan settled on before, where this one ended and did not settle.
    pub settled_before: Option<SettledKnee>,
    /// Why there is no knee, or why it was accepted.
    pub why: String,
    /// Findings of other detectors.
    pub others: Vec<&'a KneeFinding>,
}

impl<'a> KneeAnswer<'a> {
    /// Answer of a study that sought a knee, finished or not.
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
        let settled_before = settled_before(view, answer.confidence);
        Some(Self { others, settled_before, ..answer })
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
            // It may be why they did not.
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
        Self { knee, finding, confidence, against, settled_before: None, why, others }
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
        Self { knee: None, finding, confidence, against, settled_before: None, why, others }
    }

    /// The knee that is read first in place of the study's own, if studies of the same plan agreed on one before.
    #[must_use]
    pub fn known(&self) -> Option<&SettledKnee> {
        self.settled_before.as_ref().filter(|before| before.is_agreed())
    }

    /// The word for its confidence in records and documents.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        self.confidence.map(Confidence::word)
    }

    /// Whether something speaks against the knee.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        self.confidence == Some(Confidence::Weak)
    }

    /// Detectors that confirm it, of those that were named to.
    #[must_use]
    pub fn confirmed_by(&self) -> &'a [String] {
        self.finding.map_or(&[], |finding| &finding.confirmed_by)
    }

    /// Findings whose knees are drawn, the deciding one first; none if the study has no knee.
    #[must_use]
    pub fn drawn(&self) -> Vec<&'a KneeFinding> {
        let shown = self.knee.and(self.finding);
        let others = shown.map(|_| self.others.iter().copied()).into_iter().flatten();
        shown.into_iter().chain(others).filter(|finding| finding.knee.is_some()).collect()
    }
}

/// What was settled before of the same plan, on a machine that was no slower then.
fn settled_before(view: &StudyView, confidence: Option<Confidence>) -> Option<SettledKnee> {
    let ended = matches!(view.progress, Progress::Finished(_)) && !view.is_mixed;
    let is_open = matches!(confidence, Some(Confidence::Weak | Confidence::None));
    let pace = view.pace.as_ref().filter(|_| ended && is_open)?;
    pace.settled_knee().filter(|_| !pace.is_outrun(view.answer_rounds()))
}

/// A size that detectors give as a float, in words.
pub(in crate::exporters) fn whole(size: f64) -> String {
    grouped(size.round().max(0.0) as u64)
}
