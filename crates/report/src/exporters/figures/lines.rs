//! Plot of several lines with bands, such as the performance of strategies.

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, FigureError, Stroke, Turn, draw},
    font,
    frame::{AxisValues, Frame, FrameSide, LABEL, Labels, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, Dash, GREEN, INK, Mark, ORANGE, PURPLE, SKY, VERMILLION},
    series::{PlotPoint, SeriesStyle, band, series},
};
use crate::exporters::words::quantities::significant;

const SIZE: (f64, f64) = (760.0, 470.0);

const MARKS: [(plotters::style::RGBColor, Dash); 6] = [
    (BLUE, Dash::Solid),
    (VERMILLION, Dash::Long),
    (GREEN, Dash::Short),
    (PURPLE, Dash::Chain),
    (ORANGE, Dash::Dotted),
    (SKY, Dash::Solid),
];

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// x, y and the band around y, in ascending order of x.
    pub points: Vec<(f64, f64, (f64, f64))>,
}

/// Plot of several lines.
#[derive(Debug, Clone)]
pub struct LinesPlot<'a> {
    /// The title.
    pub title: &'a str,
    /// Title of the x axis, with the unit.
    pub x_title: &'a str,
    /// Title of the y axis, with the unit.
    pub y_title: &'a str,
    /// Lines; only the first six are easy to distinguish.
    pub lines: &'a [Line],
    /// Scale of the x axis.
    pub x_scale: AxisScale,
    /// Lower values of y are cut off.
    pub floor: f64,
}

/// Draws the lines as SVG.
///
/// # Errors
/// If there are no points.
pub fn plot_lines(plot: &LinesPlot<'_>) -> Result<String, FigureError> {
    if plot.lines.iter().all(|line| line.points.is_empty()) {
        return Err(FigureError::Empty("no line has points"));
    }
    let looked: Vec<(SeriesStyle, Vec<PlotPoint>)> = plot
        .lines
        .iter()
        .zip(MARKS.iter().cycle())
        .map(|(line, (colour, dash))| {
            let stroke = Stroke::new(*colour, 2.0, *dash);
            let look = SeriesStyle { stroke, mark: Mark::None, radius: 0.0 };
            let point = |&(x, y, range): &(f64, f64, _)| PlotPoint {
                x,
                y,
                interval: None,
                band: Some(range),
            };
            (look, line.points.iter().map(point).collect())
        })
        .collect();
    let entries: Vec<LegendEntry> = plot
        .lines
        .iter()
        .zip(&looked)
        .map(|(line, (look, _))| LegendEntry { look: *look, text: line.name.clone() })
        .collect();
    let (left, right) = (72.0, SIZE.0 - 28.0);
    let top = 42.0 + legend::rows(&entries, right - left) as f64 * legend::ROW;
    let frame = Frame { left, top: top + 8.0, right, bottom: SIZE.1 - 54.0 };
    draw(SIZE, plot.title, |canvas| {
        let title = font::fit(plot.title, TITLE, right - left);
        canvas.text((left, 22.0), &title, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 38.0), right - left, &entries);
        let all = || looked.iter().flat_map(|(_, points)| points);
        let x = Axis::over(all().map(|p| p.x), plot.x_scale, Margin::Both, frame.across());
        let y = Axis::over(
            all().map(|p| p.y.max(plot.floor)),
            AxisScale::Linear,
            Margin::Both,
            frame.upwards(),
        );
        frame.grid(canvas, FrameSide::Bottom, &x, 56.0);
        frame.grid(canvas, FrameSide::Left, &y, 42.0);
        for (look, points) in &looked {
            band(canvas, &x, &y, points, *look);
        }
        for (look, points) in looked.iter().rev() {
            series(canvas, &x, &y, points, *look);
        }
        frame.border(canvas);
        let words = |value: f64| significant(value, 3);
        let labels = |title, gap, distance| Labels {
            title,
            colour: INK,
            words: &words,
            gap,
            values: AxisValues::Numbers,
            distance,
        };
        frame.axis(canvas, FrameSide::Bottom, &x, &labels(plot.x_title, 56.0, 40.0));
        let fitted = font::fit(plot.y_title, LABEL, frame.bottom - frame.top);
        frame.axis(canvas, FrameSide::Left, &y, &labels(&fitted, 42.0, 52.0));
    })
}
