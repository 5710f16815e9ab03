//! A sheet to draw on, in fractions of pixels. Plotters writes the SVG.

use plotters::{
    backend::SVGBackend,
    coord::Shift,
    drawing::{DrawingArea, IntoDrawingArea as _},
    element::{Circle, PathElement, Polygon, Rectangle, Text},
    style::{
        Color as _, FontTransform, IntoFont as _, RGBColor, ShapeStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};
use records::sinks;

use super::{
    font,
    palette::{self, Dash, Mark},
};

/// Units per pixel. Plotters takes only whole numbers, so coordinates are given in these units.
const UNITS: f64 = 20.0;

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// There is nothing to show.
    #[error("there is nothing to draw: {0}")]
    Empty(&'static str),
    /// The drawing library failed.
    #[error("cannot draw the figure: {0}")]
    Drawing(String),
    /// The picture cannot be rasterised.
    #[error("cannot turn the figure into pixels: {0}")]
    Raster(String),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Stroke {
    pub(super) colour: RGBColor,
    pub(super) width: f64,
    pub(super) dash: Dash,
}

impl Stroke {
    pub(super) const fn new(colour: RGBColor, width: f64, dash: Dash) -> Self {
        Self { colour, width, dash }
    }

    pub(super) const fn solid(colour: RGBColor, width: f64) -> Self {
        Self::new(colour, width, Dash::Solid)
    }

    /// The line of a detector's knee.
    pub(super) fn knee(detector: &str) -> Self {
        let (colour, dash) = palette::knee(detector);
        Self::new(colour, 2.0, dash)
    }

    fn style(self) -> ShapeStyle {
        self.colour.stroke_width((self.width * UNITS).round() as u32)
    }
}

/// Which point of a text lies at the given position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Direction of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Turn {
    Level,
    Upwards,
    Downwards,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A sheet. It keeps its first error until [`draw`] ends, so that drawing code needs no error
/// handling.
pub(super) struct Canvas<'a> {
    area: Area<'a>,
    fault: Option<String>,
}

/// Draws on a white sheet of `size` pixels. Returns an SVG with a title for screen readers.
pub(super) fn draw(
    size: (f64, f64),
    title: &str,
    drawing: impl FnOnce(&mut Canvas<'_>),
) -> Result<String, FigureError> {
    let mut svg = String::new();
    let units = ((size.0 * UNITS) as u32, (size.1 * UNITS) as u32);
    let mut canvas =
        Canvas { area: SVGBackend::with_string(&mut svg, units).into_drawing_area(), fault: None };
    canvas.area(0.0, 0.0, size.0, size.1, plotters::style::WHITE, 1.0);
    drawing(&mut canvas);
    let presented = canvas.area.present().map_err(|e| e.to_string());
    canvas.keep(presented);
    let fault = canvas.fault.take();
    drop(canvas);
    if let Some(fault) = fault {
        return Err(FigureError::Drawing(fault));
    }
    let head_end = svg.find('>').map_or(0, |at| at + 1);
    let title = sinks::html(&sinks::line(title));
    Ok(format!(
        "<svg width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title>{title}</title>\n{}",
        size.0,
        size.1,
        units.0,
        units.1,
        svg[head_end..].trim_start(),
    ))
}

fn unit(at: (f64, f64)) -> (i32, i32) {
    let clamp = |v: f64| (v * UNITS).round().clamp(-1e8, 1e8) as i32;
    (clamp(at.0), clamp(at.1))
}

impl Canvas<'_> {
    fn keep<T>(&mut self, result: Result<T, String>) {
        if let Err(fault) = result {
            self.fault.get_or_insert(fault);
        }
    }

    pub(super) fn line(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let pieces = match stroke.dash.lengths() {
            [] => vec![points.to_vec()],
            lengths => dashes(points, lengths),
        };
        for piece in pieces.iter().filter(|piece| piece.len() > 1) {
            let path: Vec<_> = piece.iter().copied().map(unit).collect();
            let drawn = self.area.draw(&PathElement::new(path, stroke.style()));
            self.keep(drawn.map_err(|e| e.to_string()));
        }
    }

    pub(super) fn shape(&mut self, points: &[(f64, f64)], colour: RGBColor, opacity: f64) {
        let path: Vec<_> = points.iter().copied().map(unit).collect();
        let drawn = self.area.draw(&Polygon::new(path, colour.mix(opacity).filled()));
        self.keep(drawn.map_err(|e| e.to_string()));
    }

    /// Draws a filled rectangle between two corners, with opacity `o`.
    pub(super) fn area(&mut self, x0: f64, y0: f64, x1: f64, y1: f64, colour: RGBColor, o: f64) {
        let corners = [unit((x0, y0)), unit((x1, y1))];
        let drawn = self.area.draw(&Rectangle::new(corners, colour.mix(o).filled()));
        self.keep(drawn.map_err(|e| e.to_string()));
    }

    fn circle(&mut self, at: (f64, f64), radius: f64, style: ShapeStyle) {
        let drawn = self.area.draw(&Circle::new(unit(at), (radius * UNITS) as i32, style));
        self.keep(drawn.map_err(|e| e.to_string()));
    }

    pub(super) fn mark(&mut self, at: (f64, f64), mark: Mark, radius: f64, colour: RGBColor) {
        let (x, y) = at;
        let r = radius;
        let thin = Stroke::solid(colour, 1.2);
        let white = plotters::style::WHITE;
        match mark {
            Mark::None => {}
            Mark::Disc => self.circle(at, r, colour.filled()),
            Mark::Circle => {
                self.circle(at, r, white.filled());
                self.circle(at, r, thin.style());
            }
            Mark::Square => {
                let s = r * 0.9;
                self.area(x - s, y - s, x + s, y + s, white, 1.0);
                self.line(
                    &closed(&[(x - s, y - s), (x + s, y - s), (x + s, y + s), (x - s, y + s)]),
                    thin,
                );
            }
            Mark::Triangle => {
                let corners = [(x, y - r * 1.1), (x + r, y + r * 0.8), (x - r, y + r * 0.8)];
                self.shape(&corners, white, 1.0);
                self.line(&closed(&corners), thin);
            }
            Mark::Diamond => {
                let d = r * 1.25;
                let corners = [(x, y - d), (x + d, y), (x, y + d), (x - d, y)];
                self.shape(&corners, white, 1.0);
                self.line(&closed(&corners), thin);
            }
            Mark::Cross => {
                self.line(&[(x - r, y - r), (x + r, y + r)], thin);
                self.line(&[(x - r, y + r), (x + r, y - r)], thin);
            }
            Mark::Plus => {
                self.line(&[(x - r, y), (x + r, y)], thin);
                self.line(&[(x, y - r), (x, y + r)], thin);
            }
            Mark::Bar => self.line(&[(x, y - r), (x, y + r)], thin),
        }
    }

    /// Draws a text of one line, vertically centred on the point.
    pub(super) fn text(
        &mut self,
        at: (f64, f64),
        text: &str,
        size: f64,
        colour: RGBColor,
        anchor: Anchor,
        turn: Turn,
    ) {
        let transform = match turn {
            Turn::Level => FontTransform::None,
            Turn::Upwards => FontTransform::Rotate270,
            Turn::Downwards => FontTransform::Rotate90,
        };
        let h_pos = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        // The SVG backend divides sizes by this factor to match other backends.
        let font = (font::FAMILY, size * UNITS * 1.24).into_font().transform(transform);
        let style = font.color(&colour).pos(Pos::new(h_pos, VPos::Center));
        let drawn = self.area.draw(&Text::new(sinks::line(text), unit(at), style));
        self.keep(drawn.map_err(|e| e.to_string()));
    }
}

fn closed(corners: &[(f64, f64)]) -> Vec<(f64, f64)> {
    corners.iter().chain(corners.first()).copied().collect()
}

/// Cuts a line into the strokes of a dash pattern.
fn dashes(points: &[(f64, f64)], lengths: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut state = 0;
    let mut left = lengths[0];
    let Some(&first) = points.first() else { return pieces };
    let mut piece = vec![first];
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let rest = (to.0 - from.0).hypot(to.1 - from.1);
            if rest <= left {
                left -= rest;
                piece.push(to);
                break;
            }
            let share = left / rest;
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            piece.push(from);
            if state % 2 == 0 {
                pieces.push(std::mem::take(&mut piece));
            }
            piece = vec![from];
            state = (state + 1) % lengths.len();
            left = lengths[state];
        }
    }
    if state % 2 == 0 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_strokes_and_leave_gaps() {
        let pieces = dashes(&[(0.0, 0.0), (10.0, 0.0)], &[4.0, 3.0]);
        assert_eq!(pieces, [vec![(0.0, 0.0), (4.0, 0.0)], vec![(7.0, 0.0), (10.0, 0.0)]]);
    }

    #[test]
    fn titles_are_escaped() {
        let svg = draw((10.0, 10.0), "a < b & c", |_| {}).expect("drawn");
        assert!(svg.contains("<title>a &lt; b &amp; c</title>"), "{svg}");
        let svg = draw((9.0, 9.0), "a\u{1b}[31mred", |_| {}).expect("drawn");
        assert!(svg.contains("<title>a\u{FFFD}[31mred</title>"), "{svg}");
        assert!(svg.trim_end().ends_with("</svg>"), "{svg}");
    }
}
