//! Plot of medians with their quartiles: a group for each place, and in it a dot for each series.

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, GREEN, GRID, INK, Mark, ORANGE, PURPLE, SKY, VERMILLION},
    series::{PlotPoint, SeriesStyle, series},
};
use crate::exporters::words::quantities::significant;

const SIZE: (f64, f64) = (860.0, 470.0);
/// Share of a group's width that its dots take.
const FILLED: f64 = 0.76;

const MARKS: [(plotters::style::RGBColor, Mark); 8] = [
    (BLUE, Mark::Disc),
    (VERMILLION, Mark::Square),
    (GREEN, Mark::Triangle),
    (PURPLE, Mark::Diamond),
    (ORANGE, Mark::Circle),
    (SKY, Mark::Disc),
    (INK, Mark::Cross),
    (BLUE, Mark::Plus),
];

/// One series.
#[derive(Debug, Clone)]
pub struct Dots {
    /// Name in the legend.
    pub name: String,
    /// Median and quartiles at each place; `None` where there are none.
    pub points: Vec<Option<(f64, (f64, f64))>>,
}

/// Plot of medians with quartiles.
#[derive(Debug, Clone)]
pub struct DotsPlot<'a> {
    /// The title.
    pub title: &'a str,
    /// Title of the y axis, with the unit.
    pub y_title: &'a str,
    /// Names of the places.
    pub places: &'a [String],
    /// Series; only the first eight are easy to distinguish.
    pub dots: &'a [Dots],
}

/// Draws the dots as SVG.
///
/// # Errors
/// If no series has a median.
pub fn plot_dots(plot: &DotsPlot<'_>) -> Result<String, FigureError> {
    let all = || plot.dots.iter().flat_map(|dots| dots.points.iter().flatten());
    if all().next().is_none() {
        return Err(FigureError::Empty("no series has a median"));
    }
    let looks = MARKS.iter().cycle().map(|(colour, mark)| SeriesStyle {
        stroke: Stroke::solid(*colour, 0.0),
        mark: *mark,
        radius: 3.6,
    });
    let entries: Vec<LegendEntry> = plot
        .dots
        .iter()
        .zip(looks)
        .map(|(dots, look)| LegendEntry { look, text: dots.name.clone() })
        .collect();
    let (left, right) = (72.0, SIZE.0 - 28.0);
    let top = 42.0 + legend::rows(&entries, right - left) as f64 * legend::ROW;
    let frame = Frame { left, top: top + 8.0, right, bottom: SIZE.1 - 40.0 };
    draw(SIZE, plot.title, |canvas| {
        let title = font::fit(plot.title, TITLE, right - left);
        canvas.text((left, 22.0), &title, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 38.0), right - left, &entries);
        let values = all().flat_map(|(median, quartiles)| [*median, quartiles.0, quartiles.1]);
        let y = Axis::over(values, AxisScale::Linear, Margin::FromZero, frame.upwards());
        let many = plot.places.len().max(1) as f64;
        let width = (frame.right - frame.left) / many;
        // This axis maps each pixel to itself, so that dots can be placed in their groups.
        let ends = [frame.left, frame.right];
        let x = Axis::over(ends, AxisScale::Linear, Margin::Both, stretched(frame.across()));
        frame.grid(canvas, FrameSide::Left, &y, 42.0);
        for (at, place) in plot.places.iter().enumerate() {
            let from = frame.left + at as f64 * width;
            if at > 0 {
                canvas.line(&[(from, frame.top), (from, frame.bottom)], Stroke::solid(GRID, 1.0));
            }
            let name = font::fit(place, TICK, width - 4.0);
            let below = (from + width / 2.0, frame.bottom + 15.0);
            canvas.text(below, &name, TICK, INK, Anchor::Middle, Turn::Level);
        }
        let step = FILLED * width / plot.dots.len().max(1) as f64;
        for (number, (dots, entry)) in plot.dots.iter().zip(&entries).enumerate() {
            for (place, (median, quartiles)) in
                dots.points.iter().enumerate().filter_map(|(at, p)| Some((at, (*p)?)))
            {
                let middle = frame.left + (place as f64 + 0.5) * width;
                let at = middle + (number as f64 - (plot.dots.len() as f64 - 1.0) / 2.0) * step;
                let point = PlotPoint { x: at, y: median, interval: Some(quartiles), band: None };
                series(canvas, &x, &y, &[point], entry.look);
            }
        }
        frame.border(canvas);
        let words = |value: f64| significant(value, 3);
        let fitted = font::fit(plot.y_title, LABEL, frame.bottom - frame.top);
        frame.axis(canvas, FrameSide::Left, &y, &Labels::of_numbers(&fitted, &words, 42.0, 52.0));
    })
}

/// Widens a range of pixels by the margins of an axis, so that the axis maps each pixel to itself.
fn stretched((from, to): (f64, f64)) -> (f64, f64) {
    let room = 0.04 * (to - from);
    (from - room, to + room)
}
