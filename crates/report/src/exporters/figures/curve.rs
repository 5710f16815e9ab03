//! Plot of a curve with the knees that detectors found.

use knees::Confidence;

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, INK, Mark},
    series::{PlotPoint, SeriesStyle, series},
};
use crate::exporters::words::{
    self,
    quantities::{count, si},
};

const SIZE: (f64, f64) = (760.0, 460.0);

/// A curve to draw.
#[derive(Debug, Clone)]
pub struct CurvePlot<'a> {
    /// The title.
    pub title: &'a str,
    /// Title of the x axis, with the unit.
    pub x_title: &'a str,
    /// Title of the y axis, with the unit.
    pub y_title: &'a str,
    /// Points, sorted by x.
    pub points: &'a [(f64, f64)],
    /// Standard deviation of each y, relative to y, if known.
    pub spread: Option<&'a [f64]>,
    /// What the detectors found.
    pub knees: &'a [records::KneeFinding],
    /// Scale of the x axis.
    pub x_scale: AxisScale,
    /// Scale of the y axis.
    pub y_scale: AxisScale,
}

const LOOK: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(BLUE, 2.0), mark: Mark::Disc, radius: 3.6 };

/// Draws a curve with its knees as SVG.
///
/// # Errors
/// If there are no points.
pub fn plot_curve(plot: &CurvePlot<'_>) -> Result<String, FigureError> {
    if plot.points.is_empty() {
        return Err(FigureError::Empty("the curve has no points"));
    }
    let spread = |at: usize| plot.spread.and_then(|s| s.get(at).copied());
    let points: Vec<PlotPoint> = plot
        .points
        .iter()
        .enumerate()
        .map(|(at, &(x, y))| {
            let interval = spread(at).map(|s| (y - 1.96 * s * y.abs(), y + 1.96 * s * y.abs()));
            PlotPoint { x, y, interval, band: None }
        })
        .collect();
    // Marks on so many points would overlap.
    let look = if points.len() > 200 { SeriesStyle { mark: Mark::None, ..LOOK } } else { LOOK };
    let entries = entries(plot, look);
    let (left, right) = (82.0, SIZE.0 - 28.0);
    let top = 42.0 + legend::rows(&entries, right - left) as f64 * legend::ROW;
    let frame = Frame { left, top: top + 8.0, right, bottom: SIZE.1 - 54.0 };
    draw(SIZE, plot.title, |canvas| {
        let title = font::fit(plot.title, TITLE, right - left);
        canvas.text((left, 22.0), &title, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 38.0), right - left, &entries);
        let reach =
            |p: &PlotPoint| [p.y, p.interval.map_or(p.y, |i| i.0), p.interval.map_or(p.y, |i| i.1)];
        let xs = points.iter().map(|p| p.x);
        let x = Axis::over(xs, plot.x_scale, Margin::Both, frame.across());
        let ys = points.iter().flat_map(reach);
        let y = Axis::over(ys, plot.y_scale, Margin::FromZero, frame.upwards());
        let deciding = plot.knees.iter().find(|k| k.knee.is_some());
        if let Some((finding, (low, high))) = deciding.and_then(|k| Some((k, k.interval?))) {
            let (low, high) = (x.at(low), x.at(high));
            let colour = Stroke::knee(&finding.detector).colour;
            canvas.area(low, frame.top, high.max(low + 1.0), frame.bottom, colour, 0.13);
        }
        frame.grid(canvas, FrameSide::Bottom, &x, 56.0);
        frame.grid(canvas, FrameSide::Left, &y, 42.0);
        frame.border(canvas);
        for (number, finding) in plot.knees.iter().enumerate() {
            let Some(knee) = finding.knee.filter(|knee| x.shows(*knee)) else { continue };
            // Lines of the same knee stand side by side.
            let same = plot.knees[..number].iter().filter(|other| other.knee == finding.knee);
            let at = x.at(knee) + 3.0 * same.count() as f64;
            let ends = [(at, frame.top), (at, frame.bottom)];
            canvas.line(&ends, Stroke::knee(&finding.detector));
        }
        series(canvas, &x, &y, &points, look);
        frame.axis(
            canvas,
            FrameSide::Bottom,
            &x,
            &Labels::of_numbers(plot.x_title, &si, 56.0, 37.0),
        );
        let fitted = font::fit(plot.y_title, LABEL, frame.bottom - frame.top);
        frame.axis(canvas, FrameSide::Left, &y, &Labels::of_numbers(&fitted, &count, 42.0, 60.0));
    })
}

fn entries(plot: &CurvePlot<'_>, look: SeriesStyle) -> Vec<LegendEntry> {
    let mut entries = vec![LegendEntry { look, text: plot.y_title.to_owned() }];
    let found = plot.knees.iter().filter(|k| k.knee.is_some());
    for finding in found {
        let text = words::knee::legend(finding, Confidence::named(&finding.confidence));
        let stroke = Stroke::knee(&finding.detector);
        entries.push(LegendEntry {
            look: SeriesStyle { stroke, mark: Mark::None, radius: 0.0 },
            text,
        });
    }
    let none = plot.knees.iter().filter(|k| k.knee.is_none());
    for finding in none {
        let look = SeriesStyle { stroke: Stroke::solid(INK, 0.0), mark: Mark::None, radius: 0.0 };
        entries.push(LegendEntry { look, text: format!("{}: no knee", finding.detector) });
    }
    entries
}
