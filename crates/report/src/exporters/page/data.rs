//! The data of a page, which the page's script draws.

use records::{StudyRecord, StudyView, sinks};
use serde::Serialize;

use super::{
    curve::{Curve, PageKnee},
    front::PageFront,
    metrics::{PageMetric, metrics},
    trials::Trials,
};
use crate::comparison::Comparison;

/// Most trials on a page of several studies. Further studies have their trials only on their own
/// pages.
const MOST_TRIALS: usize = 100_000;

/// A study on a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PageStudy {
    /// The study's name on this page.
    label: String,
    benchmark: String,
    device: String,
    /// Meaning of one unit of size.
    size_meaning: String,
    /// Name of the metric that saturates.
    secondary: String,
    /// Names of the objectives.
    objectives: Vec<String>,
    metrics: Vec<PageMetric>,
    curve: Curve,
    #[serde(skip_serializing_if = "Option::is_none")]
    knee: Option<PageKnee>,
    /// The size that the study answers with.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trials: Option<Trials>,
    /// The front that the study answers with, if it has several objectives and its trials are here.
    #[serde(skip_serializing_if = "Option::is_none")]
    front: Option<PageFront>,
}

/// What the script of a page draws.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageData {
    studies: Vec<PageStudy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
    #[serde(skip)]
    trials: usize,
}

impl PageData {
    /// Data of a page without studies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a study. Its trials are added if it is the first study or there is room for them.
    pub fn study(&mut self, label: &str, record: &StudyRecord, view: &StudyView) {
        let room = self.studies.is_empty() || self.trials + view.trials.len() <= MOST_TRIALS;
        let mut study = PageStudy::of(label, record, view);
        if room {
            study.trials = Trials::of(record, view, &study.metrics);
            study.front = PageFront::of(record, view);
            self.trials += view.trials.len();
        }
        self.studies.push(study);
    }

    /// Adds the curve of a study to those of its subject, without its trials.
    pub fn curve(&mut self, label: &str, subject: &str, record: &StudyRecord, view: &StudyView) {
        let study = PageStudy::of(label, record, view);
        self.studies.push(PageStudy { benchmark: subject.to_owned(), ..study });
    }

    /// Adds a comparison. The labels of its studies are the names of its sides.
    pub fn comparison(&mut self, comparison: &Comparison) {
        self.comparison = Some(comparison.clone());
    }

    /// Returns the HTML element that holds the data.
    #[must_use]
    pub fn element(&self) -> String {
        // Numbers and texts can always be written as JSON.
        let json = serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned());
        // Nothing inside may end the element, or steer what shows the page's source.
        let json = sinks::json(&json).replace('<', "\\u003c");
        format!("<script type=\"application/json\" id=\"data\">{json}</script>\n")
    }
}

impl PageStudy {
    fn of(label: &str, record: &StudyRecord, view: &StudyView) -> Self {
        let benchmark = &record.benchmark;
        let metrics = metrics(record, view);
        let further = record.settings.further_objectives.iter().map(|o| o.metric.clone());
        Self {
            label: label.to_owned(),
            benchmark: benchmark.name.clone(),
            device: record.device.name.clone(),
            size_meaning: benchmark.size_meaning.clone(),
            secondary: benchmark.secondary.name.clone(),
            objectives: std::iter::once(record.objective().to_owned()).chain(further).collect(),
            curve: Curve::of(record, view, &metrics),
            metrics,
            knee: PageKnee::of(record, view),
            answer: view.winner().map(|(point, _)| point.size),
            trials: None,
            front: None,
        }
    }
}
