//! Pictures of a family: its tree, the best so far, and what it cost.

use records::{CandidateRecord, FamilyView};

use crate::exporters::{AxisScale, ExportError, FigureError, Line, LinesPlot, figures, plot_lines};

/// Lower scores are cut off.
const FLOOR: f64 = -0.5;

/// Pictures of a family; `None` where there is nothing to show.
pub(super) struct Pictures {
    pub(super) tree: Option<String>,
    pub(super) scores: Option<String>,
    pub(super) failures: Option<String>,
    pub(super) tokens: Option<String>,
}

impl Pictures {
    pub(super) fn of(view: &FamilyView) -> Result<Self, ExportError> {
        Ok(Self {
            tree: drawn(figures::family(view))?,
            scores: drawn(scores(view))?,
            failures: drawn(failures(view))?,
            tokens: drawn(tokens(view))?,
        })
    }
}

/// Returns a picture; `None` if it would be empty.
fn drawn(picture: Result<String, FigureError>) -> Result<Option<String>, ExportError> {
    match picture {
        Ok(svg) => Ok(Some(svg)),
        Err(FigureError::Empty(_)) => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}

/// Returns each candidate with the number of calls up to it.
fn after_calls(view: &FamilyView) -> impl Iterator<Item = (f64, &CandidateRecord)> {
    view.candidates.iter().scan(0, |calls, one| {
        *calls += one.calls;
        Some((*calls as f64, one))
    })
}

/// Draws the best score so far with its standard error, and the mean of the parents, over calls.
fn scores(view: &FamilyView) -> Result<String, FigureError> {
    let mut best: Option<&CandidateRecord> = None;
    let mut best_points = Vec::new();
    let mut population: Vec<f64> = Vec::new();
    let mut mean_points = Vec::new();
    let most = usize::try_from(view.record.rules.parents).unwrap_or(usize::MAX);
    for (calls, one) in after_calls(view) {
        if let Some(score) = one.score {
            if best.and_then(|best| best.score).is_none_or(|best| score > best) {
                best = Some(one);
            }
            if one.same_as.is_none() {
                population.push(score);
                population.sort_by(|a, b| b.total_cmp(a));
                population.truncate(most);
            }
        }
        if let Some((score, error)) = best.and_then(|best| Some((best.score?, best.standard_error)))
        {
            let half = error.unwrap_or(0.0);
            best_points.push((calls, score, (score - half, score + half)));
            let mean = math::mean(&population);
            mean_points.push((calls, mean, (mean, mean)));
        }
    }
    plot_lines(&LinesPlot {
        title: "Score over calls",
        x_title: "calls of the generator",
        y_title: "score (0: random search, 1: optimum)",
        lines: &[
            Line { name: "the best so far, ± one standard error".to_owned(), points: best_points },
            Line { name: format!("mean of the best {most}"), points: mean_points },
        ],
        x_scale: AxisScale::Linear,
        floor: FLOOR,
    })
}

fn failures(view: &FamilyView) -> Result<String, FigureError> {
    if view.failed().next().is_none() {
        return Err(FigureError::Empty("nothing failed"));
    }
    let counted = after_calls(view).scan(0.0, |failed, (calls, one)| {
        *failed += f64::from(u8::from(one.fault.is_some()));
        Some((calls, *failed, (*failed, *failed)))
    });
    plot_lines(&LinesPlot {
        title: "Failures over calls",
        x_title: "calls of the generator",
        y_title: "candidates that failed",
        lines: &[Line { name: "failed so far".to_owned(), points: counted.collect() }],
        x_scale: AxisScale::Linear,
        floor: 0.0,
    })
}

fn tokens(view: &FamilyView) -> Result<String, FigureError> {
    if view.tokens().is_none() {
        return Err(FigureError::Empty("nobody counted tokens"));
    }
    let line = |name: &str, of: fn(&CandidateRecord) -> u64| {
        let points = after_calls(view).scan(0.0, |sum, (calls, one)| {
            *sum += of(one) as f64;
            Some((calls, *sum, (*sum, *sum)))
        });
        Line { name: name.to_owned(), points: points.collect() }
    };
    plot_lines(&LinesPlot {
        title: "Tokens over calls",
        x_title: "calls of the generator",
        y_title: "tokens",
        lines: &[
            line("read", |one| one.tokens.map_or(0, |tokens| tokens.read)),
            line("written", |one| one.tokens.map_or(0, |tokens| tokens.written)),
        ],
        x_scale: AxisScale::Linear,
        floor: 0.0,
    })
}
