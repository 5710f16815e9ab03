//! Speed over accuracy: speed-up over the best configuration in full precision, memory and energy,
//! all over the error. Also shows the front, and lines where all formats are the same.

use records::{PrecisionGains, PrecisionPoint, StudyRecord};
use space::accuracy::Element;

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, Dash, GREEN, INK, Mark, SOFT},
    series::SeriesStyle,
    thinned::{MOST_MARKS, thinned},
};
use crate::exporters::words::{at_size, quantities::significant, trade_offs};

const WIDTH: f64 = 820.0;
/// Room left, right, above and below a panel's data.
const ROOM: (f64, f64, f64, f64) = (82.0, 20.0, 26.0, 52.0);
/// Height of a row of names above a panel.
const NAME: f64 = 13.0;
/// Height of the first panel's data, and of each further one.
const HEIGHTS: (f64, f64) = (330.0, 190.0);

const TRIED: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(SOFT, 0.0), mark: Mark::Circle, radius: 2.2 };
const MEMBER: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(BLUE, 1.6), mark: Mark::Disc, radius: 4.0 };
const UNIFORM: Stroke = Stroke::new(GREEN, 1.2, Dash::Long);

/// Reads the value that a panel shows of a point.
type Read = fn(&PrecisionPoint) -> Option<f64>;

/// Title of a panel's axis, its value, and whether the points of the front are joined.
type Panel = (&'static str, Read, bool);

const PANELS: [Panel; 3] = [
    ("speed-up over full precision", |point| Some(point.gain), true),
    ("footprint (MB)", |point| Some(point.footprint? / 1e6), false),
    ("energy (J)", |point| point.energy, false),
];

/// Draws speed over accuracy as SVG.
///
/// # Errors
/// If no configuration has an error.
pub fn precision(record: &StudyRecord, gains: &PrecisionGains) -> Result<String, FigureError> {
    let sheet = Sheet { record, gains };
    let panels: Vec<Panel> = PANELS.into_iter().filter(|panel| sheet.varies(panel.1)).collect();
    if panels.is_empty() {
        return Err(FigureError::Empty("no configuration has an error"));
    }
    let (left, right, above, below) = ROOM;
    // Every panel has the same axis of errors, and so the same names above it.
    let errors: Vec<f64> = gains.points.iter().map(|point| point.error).collect();
    let names = sheet.names(&Axis::beside_zero(&errors, (left, WIDTH - right)));
    let above = above + NAME * names.iter().map(|name| name.0).max().unwrap_or(0) as f64;
    let entries = entries();
    let top = 42.0 + legend::rows(&entries, WIDTH - left - right) as f64 * legend::ROW;
    let height = |at: usize| if at == 0 { HEIGHTS.0 } else { HEIGHTS.1 };
    let bottom = (0..panels.len()).fold(top, |y, at| y + above + height(at) + below);
    let (members, mixed) = gains.on_front();
    let title = format!(
        "{} on {}{}: {members} on the front, {mixed} of them mixed",
        record.benchmark.name,
        record.device.name,
        at_size(record, gains.size)
    );
    draw((WIDTH, bottom + 8.0), &title, |canvas| {
        let words = font::fit(&title, TITLE, WIDTH - left - right);
        canvas.text((left, 22.0), &words, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 36.0), WIDTH - left - right, &entries);
        let mut y = top;
        for (at, panel) in panels.iter().enumerate() {
            let frame = Frame {
                left,
                top: y + above,
                right: WIDTH - right,
                bottom: y + above + height(at),
            };
            sheet.panel(canvas, frame, panel);
            y += above + height(at) + below;
        }
    })
}

fn entries() -> Vec<LegendEntry> {
    let uniform = SeriesStyle { stroke: UNIFORM, mark: Mark::None, radius: 0.0 };
    let entry = |look, text: &str| LegendEntry { look, text: text.to_owned() };
    vec![
        entry(MEMBER, "on the front of speed and error"),
        entry(TRIED, "tried"),
        entry(uniform, "all formats the same"),
    ]
}

struct Sheet<'a> {
    record: &'a StudyRecord,
    gains: &'a PrecisionGains,
}

impl Sheet<'_> {
    fn values(&self, read: Read) -> impl Iterator<Item = f64> + use<'_> {
        self.gains.points.iter().filter_map(read)
    }

    /// Whether a panel has more than one value to show.
    fn varies(&self, read: Read) -> bool {
        let first = self.values(read).next();
        first.is_some_and(|first| self.values(read).any(|value| (value - first).abs() > 0.0))
    }

    /// Names of the formats above a panel, each with its row and position. A name that would overlap
    /// another is put into the row above it.
    fn names(&self, x: &Axis) -> Vec<(usize, f64, &'static str)> {
        let mut taken: Vec<(usize, f64, f64)> = Vec::new();
        let place = |(element, error): (Element, f64)| {
            let (name, at) = (element.name(), x.at(error));
            let half = font::width(name, TICK) / 2.0 + 2.0;
            let (from, to) = (at - half, at + half);
            let free = |row: &usize| taken.iter().all(|(r, l, h)| r != row || to < *l || from > *h);
            let row = (0..).find(free).unwrap_or(0);
            taken.push((row, from, to));
            (row, at, name)
        };
        self.gains.uniform().into_iter().map(place).collect()
    }

    fn panel(&self, canvas: &mut Canvas<'_>, frame: Frame, (title, read, joined): &Panel) {
        let errors: Vec<f64> = self.gains.points.iter().map(|point| point.error).collect();
        let x = Axis::beside_zero(&errors, frame.across());
        let y = Axis::over(self.values(*read), AxisScale::Log, Margin::Both, frame.upwards());
        let (x_gap, y_gap) = (64.0, 40.0);
        frame.grid(canvas, FrameSide::Bottom, &x, x_gap);
        frame.grid(canvas, FrameSide::Left, &y, y_gap);
        frame.border(canvas);
        for (_, error) in self.gains.uniform() {
            let at = x.at(error);
            canvas.line(&[(at, frame.top), (at, frame.bottom)], UNIFORM);
        }
        for (row, at, name) in self.names(&x) {
            let place = (at, frame.top - 9.0 - NAME * row as f64);
            canvas.text(place, name, TICK, GREEN, Anchor::Middle, Turn::Level);
        }
        let place = |point: &PrecisionPoint| Some((x.at(point.error), y.at(read(point)?)));
        let (front, others): (Vec<&PrecisionPoint>, Vec<_>) =
            self.gains.points.iter().partition(|point| point.on_front);
        let others = others.into_iter().filter_map(place).map(|(x, y)| (x, y, ()));
        let others: Vec<_> = others.collect();
        for (x, y, ()) in thinned(&others, MOST_MARKS / 2).into_iter().map(|at| others[at]) {
            canvas.mark((x, y), TRIED.mark, TRIED.radius, TRIED.stroke.colour);
        }
        let front: Vec<(f64, f64)> = front.into_iter().filter_map(place).collect();
        if *joined {
            let mut path: Vec<(f64, f64)> = Vec::new();
            for (at_x, at_y) in &front {
                let height = path.last().map_or(frame.bottom, |last| last.1);
                path.extend([(*at_x, height), (*at_x, *at_y)]);
            }
            path.extend(path.last().map(|last| (frame.right, last.1)));
            canvas.line(&path, MEMBER.stroke);
        }
        for at in front {
            canvas.mark(at, MEMBER.mark, MEMBER.radius, BLUE);
        }
        let metric = &self.record.benchmark.error.0;
        let across =
            if metric.is_empty() { "error".to_owned() } else { format!("error ({metric})") };
        let words = |value: f64| significant(value, 3);
        let errors = |value: f64| trade_offs::tick("error", value);
        frame.axis(
            canvas,
            FrameSide::Bottom,
            &x,
            &Labels::of_numbers(&across, &errors, x_gap, 36.0),
        );
        let up = font::fit(title, LABEL, frame.bottom - frame.top);
        frame.axis(canvas, FrameSide::Left, &y, &Labels::of_numbers(&up, &words, y_gap, 66.0));
    }
}
