//! Maps of classes: an output whose elements are the cells of a square, row after row, of several
//! studies side by side.

use plotters::style::RGBColor;

use super::{
    canvas::{Anchor, Canvas, FigureError, Turn, draw},
    font,
    frame::{TICK, TITLE},
    palette::{BLUE, GREEN, INK, ORANGE, PURPLE, SKY, SOFT, VERMILLION},
};
use crate::exporters::words::quantities::percent;

/// Colours of classes; further classes begin again.
const COLOURS: [RGBColor; 8] = [BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION, SOFT, INK];
/// Most cells across. Of a larger map, evenly spread cells are drawn.
const MOST: usize = 128;
/// Pixels across a map.
const ACROSS: f64 = 320.0;
const GAP: f64 = 24.0;

/// A map in the plot.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassMap {
    /// Name of the study.
    pub label: String,
    /// The class of every cell.
    pub classes: Vec<u32>,
}

/// Draws maps side by side, as SVG. Below each but the first is the share of its cells that differ
/// from the first.
///
/// # Errors
/// If there is no map, or one has no cells.
pub fn plot_maps(title: &str, maps: &[ClassMap]) -> Result<String, FigureError> {
    let Some(first) = maps.first() else { return Err(FigureError::Empty("there is no map")) };
    if maps.iter().any(|map| map.classes.is_empty()) {
        return Err(FigureError::Empty("a map has no cells"));
    }
    let width = GAP + (ACROSS + GAP) * maps.len() as f64;
    draw((width, 52.0 + ACROSS + 44.0), title, |canvas| {
        let words = font::fit(title, TITLE, width - 2.0 * GAP);
        canvas.text((width / 2.0, 22.0), &words, TITLE, INK, Anchor::Middle, Turn::Level);
        for (at, map) in maps.iter().enumerate() {
            let left = GAP + (ACROSS + GAP) * at as f64;
            panel(canvas, (left, 40.0), map);
            let place = (left + ACROSS / 2.0, 40.0 + ACROSS + 20.0);
            let words = font::fit(&below(first, map, at), TICK, ACROSS);
            canvas.text(place, &words, TICK, INK, Anchor::Middle, Turn::Level);
        }
    })
}

fn below(first: &ClassMap, map: &ClassMap, at: usize) -> String {
    if at == 0 || first.classes.len() != map.classes.len() {
        return map.label.clone();
    }
    let differ = first.classes.iter().zip(&map.classes).filter(|(a, b)| a != b).count();
    let share = percent(differ as f64 / map.classes.len() as f64);
    format!("{}: {share} of the cells differ from {}", map.label, first.label)
}

fn panel(canvas: &mut Canvas<'_>, (left, top): (f64, f64), map: &ClassMap) {
    let width = map.classes.len().isqrt();
    let width = if width * width < map.classes.len() { width + 1 } else { width };
    let shown = width.min(MOST);
    let edge = |cell: usize| (ACROSS * cell as f64 / shown as f64).round();
    let class = |row: usize, column: usize| {
        let [row, column] = [row, column].map(|at| (2 * at + 1) * width / (2 * shown));
        map.classes.get(row * width + column).copied()
    };
    for row in 0..shown {
        let mut from = 0;
        while from < shown {
            let own = class(row, from);
            let to = (from + 1..shown).find(|at| class(row, *at) != own).unwrap_or(shown);
            if let Some(own) = own {
                let colour = COLOURS[own as usize % COLOURS.len()];
                let (x, y) = ((left + edge(from), left + edge(to)), (edge(row), edge(row + 1)));
                canvas.area(x.0, top + y.0, x.1, top + y.1, colour, 1.0);
            }
            from = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_drawn_with_the_share_that_differs() {
        let map = |label: &str, classes: Vec<u32>| ClassMap { label: label.to_owned(), classes };
        let first: Vec<u32> = (0..10).map(|at| at / 3).collect();
        let mut other = first.clone();
        other[4] = 7;
        let svg = plot_maps("two", &[map("FP64", first), map("low", other)]).expect("drawn");
        assert!(svg.contains("low: 10 % of the cells differ from FP64"), "{svg}");
        let large = map("large", (0..160_000).map(|at| at / 40_000).collect());
        assert!(plot_maps("large", &[large]).expect("drawn").len() < 100_000);
        assert!(plot_maps("none", &[]).is_err());
        assert!(plot_maps("empty", &[map("empty", Vec::new())]).is_err());
    }
}
