//! Draws a series: a line of points with their uncertainty.

use super::{
    axis::Axis,
    canvas::{Canvas, Stroke},
    palette::Mark,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PlotPoint {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) interval: Option<(f64, f64)>,
    pub(super) band: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SeriesStyle {
    pub(super) stroke: Stroke,
    pub(super) mark: Mark,
    pub(super) radius: f64,
}

/// Draws the translucent band of a series. Call it before [`series`].
pub(super) fn band(
    canvas: &mut Canvas<'_>,
    x: &Axis,
    y: &Axis,
    points: &[PlotPoint],
    look: SeriesStyle,
) {
    let ranged: Vec<_> = points.iter().filter_map(|p| Some((p.x, p.band?))).collect();
    if ranged.len() < 2 {
        return;
    }
    let upper = ranged.iter().map(|(at, (_, high))| (x.at(*at), y.at(*high)));
    let lower = ranged.iter().rev().map(|(at, (low, _))| (x.at(*at), y.at(*low)));
    let outline: Vec<_> = upper.chain(lower).collect();
    canvas.shape(&outline, look.stroke.colour, 0.16);
}

pub(super) fn series(
    canvas: &mut Canvas<'_>,
    x: &Axis,
    y: &Axis,
    points: &[PlotPoint],
    look: SeriesStyle,
) {
    let path: Vec<_> = points.iter().map(|p| (x.at(p.x), y.at(p.y))).collect();
    canvas.line(&path, look.stroke);
    let bar = Stroke::solid(look.stroke.colour, 1.0);
    for point in points {
        let Some((low, high)) = point.interval else { continue };
        let (at, low, high) = (x.at(point.x), y.at(low), y.at(high));
        // A shorter bar would be hidden behind its mark.
        if (low - high).abs() > 1.5 * look.radius {
            canvas.line(&[(at, low), (at, high)], bar);
            for end in [low, high] {
                canvas.line(&[(at - 2.5, end), (at + 2.5, end)], bar);
            }
        }
    }
    for at in path {
        canvas.mark(at, look.mark, look.radius, look.stroke.colour);
    }
}
