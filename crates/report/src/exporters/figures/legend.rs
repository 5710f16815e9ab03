//! Legend outside the data, in rows that wrap.

use super::{
    canvas::{Anchor, Canvas, Turn},
    font,
    frame::TICK,
    palette::{INK, Mark},
    series::SeriesStyle,
};

const SAMPLE: f64 = 30.0;
const GAP: f64 = 18.0;

/// Height of a row in pixels.
pub(super) const ROW: f64 = 18.0;

#[derive(Debug, Clone)]
pub(super) struct LegendEntry {
    pub(super) look: SeriesStyle,
    pub(super) text: String,
}

impl LegendEntry {
    /// Returns the width of the entry's sample: a line, a mark alone, or nothing.
    fn sample(&self) -> f64 {
        match (self.look.stroke.width > 0.0, self.look.mark) {
            (true, _) => SAMPLE,
            (false, Mark::None) => -6.0,
            (false, _) => 10.0,
        }
    }

    fn width(&self) -> f64 {
        self.sample() + 6.0 + font::width(&self.text, TICK) + GAP
    }
}

pub(super) fn rows(entries: &[LegendEntry], width: f64) -> usize {
    placed(entries, width).last().map_or(0, |(row, _)| row + 1)
}

fn placed(entries: &[LegendEntry], width: f64) -> Vec<(usize, f64)> {
    let (mut row, mut used) = (0, 0.0);
    entries
        .iter()
        .map(|entry| {
            if used > 0.0 && used + entry.width() - GAP > width {
                row += 1;
                used = 0.0;
            }
            let at = used;
            used += entry.width();
            (row, at)
        })
        .collect()
}

/// Draws the entries to the right of and below the point.
pub(super) fn draw(canvas: &mut Canvas<'_>, at: (f64, f64), width: f64, entries: &[LegendEntry]) {
    for (entry, (row, offset)) in entries.iter().zip(placed(entries, width)) {
        let (x, y) = (at.0 + offset, at.1 + row as f64 * ROW + ROW / 2.0);
        if entry.look.stroke.width > 0.0 {
            canvas.line(&[(x, y), (x + entry.sample(), y)], entry.look.stroke);
        }
        let SeriesStyle { mark, radius, stroke } = entry.look;
        canvas.mark((x + entry.sample() / 2.0, y), mark, radius, stroke.colour);
        let text_at = (x + entry.sample() + 6.0, y);
        canvas.text(text_at, &entry.text, TICK, INK, Anchor::Start, Turn::Level);
    }
}
