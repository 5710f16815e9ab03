//! Plot of run times over time, with marks where they changed.

use chrono::{DateTime, Datelike as _, Utc};

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    palette::{BLUE, Dash, INK, Mark, VERMILLION},
    series::{PlotPoint, SeriesStyle, series},
};
use crate::exporters::words::quantities::seconds;

const SIZE: (f64, f64) = (820.0, 440.0);
const LOOK: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(BLUE, 1.4), mark: Mark::Disc, radius: 3.4 };

/// Seconds in a day.
const DAY: f64 = 86_400.0;

/// A run time that was measured at some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrendPoint {
    /// When it was measured.
    pub time: DateTime<Utc>,
    /// The run time.
    pub seconds: f64,
    /// 95 % interval of the run time.
    pub interval: (f64, f64),
}

/// A time at which the run time changed.
#[derive(Debug, Clone, PartialEq)]
pub struct TrendMark {
    /// When it changed.
    pub time: DateTime<Utc>,
    /// How it changed.
    pub words: String,
}

/// Plot of a trend.
#[derive(Debug, Clone)]
pub struct TrendPlot<'a> {
    /// The title.
    pub title: &'a str,
    /// Title of the y axis: what the run times are of.
    pub y_title: &'a str,
    /// The run times, in ascending order of time.
    pub points: &'a [TrendPoint],
    /// The changes.
    pub marks: &'a [TrendMark],
}

/// Draws the trend as SVG.
///
/// # Errors
/// If there are no points.
pub fn plot_trend(plot: &TrendPlot<'_>) -> Result<String, FigureError> {
    if plot.points.is_empty() {
        return Err(FigureError::Empty("no study has measured it"));
    }
    let points: Vec<PlotPoint> = plot
        .points
        .iter()
        .map(|p| PlotPoint {
            x: days(p.time),
            y: p.seconds,
            interval: Some(p.interval),
            band: None,
        })
        .collect();
    let frame = Frame { left: 92.0, top: 60.0, right: SIZE.0 - 28.0, bottom: SIZE.1 - 54.0 };
    draw(SIZE, plot.title, |canvas| {
        let title = font::fit(plot.title, TITLE, frame.right - frame.left);
        canvas.text((frame.left, 22.0), &title, TITLE, INK, Anchor::Start, Turn::Level);
        // A single study gets half a day on both sides.
        let (first, last) = (points[0].x, points[points.len() - 1].x);
        let beside = if last <= first { 0.5 } else { 0.0 };
        let times = [first - beside, last + beside].into_iter();
        let x = Axis::over(times, AxisScale::Linear, Margin::Both, frame.across());
        let ends = points.iter().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [low, high]
        });
        let y = Axis::over(ends, AxisScale::Linear, Margin::Both, frame.upwards());
        frame.grid(canvas, FrameSide::Bottom, &x, 110.0);
        frame.grid(canvas, FrameSide::Left, &y, 42.0);
        for mark in plot.marks {
            draw_mark(canvas, frame, &x, mark);
        }
        series(canvas, &x, &y, &points, LOOK);
        frame.border(canvas);
        frame.axis(canvas, FrameSide::Bottom, &x, &Labels::of_numbers("UTC", &date, 110.0, 40.0));
        let fitted = font::fit(plot.y_title, LABEL, frame.bottom - frame.top);
        frame.axis(canvas, FrameSide::Left, &y, &Labels::of_numbers(&fitted, &seconds, 42.0, 74.0));
    })
}

fn draw_mark(canvas: &mut Canvas<'_>, frame: Frame, x: &Axis, mark: &TrendMark) {
    let at = x.at(days(mark.time));
    let stroke = Stroke::new(VERMILLION, 1.4, Dash::Short);
    canvas.line(&[(at, frame.top), (at, frame.bottom)], stroke);
    let half = font::width(&mark.words, TICK) / 2.0;
    let middle = at.clamp(frame.left + half, (frame.right - half).max(frame.left + half));
    let place = (middle, frame.top - 10.0);
    canvas.text(place, &mark.words, TICK, INK, Anchor::Middle, Turn::Level);
}

fn days(time: DateTime<Utc>) -> f64 {
    time.timestamp() as f64 / DAY
}

/// Formats the day of a tick, with the hour if it is not midnight.
fn date(days: f64) -> String {
    let Some(time) = DateTime::from_timestamp((days * DAY).round() as i64, 0) else {
        return String::new();
    };
    let midnight = (days - days.round()).abs() * DAY < 1.0;
    let day = format!("{}-{:02}-{:02}", time.year(), time.month(), time.day());
    if midnight { day } else { format!("{day} {}", time.format("%H:%M")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_has_its_points_its_days_and_its_changes() {
        let time = |day: u32| format!("2026-03-{day:02}T00:00:00Z").parse().expect("a time");
        let point = |day: u32| TrendPoint {
            time: time(day),
            seconds: 1e-3 * f64::from(1 + day / 10),
            interval: (0.9e-3, 2.2e-3),
        };
        let points: Vec<TrendPoint> = (1..20).map(point).collect();
        let marks = [TrendMark { time: time(10), words: "50 % slower".to_owned() }];
        let plot = TrendPlot { title: "gemm", y_title: "seconds", points: &points, marks: &marks };
        let svg = plot_trend(&plot).expect("points");
        assert_eq!(svg.matches("<circle").count(), 19, "{svg}");
        assert!(svg.contains("50 % slower") && svg.contains("2026-03-08"), "{svg}");
        assert!(plot_trend(&TrendPlot { points: &[], ..plot }).is_err());
    }

    #[test]
    fn a_single_study_is_a_trend_too() {
        let time = "2026-03-04T05:06:07Z".parse().expect("a time");
        let points = [TrendPoint { time, seconds: 1e-3, interval: (1e-3, 1e-3) }];
        let plot = TrendPlot { title: "gemm", y_title: "seconds", points: &points, marks: &[] };
        assert!(plot_trend(&plot).expect("a point").contains("2026-03-04"));
    }
}
