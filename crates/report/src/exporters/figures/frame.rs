//! Frame around data: border, grid, ticks, labels and titles of axes.

use super::{
    axis::Axis,
    canvas::{Anchor, Canvas, Stroke, Turn},
    palette::{Dash, GRID, INK, SOFT},
};

/// Sizes of text in pixels.
pub(super) const TITLE: f64 = 15.0;
pub(super) const LABEL: f64 = 12.5;
pub(super) const TICK: f64 = 11.5;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FrameSide {
    Bottom,
    Left,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AxisValues {
    Numbers,
    Counts,
}

pub(super) struct Labels<'a> {
    pub(super) title: &'a str,
    pub(super) colour: plotters::style::RGBColor,
    pub(super) words: &'a dyn Fn(f64) -> String,
    /// Least distance between labels, in pixels.
    pub(super) gap: f64,
    pub(super) values: AxisValues,
    /// Pixels from the edge to the title.
    pub(super) distance: f64,
}

impl<'a> Labels<'a> {
    pub(super) fn of_numbers(
        title: &'a str,
        words: &'a dyn Fn(f64) -> String,
        gap: f64,
        distance: f64,
    ) -> Self {
        Self { title, colour: INK, words, gap, values: AxisValues::Numbers, distance }
    }
}

impl Frame {
    pub(super) fn across(&self) -> (f64, f64) {
        (self.left, self.right)
    }

    pub(super) fn upwards(&self) -> (f64, f64) {
        (self.bottom, self.top)
    }

    /// Draws the border; call after [`Frame::grid`].
    pub(super) fn border(&self, canvas: &mut Canvas<'_>) {
        let Self { left, top, right, bottom } = *self;
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        canvas.line(&corners, Stroke::solid(SOFT, 1.0));
    }

    /// Draws lines across the frame at the labelled values of an axis.
    pub(super) fn grid(&self, canvas: &mut Canvas<'_>, edge: FrameSide, axis: &Axis, gap: f64) {
        for value in axis.ticks(gap).0 {
            let at = axis.at(value);
            let ends = match edge {
                FrameSide::Bottom => [(at, self.top), (at, self.bottom)],
                FrameSide::Left | FrameSide::Right => [(self.left, at), (self.right, at)],
            };
            canvas.line(&ends, Stroke::solid(GRID, 1.0));
        }
        // A dotted line parts the place of 0 from the values of a logarithmic axis.
        let Some(at) = axis.begin().filter(|_| axis.zero().is_some()) else { return };
        let ends = match edge {
            FrameSide::Bottom => [(at, self.top), (at, self.bottom)],
            FrameSide::Left | FrameSide::Right => [(self.left, at), (self.right, at)],
        };
        canvas.line(&ends, Stroke::new(SOFT, 1.0, Dash::Dotted));
    }

    pub(super) fn axis(
        &self,
        canvas: &mut Canvas<'_>,
        edge: FrameSide,
        axis: &Axis,
        labels: &Labels<'_>,
    ) {
        let (major, minor) = match labels.values {
            AxisValues::Numbers => axis.ticks(labels.gap),
            AxisValues::Counts => axis.whole_ticks(labels.gap),
        };
        let tick = |canvas: &mut Canvas<'_>, at: f64, length: f64| {
            let ends = match edge {
                FrameSide::Bottom => [(at, self.bottom), (at, self.bottom + length)],
                FrameSide::Left => [(self.left, at), (self.left - length, at)],
                FrameSide::Right => [(self.right, at), (self.right + length, at)],
            };
            canvas.line(&ends, Stroke::solid(SOFT, 1.0));
        };
        for value in minor {
            tick(canvas, axis.at(value), 3.0);
        }
        let zero = axis.zero().map(|_| 0.0);
        for value in zero.into_iter().chain(major) {
            let at = axis.at(value);
            tick(canvas, at, 5.5);
            let words = (labels.words)(value);
            let (point, anchor) = match edge {
                FrameSide::Bottom => ((at, self.bottom + 15.0), Anchor::Middle),
                FrameSide::Left => ((self.left - 9.0, at), Anchor::End),
                FrameSide::Right => ((self.right + 9.0, at), Anchor::Start),
            };
            canvas.text(point, &words, TICK, INK, anchor, Turn::Level);
        }
        let (mid_x, mid_y) = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0);
        let (point, turn) = match edge {
            FrameSide::Bottom => ((mid_x, self.bottom + labels.distance), Turn::Level),
            FrameSide::Left => ((self.left - labels.distance, mid_y), Turn::Upwards),
            FrameSide::Right => ((self.right + labels.distance, mid_y), Turn::Downwards),
        };
        canvas.text(point, labels.title, LABEL, labels.colour, Anchor::Middle, turn);
    }
}
