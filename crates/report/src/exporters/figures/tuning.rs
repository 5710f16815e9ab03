//! Tuning plot: each evaluation of the search and the best so far, one panel per size.

use records::{Phase, Status, StudyRecord, StudyView, Trial, settings::Sense};

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{AxisValues, Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, GREEN, INK, Mark, ORANGE, PURPLE, SKY, SOFT, VERMILLION},
    series::SeriesStyle,
    thinned::{MOST_MARKS, thinned},
};
use crate::exporters::words::quantities::{count, significant};

const WIDTH: f64 = 820.0;

/// Trials worse than this multiple of the best are drawn at the upper edge.
const HIGHEST: f64 = 100.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TrialKind {
    Measured,
    Imprecise,
    Inaccurate,
    Invalid,
    CompileFailed,
    RunFailed,
    WrongResult,
    TimedOut,
    Crashed,
}

impl TrialKind {
    fn look(self) -> (SeriesStyle, &'static str) {
        let (colour, mark, words) = match self {
            Self::Measured => (BLUE, Mark::Disc, "measured"),
            Self::Imprecise => (SKY, Mark::Circle, "stopped early"),
            Self::Inaccurate => (ORANGE, Mark::Diamond, "above the error bound"),
            Self::Invalid => (SOFT, Mark::Bar, "invalid"),
            Self::CompileFailed => (VERMILLION, Mark::Cross, "compile failed"),
            Self::RunFailed => (VERMILLION, Mark::Plus, "run failed"),
            Self::WrongResult => (PURPLE, Mark::Diamond, "wrong result"),
            Self::TimedOut => (GREEN, Mark::Triangle, "timed out"),
            Self::Crashed => (INK, Mark::Square, "crashed"),
        };
        (SeriesStyle { stroke: Stroke::solid(colour, 0.0), mark, radius: 3.4 }, words)
    }
}

const BEST: Stroke = Stroke::solid(INK, 1.4);

/// One evaluation: its number within its size and, if it ran, its value as a multiple of the best.
struct Dot {
    number: f64,
    kind: TrialKind,
    ratio: Option<f64>,
}

struct Panel {
    /// `None` if the study's sizes are no numbers.
    size: Option<u64>,
    dots: Vec<Dot>,
}

/// Draws the tuning plot as SVG.
///
/// # Errors
/// If there are no trials.
pub fn tuning(record: &StudyRecord, view: &StudyView) -> Result<String, FigureError> {
    let panels = panels(record, view);
    if panels.is_empty() {
        return Err(FigureError::Empty("no configuration was tried"));
    }
    let entries = entries(&panels);
    let columns = match panels.len() {
        1 => 1,
        2..=4 => 2,
        5..=9 => 3,
        _ => 4,
    };
    let rows = panels.len().div_ceil(columns);
    let (left, right) = (74.0, WIDTH - 20.0);
    let top = 44.0 + legend::rows(&entries, right - left) as f64 * legend::ROW;
    let gap = (16.0, 30.0);
    let width = (right - left - gap.0 * (columns - 1) as f64) / columns as f64;
    let height = if columns == 1 { 300.0 } else { 120.0 };
    let bottom = top + rows as f64 * (height + gap.1);
    let title = format!(
        "{} on {}: search by strategy `{}`",
        record.benchmark.name, record.device.name, record.settings.strategy
    );
    let ratios = panels.iter().flat_map(|p| p.dots.iter().filter_map(|d| d.ratio));
    // Far outliers would flatten the rest, so they are drawn at the upper edge.
    let farthest = ratios.fold(1.5_f64, f64::max);
    let highest = farthest.min(HIGHEST);
    let most = panels.iter().map(|p| p.dots.len()).max().unwrap_or(1) as f64;
    let marks = MOST_MARKS / panels.len();
    draw((WIDTH, bottom + 44.0), &title, |canvas| {
        let words = font::fit(&title, TITLE, right - left);
        canvas.text((left, 22.0), &words, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 36.0), right - left, &entries);
        for (at, panel) in panels.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            let x = left + column as f64 * (width + gap.0);
            let y = top + row as f64 * (height + gap.1) + 20.0;
            let frame = Frame { left: x, top: y, right: x + width, bottom: y + height - 6.0 };
            let last = at + columns >= panels.len();
            draw_panel(canvas, frame, panel, (highest, most, marks), (column == 0, last));
        }
        let x_title = "evaluation within the size";
        let at = ((left + right) / 2.0, bottom + 28.0);
        canvas.text(at, x_title, LABEL, INK, Anchor::Middle, Turn::Level);
        let y_title = match record.objective() {
            "seconds" => "run time relative to the best".to_owned(),
            metric => format!("{metric}, times worse than the best"),
        };
        let capped =
            if farthest > HIGHEST { format!(", capped at {HIGHEST}×") } else { String::new() };
        let y_title = y_title + &capped;
        let at = (22.0, (top + bottom) / 2.0);
        canvas.text(at, &y_title, LABEL, INK, Anchor::Middle, Turn::Upwards);
    })
}

fn draw_panel(
    canvas: &mut Canvas<'_>,
    frame: Frame,
    panel: &Panel,
    (highest, most, marks): (f64, f64, usize),
    (labelled_left, labelled_bottom): (bool, bool),
) {
    // Failures have no time, so they are drawn in a strip above the data.
    let strip = frame.top + 12.0;
    let x = Axis::over([1.0, most.max(2.0)], AxisScale::Linear, Margin::Both, frame.across());
    let y = Axis::over([1.0, highest], AxisScale::Log, Margin::Both, (frame.bottom, strip + 6.0));
    let (x_gap, y_gap) = (44.0, 26.0);
    frame.grid(canvas, FrameSide::Left, &y, y_gap);
    canvas.area(frame.left, frame.top, frame.right, strip, SOFT, 0.08);
    frame.border(canvas);
    let size = panel.size.map_or(String::new(), |size| format!("size {}", count(size as f64)));
    let at = (frame.left, frame.top - 9.0);
    canvas.text(at, &size, TICK, INK, Anchor::Start, Turn::Level);

    let mut best = f64::INFINITY;
    let mut path = Vec::new();
    for dot in &panel.dots {
        let ratio = dot.ratio.filter(|_| dot.kind <= TrialKind::Imprecise).unwrap_or(f64::INFINITY);
        if ratio < best {
            if best.is_finite() {
                path.push((x.at(dot.number), y.at(best)));
            }
            best = ratio;
            path.push((x.at(dot.number), y.at(best)));
        }
    }
    if let Some(last) = panel.dots.last().filter(|_| best.is_finite()) {
        path.push((x.at(last.number), y.at(best)));
    }
    let place = |dot: &Dot| {
        let height = dot.ratio.map_or((frame.top + strip) / 2.0, |ratio| y.at(ratio));
        (x.at(dot.number), height, dot.kind)
    };
    let places: Vec<_> = panel.dots.iter().map(place).collect();
    for (x, y, kind) in thinned(&places, marks).into_iter().map(|at| places[at]) {
        let (look, _) = kind.look();
        canvas.mark((x, y), look.mark, look.radius, look.stroke.colour);
    }
    canvas.line(&path, BEST);
    let none = |_: f64| String::new();
    let times = |v: f64| format!("{}×", significant(v, 3));
    let whole = |v: f64| significant(v, 6);
    let left: &dyn Fn(f64) -> String = if labelled_left { &times } else { &none };
    let bottom: &dyn Fn(f64) -> String = if labelled_bottom { &whole } else { &none };
    let labels =
        |words, gap, values| Labels { title: "", colour: INK, words, gap, values, distance: 0.0 };
    frame.axis(canvas, FrameSide::Left, &y, &labels(left, y_gap, AxisValues::Numbers));
    frame.axis(canvas, FrameSide::Bottom, &x, &labels(bottom, x_gap, AxisValues::Counts));
}

fn entries(panels: &[Panel]) -> Vec<LegendEntry> {
    let mut kinds: Vec<TrialKind> =
        panels.iter().flat_map(|p| p.dots.iter().map(|d| d.kind)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let best = SeriesStyle { stroke: BEST, mark: Mark::None, radius: 0.0 };
    let mut entries = vec![LegendEntry { look: best, text: "best so far".to_owned() }];
    entries.extend(kinds.into_iter().map(|kind| {
        let (look, words) = kind.look();
        LegendEntry { look, text: words.to_owned() }
    }));
    entries
}

fn panels(record: &StudyRecord, view: &StudyView) -> Vec<Panel> {
    let searched = |size: u64| {
        let all = view.trials.iter().map(|row| &row.event.trial);
        all.filter(move |trial| trial.size == size && trial.phase == Phase::Search)
    };
    let mut panels = Vec::new();
    for point in &view.sizes {
        let values: Vec<Option<f64>> =
            searched(point.size).map(|trial| objective(record, trial)).collect();
        let kinds: Vec<TrialKind> = searched(point.size).map(|trial| kind(record, trial)).collect();
        let good = values.iter().zip(&kinds).filter(|(_, kind)| **kind <= TrialKind::Imprecise);
        let good = good.filter_map(|(value, _)| *value);
        let best = match record.settings.objective.sense {
            Sense::Minimise => good.reduce(f64::min),
            Sense::Maximise => good.reduce(f64::max),
        };
        let dots = values.into_iter().zip(kinds).enumerate().map(|(at, (value, kind))| Dot {
            number: at as f64 + 1.0,
            kind,
            ratio: value.zip(best).map(|(value, best)| match record.settings.objective.sense {
                Sense::Minimise => value / best,
                Sense::Maximise => best / value,
            }),
        });
        let dots: Vec<Dot> = dots.collect();
        if !dots.is_empty() {
            panels.push(Panel { size: record.size(point.size), dots });
        }
    }
    panels
}

/// Returns the value that the search compares, if it is positive.
fn objective(record: &StudyRecord, trial: &Trial) -> Option<f64> {
    let measurement = trial.outcome.measurement.as_ref()?;
    let value = match record.objective() {
        "seconds" => measurement.seconds.median,
        metric => measurement.value(metric)?,
    };
    (value.is_finite() && value > 0.0).then_some(value)
}

fn kind(record: &StudyRecord, trial: &Trial) -> TrialKind {
    let bounds = record.bounds();
    match (trial.outcome.status, &trial.outcome.measurement) {
        (Status::Measured, Some(m)) if !bounds.hold(|metric| m.value(metric)) => {
            TrialKind::Inaccurate
        }
        (Status::Measured, Some(m)) if m.exit == records::Exit::Hopeless => TrialKind::Imprecise,
        (Status::Measured, _) => TrialKind::Measured,
        (Status::Invalid, _) => TrialKind::Invalid,
        (Status::CompileFailed, _) => TrialKind::CompileFailed,
        (Status::RunFailed, _) => TrialKind::RunFailed,
        (Status::WrongResult, _) => TrialKind::WrongResult,
        (Status::TimedOut, _) => TrialKind::TimedOut,
        (Status::Crashed, _) => TrialKind::Crashed,
    }
}
