//! Outlines of texts in the bundled font.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::outline::Point;
use crate::exporters::figures::font;

/// Straight pieces of a curve. Few are enough, because letters are small.
const PIECES: u8 = 6;

/// Returns the outlines of a text and its width. The text begins at (0, 0), and y grows upwards
/// from its base line.
pub(super) fn outlines(text: &str, size: f32) -> Option<(Vec<Vec<Point>>, f32)> {
    let face = Face::parse(font::FILE, 0).ok()?;
    let scale = size / f32::from(face.units_per_em());
    let mut pen = Pen { outlines: Vec::new(), scale, right: 0.0 };
    for sign in text.chars() {
        // Glyph 0 stands for characters that the font lacks.
        let glyph = face.glyph_index(sign).unwrap_or(GlyphId(0));
        face.outline_glyph(glyph, &mut pen);
        pen.right += f32::from(face.glyph_hor_advance(glyph)?) * scale;
    }
    Some((pen.outlines, pen.right))
}

/// Draws each glyph to the right of the previous one.
struct Pen {
    outlines: Vec<Vec<Point>>,
    scale: f32,
    right: f32,
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.outlines.push(vec![(self.right + x * self.scale, y * self.scale)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let point = (self.right + x * self.scale, y * self.scale);
        self.outlines.last_mut().into_iter().for_each(|outline| outline.push(point));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let Some(&(x0, y0)) = self.outlines.last().and_then(|outline| outline.last()) else {
            return;
        };
        let (x0, y0) = ((x0 - self.right) / self.scale, y0 / self.scale);
        for share in (1..=PIECES).map(|piece| f32::from(piece) / f32::from(PIECES)) {
            let left = 1.0 - share;
            let on = |a, b, c| a * left * left + 2.0 * b * left * share + c * share * share;
            self.line_to(on(x0, x1, x), on(y0, y1, y));
        }
    }

    /// TrueType has no cubic curves.
    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, x: f32, y: f32) {
        self.line_to(x, y);
    }

    fn close(&mut self) {}
}
