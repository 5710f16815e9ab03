//! Studies as bars: their speed-up over the first study, and their errors below.

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    palette::{BLUE, GREEN, INK, SOFT},
};
use crate::exporters::quantities::significant;

/// Pixels between labels of the upright axes.
const GAP: f64 = 34.0;
/// Share of its room that a bar takes.
const WIDTH: f64 = 0.6;
/// Pixels from the middle of a bar to its interval, so that the interval does not cover the label.
const WHISKER: f64 = 16.0;

/// A study in the plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Name of the study.
    pub label: String,
    /// Speed-up over the first study; `None` if the study has no answer.
    pub speedup: Option<f64>,
    /// 95 % interval of the speed-up. Studies are made one after the other, and the interval leaves
    /// out how much the machine changes between them.
    pub interval: Option<(f64, f64)>,
    /// The study's error, or 1 minus the error.
    pub error: Option<f64>,
}

/// Bars of studies.
#[derive(Debug, Clone, PartialEq)]
pub struct BarsPlot {
    /// Title above the figure.
    pub title: String,
    /// The studies, in order.
    pub bars: Vec<Bar>,
    /// Title of the axis of errors.
    pub error: String,
    /// Whether the values are 1 minus the error: their axis is linear, that of errors logarithmic.
    pub is_share: bool,
}

/// Draws studies as bars, as SVG.
///
/// # Errors
/// If no study has an answer.
pub fn plot_bars(plot: &BarsPlot) -> Result<String, FigureError> {
    if plot.bars.iter().all(|bar| bar.speedup.is_none()) {
        return Err(FigureError::Empty("no study has an answer"));
    }
    let longest = plot.bars.iter().map(|bar| font::width(&bar.label, TICK)).fold(0.0, f64::max);
    let room = (longest + 18.0).clamp(76.0, 220.0);
    let right = 84.0 + room * plot.bars.len() as f64;
    let above = Frame { left: 84.0, top: 52.0, right, bottom: 242.0 };
    let below = Frame { top: 268.0, bottom: 408.0, ..above };
    draw((right + 24.0, 446.0), &plot.title, |canvas| {
        let middle = f64::midpoint(above.left, above.right);
        canvas.text((middle, 22.0), &plot.title, TITLE, INK, Anchor::Middle, Turn::Level);
        let speedups: Vec<Option<f64>> = plot.bars.iter().map(|bar| bar.speedup).collect();
        let ends = plot.bars.iter().map(|bar| Some(bar.interval?.1));
        let reach: Vec<Option<f64>> = speedups.iter().copied().chain(ends).collect();
        let y = scale(&reach, AxisScale::Linear, above);
        let words = |value: f64| format!("{}×", significant(value, 3));
        panel(canvas, above, &y, &speedups, ("speed-up", BLUE, &words));
        for (at, bar) in plot.bars.iter().enumerate() {
            if let Some((low, high)) = bar.interval {
                let x = place(above, plot.bars.len(), at) + WHISKER;
                let (low, high) = (y.at(low), y.at(high));
                canvas.line(&[(x, low), (x, high)], Stroke::solid(INK, 1.2));
                for end in [low, high] {
                    canvas.line(&[(x - 3.0, end), (x + 3.0, end)], Stroke::solid(INK, 1.2));
                }
            }
        }
        let errors: Vec<Option<f64>> = plot.bars.iter().map(|bar| bar.error).collect();
        let kind = if plot.is_share { AxisScale::Linear } else { AxisScale::Log };
        let y = scale(&errors, kind, below);
        let digits = if plot.is_share { 4 } else { 2 };
        let words = |value: f64| significant(value, digits);
        panel(canvas, below, &y, &errors, (&plot.error, GREEN, &words));
        for (at, bar) in plot.bars.iter().enumerate() {
            let x = place(below, plot.bars.len(), at);
            let point = (x, below.bottom + 17.0);
            canvas.text(point, &bar.label, TICK, INK, Anchor::Middle, Turn::Level);
        }
    })
}

/// Returns an axis with room for words above the highest bar.
fn scale(values: &[Option<f64>], kind: AxisScale, frame: Frame) -> Axis {
    let highest = values.iter().flatten().copied().fold(0.0, f64::max);
    let room = if kind == AxisScale::Log { 3.0 } else { 1.1 };
    let least = values.iter().flatten().copied().filter(|value| *value > 0.0);
    let least = least.fold(f64::INFINITY, f64::min) / 3.0;
    let low = if kind == AxisScale::Log { least } else { 0.0 };
    Axis::over([low, highest * room], kind, Margin::FromZero, frame.upwards())
}

fn place(frame: Frame, all: usize, at: usize) -> f64 {
    frame.left + (frame.right - frame.left) * (at as f64 + 0.5) / all as f64
}

fn panel(
    canvas: &mut Canvas<'_>,
    frame: Frame,
    y: &Axis,
    values: &[Option<f64>],
    (title, colour, words): (&str, plotters::style::RGBColor, &dyn Fn(f64) -> String),
) {
    frame.grid(canvas, FrameSide::Left, y, GAP);
    let half = (frame.right - frame.left) / values.len() as f64 * WIDTH / 2.0;
    for (at, value) in values.iter().enumerate() {
        let x = place(frame, values.len(), at);
        let (top, text, ink) = match value {
            Some(value) => {
                let top = y.at(*value);
                canvas.area(x - half, top, x + half, frame.bottom, colour, 0.85);
                (top, words(*value), INK)
            }
            None => (frame.bottom, "none".to_owned(), SOFT),
        };
        canvas.text((x, top - 9.0), &text, LABEL, ink, Anchor::Middle, Turn::Level);
    }
    frame.border(canvas);
    let plain = |value: f64| significant(value, 3);
    frame.axis(canvas, FrameSide::Left, y, &Labels::of_numbers(title, &plain, GAP, 62.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(speedups: &[Option<f64>]) -> BarsPlot {
        let bar = |(at, speedup): (usize, &Option<f64>)| Bar {
            label: format!("study {at}"),
            speedup: *speedup,
            interval: speedup.map(|speedup| (0.9 * speedup, 1.2 * speedup)),
            error: speedup.map(|_| 0.5),
        };
        BarsPlot {
            title: "studies".to_owned(),
            bars: speedups.iter().enumerate().map(bar).collect(),
            error: "NMI".to_owned(),
            is_share: true,
        }
    }

    #[test]
    fn every_study_has_its_bar_and_its_words() {
        let svg = plot_bars(&bars(&[Some(1.0), Some(2.5), None])).expect("a figure");
        for words in ["1×", "2.5×", "none", "study 2", "speed-up", "NMI"] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        let plain = BarsPlot { is_share: false, ..bars(&[Some(1.0)]) };
        assert!(plot_bars(&plain).is_ok());
    }

    #[test]
    fn without_answers_there_is_no_figure() {
        assert!(plot_bars(&bars(&[None, None])).is_err());
        assert!(plot_bars(&bars(&[])).is_err());
    }
}
