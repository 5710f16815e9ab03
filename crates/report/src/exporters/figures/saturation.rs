//! Saturation plot: best metric and run time over the sizes, with the knees, the level of the curve
//! and the device's ceiling.

use knees::Confidence;
use records::{Figure, KneeFinding, StudyRecord, StudyView};

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{AxisValues, Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, Dash, INK, KNEE_COLOUR, Mark, SOFT, VERMILLION},
    series::{PlotPoint, SeriesStyle, band, series},
};
use crate::{
    ceilings::{ceiling_curve, winner_share},
    exporters::words::{
        self,
        knee_answer::{KneeAnswer, whole},
        quantities::{count, grouped, seconds, si, significant},
    },
};

const SIZE: (f64, f64) = (820.0, 500.0);
const X_GAP: f64 = 56.0;
const Y_GAP: f64 = 42.0;
/// Pixels between notes below the plot.
const NOTE: f64 = 16.0;

/// A marked knee and its confidence.
type Marked<'a> = (&'a KneeFinding, Option<Confidence>);

/// Scales of the axes. Of run time and metric, the linear one is on the left; the metric if both are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scales {
    /// Scale of the sizes.
    pub size: AxisScale,
    /// Scale of the run time.
    pub time: AxisScale,
    /// Scale of the metric.
    pub metric: AxisScale,
}

impl Default for Scales {
    fn default() -> Self {
        Self { size: AxisScale::Log, time: AxisScale::Log, metric: AxisScale::Linear }
    }
}

impl Scales {
    /// As in the thesis on Autobench: run time linear, the metric logarithmic.
    pub const LINEAR_TIME: Self =
        Self { size: AxisScale::Log, time: AxisScale::Linear, metric: AxisScale::Log };

    /// The sides of metric and run time.
    fn sides(self) -> (FrameSide, FrameSide) {
        match (self.metric, self.time) {
            (AxisScale::Log, AxisScale::Linear) => (FrameSide::Right, FrameSide::Left),
            _ => (FrameSide::Left, FrameSide::Right),
        }
    }
}

const METRIC: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(BLUE, 2.0), mark: Mark::Disc, radius: 4.0 };
const TIME: SeriesStyle = SeriesStyle {
    stroke: Stroke::new(VERMILLION, 1.6, Dash::Long),
    mark: Mark::Square,
    radius: 3.8,
};
const DEFAULT: SeriesStyle =
    SeriesStyle { stroke: Stroke::new(SOFT, 1.3, Dash::Dotted), mark: Mark::Triangle, radius: 3.6 };
const CEILING: SeriesStyle =
    SeriesStyle { stroke: Stroke::new(INK, 1.2, Dash::Chain), mark: Mark::None, radius: 0.0 };
const LEVEL: SeriesStyle = SeriesStyle {
    stroke: Stroke::new(KNEE_COLOUR, 1.2, Dash::Short),
    mark: Mark::None,
    radius: 0.0,
};
/// Ceilings and intervals above this many times the best value would squeeze the data into a corner.
const FAR: f64 = 2.5;

/// What bounds the curve from above.
struct Bounds {
    /// The level that the curve reaches.
    level: Option<f64>,
    /// The ceiling at each size, and its name; empty if none is known.
    ceiling: (Vec<PlotPoint>, String),
    /// Whether the ceiling is near enough to be drawn.
    near: bool,
}

impl Bounds {
    fn of(record: &StudyRecord, view: &StudyView) -> Self {
        let level = KneeAnswer::of(record, view).and_then(|a| words::knee::level(&a, view));
        let at = |x: u64, y: f64| PlotPoint { x: x as f64, y, interval: None, band: None };
        let measured = ceiling_curve(record, view);
        let ceiling = match (measured.is_empty(), record.limit()) {
            (false, _) => {
                let name = winner_share(view).map(|share| words::ceilings::roof(&share.roof));
                let name = name.map_or("ceiling".to_owned(), |name| format!("ceiling: {name}"));
                (measured.into_iter().map(|(size, value)| at(size, value)).collect(), name)
            }
            (true, Some((limit, what))) => {
                let unit = &record.benchmark.secondary.unit;
                let points = view.measured().map(|(point, _)| at(point.size, limit)).collect();
                (points, format!("{what}: {} {unit}", significant(limit, 4)))
            }
            (true, None) => (Vec::new(), String::new()),
        };
        let best = view.best_metric().unwrap_or(0.0);
        let lowest = ceiling.0.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
        Self { level, near: lowest <= FAR * best, ceiling }
    }

    /// The ceiling's points, if they are drawn.
    fn shown(&self) -> &[PlotPoint] {
        if self.near { &self.ceiling.0 } else { &[] }
    }
}

/// The curves, and the points of the metric whose time is unsettled.
struct Curves {
    metric: Vec<PlotPoint>,
    unsettled: Vec<PlotPoint>,
    time: Vec<PlotPoint>,
    default: Vec<PlotPoint>,
}

impl Curves {
    fn of(view: &StudyView) -> Self {
        let best = || view.measured().map(|(point, figure)| (point.size as f64, figure));
        let default = view.sizes.iter().filter_map(|p| Some((p.size as f64, p.default()?)));
        Self {
            metric: best().filter_map(metric_point).collect(),
            unsettled: best().filter(|(_, f)| f.unsettled).filter_map(metric_point).collect(),
            time: best().map(time_point).collect(),
            default: default.filter_map(metric_point).collect(),
        }
    }
}

fn metric_point((x, figure): (f64, &Figure)) -> Option<PlotPoint> {
    let metric = figure.metric.as_ref()?;
    let sorted = math::sorted(&metric.samples);
    let band =
        (sorted.len() >= 5).then(|| (math::quantile(&sorted, 0.05), math::quantile(&sorted, 0.95)));
    Some(PlotPoint { x, y: metric.value, interval: Some(metric.interval), band })
}

fn time_point((x, figure): (f64, &Figure)) -> PlotPoint {
    let time = &figure.seconds;
    PlotPoint { x, y: time.median, interval: Some(time.interval), band: None }
}

/// Draws the saturation plot as SVG.
///
/// # Errors
/// If no size was measured.
pub fn saturation(
    record: &StudyRecord,
    view: &StudyView,
    scales: Scales,
) -> Result<String, FigureError> {
    let curves = Curves::of(view);
    if curves.time.is_empty() {
        return Err(FigureError::Empty("no size has a measured configuration"));
    }
    let benchmark = &record.benchmark;
    let title = format!("{} on {}", benchmark.name, record.device.name);
    let bounds = Bounds::of(record, view);
    let entries = entries(record, view, &curves, &bounds);
    let (left, right) = (78.0, SIZE.0 - 82.0);
    let top = 40.0 + legend::rows(&entries, right - left) as f64 * legend::ROW + 24.0;
    let frame = Frame { left, top, right, bottom: SIZE.1 - 70.0 };
    let notes: Vec<String> =
        note(record, view).into_iter().chain([footnote(record, view)]).collect();
    let height = SIZE.1 + NOTE * (notes.len() - 1) as f64;
    draw((SIZE.0, height), &title, |canvas| {
        let words = font::fit(&title, TITLE, right - left);
        canvas.text((left, 22.0), &words, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 38.0), right - left, &entries);
        plot(canvas, frame, (record, view), (&curves, &bounds), scales);
        for (row, note) in notes.iter().enumerate() {
            let note = font::fit(note, TICK - 1.0, SIZE.0 - 40.0);
            let at = (SIZE.0 / 2.0, SIZE.1 - 14.0 + NOTE * row as f64);
            canvas.text(at, &note, TICK - 1.0, SOFT, Anchor::Middle, Turn::Level);
        }
    })
}

fn plot(
    canvas: &mut Canvas<'_>,
    frame: Frame,
    (record, view): (&StudyRecord, &StudyView),
    (curves, bounds): (&Curves, &Bounds),
    scales: Scales,
) {
    let knees = knees(record, view);
    let x = Axis::over(curves.time.iter().map(|p| p.x), scales.size, Margin::Both, frame.across());
    let metrics: Vec<PlotPoint> = curves.metric.iter().chain(&curves.default).copied().collect();
    let values = reach(&metrics).into_iter().chain(bounds.shown().iter().map(|p| p.y));
    let y = Axis::over(values, scales.metric, Margin::FromZero, frame.upwards());
    let times = reach(&curves.time);
    let t = Axis::over(times, scales.time, Margin::FromZero, frame.upwards());

    if let Some((finding, _)) = knees.first()
        && let Some((low, high)) = finding.interval
    {
        let (low, high) = (x.at(low), x.at(high));
        let colour = Stroke::knee(&finding.detector).colour;
        canvas.area(low, frame.top, high.max(low + 1.0), frame.bottom, colour, 0.13);
    }
    frame.grid(canvas, FrameSide::Bottom, &x, X_GAP);
    let (side_of_metric, side_of_time) = scales.sides();
    let left = if side_of_metric == FrameSide::Left { &y } else { &t };
    frame.grid(canvas, FrameSide::Left, left, Y_GAP);
    frame.border(canvas);
    band(canvas, &x, &y, &curves.metric, METRIC);
    series(canvas, &x, &y, bounds.shown(), CEILING);
    if let Some(level) = bounds.level.filter(|level| y.shows(*level)) {
        let at = y.at(level);
        canvas.line(&[(frame.left, at), (frame.right, at)], LEVEL.stroke);
    }
    mark_knees(canvas, frame, &x, &knees);
    series(canvas, &x, &t, &curves.time, TIME);
    series(canvas, &x, &y, &curves.default, DEFAULT);
    series(canvas, &x, &y, &curves.metric, METRIC);
    for point in &curves.unsettled {
        canvas.mark((x.at(point.x), y.at(point.y)), Mark::Circle, METRIC.radius, BLUE);
    }

    let size = named_size(record);
    let axis = |title, colour, words, gap, distance| Labels {
        title,
        colour,
        words,
        gap,
        values: AxisValues::Numbers,
        distance,
    };
    frame.axis(canvas, FrameSide::Bottom, &x, &axis(&size, INK, &si, X_GAP, 37.0));
    let metric = named_metric(record);
    frame.axis(canvas, side_of_metric, &y, &axis(&metric, BLUE, &count, Y_GAP, 56.0));
    frame.axis(canvas, side_of_time, &t, &axis("run time", VERMILLION, &seconds, Y_GAP, 66.0));
}

/// Returns the values that an axis must show. Of intervals far wider than the curve it shows only a
/// part.
fn reach(points: &[PlotPoint]) -> Vec<f64> {
    let ys = || points.iter().map(|point| point.y);
    let (low, high) = (ys().fold(f64::INFINITY, f64::min), ys().fold(0.0, f64::max));
    let ends = |point: &PlotPoint| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [point.y, low, high, point.band.map_or(point.y, |band| band.1)]
    };
    let within = |value: f64| value.max(low / FAR).min(high * FAR);
    points.iter().flat_map(ends).map(within).collect()
}

/// Draws a line at each knee, and its size above the line if there is room.
fn mark_knees(canvas: &mut Canvas<'_>, frame: Frame, x: &Axis, knees: &[Marked<'_>]) {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for (finding, confidence) in knees {
        let Some(knee) = finding.knee else { continue };
        if !x.shows(knee) {
            continue;
        }
        let at = x.at(knee);
        let stroke = Stroke::knee(&finding.detector);
        canvas.line(&[(at, frame.top - 4.0), (at, frame.bottom)], stroke);
        let trust = confidence.map_or_else(String::new, |c| format!(", {}", c.word()));
        let words = format!("knee {}{trust}", whole(knee));
        let half = font::width(&words, LABEL) / 2.0;
        let middle = at.clamp(frame.left + half, frame.right - half);
        let (from, to) = (middle - half - 8.0, middle + half + 8.0);
        if taken.iter().all(|(l, r)| to < *l || from > *r) {
            taken.push((from, to));
            let point = (middle, frame.top - 13.0);
            canvas.text(point, &words, LABEL, INK, Anchor::Middle, Turn::Level);
        }
    }
}

/// Returns the knees of the study's answer with their confidence.
fn knees<'a>(record: &StudyRecord, view: &'a StudyView) -> Vec<Marked<'a>> {
    let Some(answer) = KneeAnswer::of(record, view) else { return Vec::new() };
    let own = |finding: &KneeFinding| answer.finding == Some(finding);
    answer
        .drawn()
        .into_iter()
        .map(|finding| match own(finding) {
            true => (finding, answer.confidence),
            false => (finding, Confidence::named(&finding.confidence)),
        })
        .collect()
}

/// The note below the plot: what speaks against the knee, or why there is none.
fn note(record: &StudyRecord, view: &StudyView) -> Option<String> {
    let answer = KneeAnswer::of(record, view)?;
    match answer.knee {
        Some(size) => {
            words::knee::doubt(&answer).map(|doubt| format!("knee {} is {doubt}", grouped(size)))
        }
        None => Some(format!("no knee: {}", answer.why)),
    }
}

pub(super) fn named_size(record: &StudyRecord) -> String {
    match record.benchmark.size_meaning.as_str() {
        "" => "problem size".to_owned(),
        meaning => format!("problem size ({meaning})"),
    }
}

pub(super) fn named_metric(record: &StudyRecord) -> String {
    let metric = &record.benchmark.secondary;
    match metric.unit.as_str() {
        "" => metric.name.clone(),
        unit => format!("{} ({unit})", metric.name),
    }
}

fn entries(
    record: &StudyRecord,
    view: &StudyView,
    curves: &Curves,
    bounds: &Bounds,
) -> Vec<LegendEntry> {
    let mut entries = Vec::new();
    let mut add = |look: SeriesStyle, text: String| entries.push(LegendEntry { look, text });
    let metric = &record.benchmark.secondary;
    if !curves.metric.is_empty() {
        add(METRIC, format!("{}, best configuration", metric.name));
    }
    add(TIME, "run time".to_owned());
    if !curves.default.is_empty() {
        add(DEFAULT, format!("{}, default configuration", metric.name));
    }
    if let Some(level) = bounds.level {
        add(LEVEL, format!("level: {} {}", significant(level, 4), metric.unit));
    }
    let (points, name) = &bounds.ceiling;
    if !points.is_empty() {
        let off = if bounds.near { "" } else { " (off the scale)" };
        add(CEILING, format!("{name}{off}"));
    }
    for (finding, confidence) in knees(record, view) {
        let stroke = Stroke::knee(&finding.detector);
        let text = words::knee::legend(finding, confidence);
        add(SeriesStyle { stroke, mark: Mark::None, radius: 0.0 }, text);
    }
    entries
}

fn footnote(record: &StudyRecord, view: &StudyView) -> String {
    let mut parts = vec!["bars: 95 % interval".to_owned()];
    if view.measured().any(|(_, f)| f.metric.as_ref().is_some_and(|m| m.samples.len() >= 5)) {
        parts.push("band: 5 to 95 % of the samples".to_owned());
    }
    if view.measured().any(|(_, f)| f.unsettled && f.metric.is_some()) {
        parts.push("open discs: unsettled".to_owned());
    }
    parts.push(words::conditions::footnote(record, view));
    parts.join("  ·  ")
}
