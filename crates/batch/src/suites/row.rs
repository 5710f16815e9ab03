//! Results of a suite's studies, read from their folders.

use std::path::Path;

use records::{
    Gain, JOURNAL_FILE, MetricFigure, Named, Progress, SCORE_FILE, ScoreRecord, StudyFolder,
    StudyRecord, StudyState, StudyView, read_journal,
};
use report::exporters::knee_answer::KneeAnswer;
use serde::Serialize;

use super::{earlier_runs::SizeFrom, journal::Told, published::Published, record::SuiteRecord};

/// A study of a suite and its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteRow {
    /// The study's number, from 1.
    pub study: usize,
    /// The study's name in tables.
    pub label: String,
    /// The command: `run`, `tune` or `score`.
    pub command: String,
    /// The study's progress.
    #[serde(flatten)]
    pub state: StudyState,
    /// Name of the study's folder inside the suite's.
    pub folder: Option<String>,
    /// What is known once the study has begun.
    #[serde(flatten)]
    pub begun: Option<BegunStudy>,
    /// The answer of a comparison of strategies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreRecord>,
    /// Published results of the study.
    #[serde(skip_serializing_if = "Published::is_empty")]
    pub published: Published,
    /// The size that another study gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sized: Option<SizeFrom>,
}

/// A study that has begun.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BegunStudy {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Name of the device.
    pub device: String,
    /// Name of the metric of the error.
    pub error_metric: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of evaluations of the searches.
    pub evaluations: u64,
    /// Seconds charged to the study's budget; `None` until it is finished.
    pub charged_seconds: Option<f64>,
    /// Real seconds over all sessions.
    pub wall_seconds: f64,
    /// The answer, once the study is finished.
    pub answer: Option<StudyAnswer>,
}

/// The answer of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyAnswer {
    /// Size of the answer: the knee, or else the largest size. `None` if sizes are no numbers.
    pub size: Option<u64>,
    /// Whether the study searched for a knee.
    pub sought_knee: bool,
    /// The accepted knee.
    pub knee: Option<u64>,
    /// 95 % interval of the knee.
    pub knee_interval: Option<(f64, f64)>,
    /// `settled`, `weak` or `none`, if the study searched for a knee.
    pub confidence: Option<&'static str>,
    /// The best configuration at the size.
    pub configuration: Named,
    /// Run time of the best configuration.
    pub seconds: f64,
    /// 95 % interval of the run time.
    pub seconds_interval: (f64, f64),
    /// Whether time ran out before the run time was precise.
    pub unsettled: bool,
    /// Name and unit of the secondary metric.
    pub metric: (String, String),
    /// Value of the secondary metric.
    pub metric_figure: Option<MetricFigure>,
    /// Error against the reference.
    pub error: Option<f64>,
    /// Speed-up over the default configuration.
    pub gain: Option<f64>,
    /// 95 % interval of the speed-up.
    pub gain_interval: Option<(f64, f64)>,
    /// Whether the speed-up is statistically significant.
    pub gain_is_significant: bool,
    /// Number of configurations on the Pareto front, if the study has several objectives.
    pub front: Option<usize>,
}

/// A suite and the current state of its studies.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteView {
    /// The suite's record.
    pub record: SuiteRecord,
    /// The suite's studies, in order.
    pub rows: Vec<SuiteRow>,
}

impl SuiteView {
    /// Reads all studies, in any state.
    #[must_use]
    pub fn read(path: &Path, record: &SuiteRecord, told: &Told) -> Self {
        let rows = (1..=record.studies.len()).map(|number| row(path, record, told, number));
        Self { record: record.clone(), rows: rows.collect() }
    }

    /// Number of studies with an answer.
    #[must_use]
    pub fn finished(&self) -> usize {
        self.rows.iter().filter(|row| row.state == StudyState::Finished).count()
    }

    /// Number of studies that failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.rows.iter().filter(|row| matches!(row.state, StudyState::Failed(_))).count()
    }
}

/// The current state of one study.
#[must_use]
pub fn row(path: &Path, record: &SuiteRecord, told: &Told, number: usize) -> SuiteRow {
    let study = record.study(number);
    let folder = told.folders.get(&number).cloned();
    let command = study.and_then(|study| study.argv.first().cloned()).unwrap_or_default();
    let (mut begun, mut score) = (None, None);
    let of_folder = folder.as_ref().map(|name| path.join(name));
    let mut state = match (of_folder, command.as_str()) {
        (None, _) => StudyState::not_begun(),
        (Some(path), "score") => match read_score(&path) {
            Ok(Some(record)) => {
                score = Some(record);
                StudyState::Finished
            }
            Ok(None) => StudyState::Unfinished("it runs, or was ended".to_owned()),
            Err(why) => StudyState::Failed(why),
        },
        (Some(path), _) => match read(&path) {
            Ok(None) => StudyState::not_begun(),
            Err(why) => StudyState::Failed(why),
            Ok(Some((record, view))) => {
                begun = Some(BegunStudy::of(&record, &view));
                StudyState::of(&view.progress)
            }
        },
    };
    if let (StudyState::Unfinished(_), Some(why)) = (&state, told.failed.get(&number)) {
        state = StudyState::Failed(why.clone());
    }
    SuiteRow {
        study: number,
        label: record.label(number).to_owned(),
        command,
        state,
        folder,
        begun,
        score,
        published: study.map(|study| study.published.clone()).unwrap_or_default(),
        sized: told.sized.get(&number).or_else(|| study?.sized.as_ref()).cloned(),
    }
}

/// Reads the comparison of strategies in a folder; `None` if it is not finished.
fn read_score(path: &Path) -> Result<Option<ScoreRecord>, String> {
    if !path.join(SCORE_FILE).exists() {
        return Ok(None);
    }
    ScoreRecord::read(path).map(Some).map_err(|fault| fault.to_string())
}

/// Reads the study in a folder; `None` if it has not begun.
pub(super) fn read(path: &Path) -> Result<Option<(StudyRecord, StudyView)>, String> {
    let Ok(folder) = StudyFolder::open(path) else { return Ok(None) };
    let journal = folder.file(JOURNAL_FILE);
    if !journal.exists() {
        return Ok(None);
    }
    let record = folder.read_study().map_err(|fault| fault.to_string())?;
    let read = read_journal(&journal).map_err(|fault| fault.to_string())?;
    Ok(Some((record, StudyView::from_events(&read.entries))))
}

impl BegunStudy {
    fn of(record: &StudyRecord, view: &StudyView) -> Self {
        let finished = match view.progress {
            Progress::Finished(seconds) => Some(seconds),
            Progress::Open | Progress::Interrupted(_) => None,
        };
        Self {
            benchmark: record.benchmark.name.clone(),
            device: record.device.name.clone(),
            error_metric: record.benchmark.error.0.clone(),
            strategy: record.settings.strategy.clone(),
            seed: record.settings.seed,
            evaluations: view.sizes.iter().map(|point| point.counts.search).sum(),
            charged_seconds: finished,
            wall_seconds: view.hours.wall(record.started),
            answer: finished.and_then(|_| StudyAnswer::of(record, view)),
        }
    }
}

impl StudyAnswer {
    fn of(record: &StudyRecord, view: &StudyView) -> Option<Self> {
        let (point, figure) = view.winner()?;
        let closed = point.closed.as_ref();
        let knee = KneeAnswer::of(record, view);
        let accepted = view.accepted.as_ref().map(|knee| knee.size);
        let metric = &record.benchmark.secondary;
        Some(Self {
            size: record.size(point.size),
            sought_knee: knee.is_some(),
            knee: accepted,
            knee_interval: knee
                .as_ref()
                .and_then(|knee| knee.finding?.interval)
                .filter(|_| accepted.is_some()),
            confidence: knee.as_ref().and_then(KneeAnswer::word),
            configuration: figure.configuration.clone(),
            seconds: figure.seconds.median,
            seconds_interval: figure.seconds.interval,
            unsettled: figure.unsettled,
            metric: (metric.name.clone(), metric.unit.clone()),
            metric_figure: figure.metric.clone(),
            error: figure.error,
            gain: closed.and_then(|closed| closed.gain),
            gain_interval: closed.and_then(|closed| closed.gain_interval),
            gain_is_significant: closed
                .is_some_and(|closed| matches!(closed.gained(), Gain::Significant { .. })),
            front: view.answering_front(record).map(|front| front.members.len()),
        })
    }
}
