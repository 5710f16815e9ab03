//! Pixels, and how much of each is covered: all to the right of edges that go down, less all to the
//! right of those that go up.

use super::outline::Point;

/// Shades between a shape and what is below it: more are not seen, but make files a third larger.
const SHADES: f32 = 16.0;

pub(super) struct Sheet {
    pub(super) width: usize,
    height: usize,
    /// Red, green and blue, row by row.
    pub(super) pixels: Vec<u8>,
    /// How much more of a pixel is covered than of that to its left. Rows are two longer.
    steps: Vec<f32>,
}

impl Sheet {
    pub(super) fn white(width: usize, height: usize) -> Self {
        let (pixels, steps) = (vec![255; 3 * width * height], vec![0.0; (width + 2) * height]);
        Self { width, height, pixels, steps }
    }

    /// Paints what the outlines enclose.
    pub(super) fn paint(&mut self, outlines: &[Vec<Point>], colour: [u8; 3], opacity: f32) {
        let (mut low, mut high) = ((self.width, self.height), (0, 0));
        for outline in outlines {
            for (from, to) in outline.iter().zip(outline.iter().cycle().skip(1)) {
                self.edge(*from, *to);
                // What is left of 0 becomes 0.
                low = (low.0.min(from.0 as usize), low.1.min(from.1 as usize));
                high = (high.0.max(from.0 as usize), high.1.max(from.1 as usize));
            }
        }
        for row in low.1..=high.1.min(self.height - 1) {
            let mut covered = 0.0_f32;
            for column in low.0..=high.0.min(self.width) + 1 {
                covered += std::mem::take(&mut self.steps[row * (self.width + 2) + column]);
                if column < self.width {
                    let share = (covered.abs().min(1.0) * SHADES).round() / SHADES * opacity;
                    let at = 3 * (row * self.width + column);
                    for (old, new) in self.pixels[at..at + 3].iter_mut().zip(colour) {
                        let (from, to) = (f32::from(*old), f32::from(new));
                        *old = (from + (to - from) * share).round() as u8;
                    }
                }
            }
        }
    }

    fn edge(&mut self, from: Point, to: Point) {
        let (top, bottom, sign) = if from.1 < to.1 { (from, to, 1.0) } else { (to, from, -1.0) };
        if top.1 >= bottom.1 {
            return;
        }
        let slope = (bottom.0 - top.0) / (bottom.1 - top.1);
        for row in top.1 as usize..self.height.min(bottom.1.ceil() as usize) {
            let (high, low) = (top.1.max(row as f32), bottom.1.min(row as f32 + 1.0));
            let x = |y: f32| (top.0 + (y - top.1) * slope).clamp(0.0, self.width as f32);
            let (left, right) = (x(high).min(x(low)), x(high).max(x(low)));
            // How much of the row is to the right of the edge, and to the left of a position.
            let area = |at: f32| {
                let within = at.min(right) - left;
                let beside = (at - right).max(0.0);
                if within > 0.0 { within * within / (right - left) / 2.0 + beside } else { beside }
            };
            let mut before = 0.0;
            for column in left as usize..=right as usize + 1 {
                let covered =
                    (area(column as f32 + 1.0) - area(column as f32)) * (low - high) * sign;
                self.steps[row * (self.width + 2) + column] += covered - before;
                before = covered;
            }
        }
    }
}
