//! Front of several objectives at the size of the study's answer. Each pair of objectives has a
//! panel with the tried configurations, the front and its staircase.

use records::{Figure, Front, FrontPoint, StudyRecord, StudyView, settings::Sense};

use super::{
    axis::Axis,
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, INK, Mark, SOFT, VERMILLION},
    series::SeriesStyle,
    thinned::{MOST_MARKS, thinned},
};
use crate::exporters::words::{at_size, trade_offs};

const WIDTH: f64 = 820.0;
/// Room for the labels of a panel: left, right, above and below its data.
const ROOM: (f64, f64, f64, f64) = (82.0, 18.0, 14.0, 52.0);
/// Height of the data in a single panel, and in one of several.
const HEIGHTS: (f64, f64) = (360.0, 230.0);

const TRIED: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(SOFT, 0.0), mark: Mark::Circle, radius: 2.4 };
const MEMBER: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(BLUE, 1.6), mark: Mark::Disc, radius: 4.2 };
const DEFAULT: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(VERMILLION, 0.0), mark: Mark::Triangle, radius: 5.0 };

/// Draws the front as SVG.
///
/// # Errors
/// If there is only one objective, or nothing satisfies the error bound.
pub fn front(record: &StudyRecord, view: &StudyView) -> Result<String, FigureError> {
    let front = view.answering_front(record);
    let front = front.ok_or(FigureError::Empty("there is no front of several objectives"))?;
    let point = view.sizes.iter().find(|point| point.size == front.size);
    let default = point.and_then(|point| values(&front, point.default()?));
    let pairs = pairs(front.objectives.len());
    let marks = MOST_MARKS / pairs.len().max(1);
    let sheet = Sheet { record, front: &front, default, marks };
    let columns = if pairs.len() == 1 { 1 } else { 2 };
    let rows = pairs.len().div_ceil(columns);
    let (left, right, above, below) = ROOM;
    let entries = sheet.entries();
    let top = 42.0 + legend::rows(&entries, WIDTH - left - right) as f64 * legend::ROW;
    let width = (WIDTH - right) / columns as f64 - left;
    let height = if columns == 1 { HEIGHTS.0 } else { HEIGHTS.1 };
    let bottom = top + rows as f64 * (above + height + below);
    let title = format!(
        "{} on {}: {} trade-offs{}",
        record.benchmark.name,
        record.device.name,
        front.members.len(),
        at_size(record, front.size)
    );
    draw((WIDTH, bottom + 26.0), &title, |canvas| {
        let words = font::fit(&title, TITLE, WIDTH - left - right);
        canvas.text((left, 22.0), &words, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 36.0), WIDTH - left - right, &entries);
        for (at, pair) in pairs.iter().enumerate() {
            let (row, column) = ((at / columns) as f64, (at % columns) as f64);
            let x = left + column * (width + left);
            let y = top + above + row * (above + height + below);
            let frame = Frame { left: x, top: y, right: x + width - 4.0, bottom: y + height };
            sheet.panel(canvas, frame, *pair);
        }
        let note = sheet.footnote();
        let note = font::fit(&note, TICK - 1.0, WIDTH - 40.0);
        let at = (WIDTH / 2.0, bottom + 10.0);
        canvas.text(at, &note, TICK - 1.0, SOFT, Anchor::Middle, Turn::Level);
    })
}

/// Returns all pairs of objectives. The earlier objective is on the x axis.
fn pairs(objectives: usize) -> Vec<(usize, usize)> {
    (0..objectives).flat_map(|x| (x + 1..objectives).map(move |y| (x, y))).collect()
}

/// Returns the values of the objectives in a `Figure`, if it has all of them.
fn values(front: &Front, figure: &Figure) -> Option<Vec<f64>> {
    front.objectives.iter().map(|objective| figure.value(&objective.metric)).collect()
}

struct Sheet<'a> {
    record: &'a StudyRecord,
    front: &'a Front,
    default: Option<Vec<f64>>,
    /// Most marks in a panel for what was tried.
    marks: usize,
}

impl Sheet<'_> {
    fn panel(&self, canvas: &mut Canvas<'_>, frame: Frame, (i, j): (usize, usize)) {
        let x = Axis::beside_zero(&self.shown(i), frame.across());
        let y = Axis::beside_zero(&self.shown(j), frame.upwards());
        let (x_gap, y_gap) = (72.0, 42.0);
        frame.grid(canvas, FrameSide::Bottom, &x, x_gap);
        frame.grid(canvas, FrameSide::Left, &y, y_gap);
        frame.border(canvas);
        let place = |values: &[f64]| (x.at(values[i]), y.at(values[j]));
        let tried = self.front.tried.iter().map(|tried| place(&tried.values));
        let tried: Vec<_> = tried.map(|(x, y)| (x, y, ())).collect();
        for (x, y, ()) in thinned(&tried, self.marks).into_iter().map(|at| tried[at]) {
            canvas.mark((x, y), TRIED.mark, TRIED.radius, TRIED.stroke.colour);
        }
        if let Some(default) = &self.default {
            canvas.mark(place(default), DEFAULT.mark, DEFAULT.radius, DEFAULT.stroke.colour);
        }
        canvas.line(&self.staircase(frame, (i, j), place), MEMBER.stroke);
        for member in &self.front.members {
            let (at_x, at_y) = place(&member.values);
            let (low, high) = member.seconds.interval;
            let bar = Stroke::solid(BLUE, 1.0);
            match [i, j].map(|at| self.front.objectives[at].metric == "seconds") {
                [true, _] => canvas.line(&[(x.at(low), at_y), (x.at(high), at_y)], bar),
                [_, true] => canvas.line(&[(at_x, y.at(low)), (at_x, y.at(high))], bar),
                _ => {}
            }
            canvas.mark((at_x, at_y), MEMBER.mark, MEMBER.radius, BLUE);
        }
        let (across, up) = (self.label(i), self.label(j));
        let (x_words, y_words) = (self.ticks(i), self.ticks(j));
        let across = font::fit(&across, LABEL, frame.right - frame.left);
        frame.axis(
            canvas,
            FrameSide::Bottom,
            &x,
            &Labels::of_numbers(&across, &x_words, x_gap, 36.0),
        );
        let up = font::fit(&up, LABEL, frame.bottom - frame.top);
        frame.axis(canvas, FrameSide::Left, &y, &Labels::of_numbers(&up, &y_words, y_gap, 66.0));
    }

    /// Returns the edge of the dominated area, from the worst value of the second objective to the
    /// worst value of the first.
    fn staircase(
        &self,
        frame: Frame,
        (i, j): (usize, usize),
        place: impl Fn(&[f64]) -> (f64, f64),
    ) -> Vec<(f64, f64)> {
        let senses = [i, j].map(|at| &self.front.objectives[at]);
        let costs: Vec<[f64; 2]> = self
            .front
            .members
            .iter()
            .map(|member| [senses[0].cost(member.values[i]), senses[1].cost(member.values[j])])
            .collect();
        let mut steps = math::front(&costs);
        steps.sort_by(|a, b| costs[*a][0].total_cmp(&costs[*b][0]));
        let mut path: Vec<(f64, f64)> = Vec::new();
        let mut height = match senses[1].sense {
            Sense::Minimise => frame.top,
            Sense::Maximise => frame.bottom,
        };
        for at in steps {
            let (x, y) = place(&self.front.members[at].values);
            path.extend([(x, height), (x, y)]);
            height = y;
        }
        let end = match senses[0].sense {
            Sense::Minimise => frame.right,
            Sense::Maximise => frame.left,
        };
        path.push((end, height));
        path
    }

    fn shown(&self, at: usize) -> Vec<f64> {
        let points = self.front.tried.iter().chain(&self.front.members);
        let default = self.default.iter().map(|values| values[at]);
        points.map(|point: &FrontPoint| point.values[at]).chain(default).collect()
    }

    fn label(&self, at: usize) -> String {
        let objective = &self.front.objectives[at];
        let better = match objective.sense {
            Sense::Minimise => "less is better",
            Sense::Maximise => "more is better",
        };
        format!("{}, {better}", trade_offs::axis(self.record, &objective.metric))
    }

    fn ticks(&self, at: usize) -> impl Fn(f64) -> String {
        let metric = &self.front.objectives[at].metric;
        move |value| trade_offs::tick(metric, value)
    }

    fn entries(&self) -> Vec<LegendEntry> {
        let mut entries = Vec::new();
        let mut add = |look: SeriesStyle, text: &str| {
            entries.push(LegendEntry { look, text: text.to_owned() })
        };
        add(MEMBER, "on the front");
        add(TRIED, "tried");
        if self.default.is_some() {
            add(DEFAULT, "default configuration");
        }
        entries
    }

    fn footnote(&self) -> String {
        let samples = match self.front.fresh {
            true => "the front rests on fresh samples and fresh inputs",
            false => "the size is not closed: the front rests on the samples of the search",
        };
        let mut parts = vec![samples.to_owned()];
        if self.front.objectives.iter().any(|objective| objective.metric == "seconds") {
            parts.push("bars: 95 % interval".to_owned());
        }
        if self.front.objectives.len() > 2 {
            parts.push("lines: the edge of two objectives alone".to_owned());
        }
        parts.join("  ·  ")
    }
}
