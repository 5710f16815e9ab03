//! A sheet of pixels. How much of a pixel a shape covers follows from the shape's edges: the area
//! to the right of edges that go down, minus the area to the right of edges that go up.

use super::outline::Point;

/// Shades between a shape and what is below it. More shades are not visible, and make files a third
/// larger.
const SHADES: f32 = 16.0;

/// The columns of a row without a step.
const UNTOUCHED: (usize, usize) = (usize::MAX, 0);

pub(super) struct Sheet {
    pub(super) width: usize,
    height: usize,
    /// Red, green and blue, row by row.
    pub(super) pixels: Vec<u8>,
    /// How much more of a pixel is covered than of the pixel to its left. Each row has two more
    /// values.
    steps: Vec<f32>,
    /// The first and the last column with a step, by row.
    touched: Vec<(usize, usize)>,
}

impl Sheet {
    pub(super) fn white(width: usize, height: usize) -> Self {
        let (pixels, steps) = (vec![255; 3 * width * height], vec![0.0; (width + 2) * height]);
        Self { width, height, pixels, steps, touched: vec![UNTOUCHED; height] }
    }

    /// Paints the area inside the outlines.
    pub(super) fn paint(&mut self, outlines: &[Vec<Point>], colour: [u8; 3], opacity: f32) {
        let (mut low, mut high) = (self.height, 0);
        for outline in outlines {
            for (from, to) in outline.iter().zip(outline.iter().cycle().skip(1)) {
                self.edge(*from, *to);
                // Negative positions become 0.
                (low, high) = (low.min(from.1 as usize), high.max(from.1 as usize));
            }
        }
        for row in low..high.min(self.height - 1) + 1 {
            let (first, last) = std::mem::replace(&mut self.touched[row], UNTOUCHED);
            if first > last {
                continue;
            }
            let steps = &mut self.steps[row * (self.width + 2)..][first..=last];
            let pixels = &mut self.pixels[3 * row * self.width..3 * (row + 1) * self.width];
            let mut pixels = pixels[3 * first.min(self.width)..].chunks_exact_mut(3);
            let mut covered = 0.0_f32;
            for step in steps {
                covered += std::mem::take(step);
                let Some(pixel) = pixels.next() else { continue };
                // Adding a half and cutting rounds, as nothing here is negative.
                let shades = (covered.abs().min(1.0) * SHADES + 0.5) as u8;
                if shades == 0 {
                    continue;
                }
                let share = f32::from(shades) / SHADES * opacity;
                if share >= 1.0 {
                    pixel.copy_from_slice(&colour);
                    continue;
                }
                for (old, new) in pixel.iter_mut().zip(colour) {
                    let (from, to) = (f32::from(*old), f32::from(new));
                    *old = (from + (to - from) * share + 0.5) as u8;
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
            // How much of the row lies to the right of the edge and to the left of `at`.
            let area = |at: f32| {
                let within = at.min(right) - left;
                let beside = (at - right).max(0.0);
                if within > 0.0 { within * within / (right - left) / 2.0 + beside } else { beside }
            };
            let touched = &mut self.touched[row];
            *touched = (touched.0.min(left as usize), touched.1.max(right as usize + 1));
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
