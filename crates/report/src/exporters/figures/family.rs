//! Family tree of candidates: each at its number and score, with a line from its parent. The line
//! from the first ancestor to the best candidate is drawn strongly.

use std::collections::{BTreeMap, BTreeSet};

use records::{CandidateRecord, FamilyView};

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{AxisValues, Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, Dash, GREEN, GRID, INK, Mark, PURPLE, SKY, SOFT, VERMILLION},
    series::SeriesStyle,
};
use crate::exporters::words::quantities::significant;

const SIZE: (f64, f64) = (860.0, 480.0);
/// Height of the strip below the data, in which candidates without a score are drawn.
const STRIP: f64 = 26.0;
/// Lower scores are drawn at the edge. Random search scores 0, and how much worse a candidate is
/// does not matter.
const FLOOR: f64 = -0.5;
/// With more candidates, marks are small and the line of the best has no numbers.
const MANY: usize = 400;

/// Pixels from a mark to its number.
const LIFT: f64 = 11.0;

/// Marks of the mutations.
const MARKS: [(&str, Mark, plotters::style::RGBColor); 4] = [
    ("begin", Mark::Disc, SOFT),
    ("refine", Mark::Circle, SKY),
    ("new", Mark::Triangle, GREEN),
    ("simplify", Mark::Square, PURPLE),
];

/// Draws the family tree as SVG.
///
/// # Errors
/// If there are no candidates.
pub(in crate::exporters) fn family(view: &FamilyView) -> Result<String, FigureError> {
    if view.candidates.is_empty() {
        return Err(FigureError::Empty("there are no candidates"));
    }
    let title = "Family tree: every candidate below the line to its parent";
    let entries = entries(view);
    let (left, right) = (72.0, SIZE.0 - 24.0);
    let top = 40.0 + legend::rows(&entries, right - left) as f64 * legend::ROW + 8.0;
    let frame = Frame { left, top, right, bottom: SIZE.1 - 54.0 - STRIP };
    draw(SIZE, title, |canvas| {
        canvas.text((left, 22.0), title, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 38.0), right - left, &entries);
        let tree = Tree::of(view, frame);
        tree.draw(canvas);
    })
}

struct Tree<'a> {
    view: &'a FamilyView,
    frame: Frame,
    x: Axis,
    y: Axis,
    /// Numbers of the best candidate and of its ancestors.
    line: BTreeSet<u64>,
    radius: f64,
    /// Position of each candidate.
    places: BTreeMap<u64, (f64, f64)>,
}

impl<'a> Tree<'a> {
    fn of(view: &'a FamilyView, frame: Frame) -> Self {
        let all = &view.candidates;
        let numbers = all.iter().map(|one| one.number as f64);
        let x = Axis::over(numbers, AxisScale::Linear, Margin::Both, frame.across());
        let scores = all.iter().filter_map(|one| one.score).map(|score| score.max(FLOOR));
        let y = Axis::over(scores, AxisScale::Linear, Margin::Both, frame.upwards());
        let best = view.best();
        let line = best.map(|best| view.ancestry(best)).unwrap_or_default();
        let line = line.into_iter().map(|one| one.number).collect();
        let radius = if all.len() > MANY { 2.0 } else { 3.6 };
        let place = |one: &CandidateRecord| {
            let down = frame.bottom + STRIP / 2.0;
            let height = one.score.map_or(down, |score| y.at(score.max(FLOOR)));
            (one.number, (x.at(one.number as f64), height))
        };
        let places = all.iter().map(place).collect();
        Self { view, frame, x, y, line, radius, places }
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        self.frame.grid(canvas, FrameSide::Left, &self.y, 42.0);
        self.generations(canvas);
        self.lines(canvas, false, Stroke::solid(SOFT, 0.6));
        for one in &self.view.candidates {
            let Some(at) = self.places.get(&one.number) else { continue };
            match one.fault {
                Some(_) => canvas.mark(*at, Mark::Cross, self.radius, VERMILLION),
                None => {
                    let look = MARKS.iter().find(|(word, ..)| *word == one.mutation);
                    let (_, mark, colour) = look.unwrap_or(&MARKS[0]);
                    canvas.mark(*at, *mark, self.radius, *colour);
                }
            }
        }
        self.lines(canvas, true, Stroke::solid(BLUE, 2.0));
        self.line_of_the_best(canvas);
        self.frame.border(canvas);
        self.axes(canvas);
    }

    /// Draws the lines between parents and children: those of the best's ancestry, or all others.
    fn lines(&self, canvas: &mut Canvas<'_>, of_the_best: bool, stroke: Stroke) {
        for one in &self.view.candidates {
            let Some(parent) = one.parent else { continue };
            let both = self.line.contains(&one.number) && self.line.contains(&parent);
            let ends = self.places.get(&parent).zip(self.places.get(&one.number));
            if let Some((from, to)) = ends.filter(|_| both == of_the_best) {
                canvas.line(&[*from, *to], stroke);
            }
        }
    }

    fn line_of_the_best(&self, canvas: &mut Canvas<'_>) {
        for number in &self.line {
            let Some(at) = self.places.get(number) else { continue };
            canvas.mark(*at, Mark::Disc, self.radius + 0.6, BLUE);
            if self.view.candidates.len() <= MANY {
                // Near the top there is no room above.
                let above = at.1 - LIFT > self.frame.top + LIFT / 2.0;
                let beside = (at.0, if above { at.1 - LIFT } else { at.1 + LIFT });
                canvas.text(beside, &number.to_string(), TICK, INK, Anchor::Middle, Turn::Level);
            }
        }
    }

    /// Draws a line where each generation ends.
    fn generations(&self, canvas: &mut Canvas<'_>) {
        for pair in self.view.candidates.windows(2) {
            if pair[0].generation != pair[1].generation {
                let at = self.x.at((pair[0].number + pair[1].number) as f64 / 2.0);
                let ends = [(at, self.frame.top), (at, self.frame.bottom + STRIP)];
                canvas.line(&ends, Stroke::new(GRID, 1.0, Dash::Short));
            }
        }
    }

    fn axes(&self, canvas: &mut Canvas<'_>) {
        let Frame { left, right, bottom, .. } = self.frame;
        let strip = [(left, bottom), (left, bottom + STRIP), (right, bottom + STRIP)];
        canvas.line(&strip, Stroke::solid(SOFT, 1.0));
        canvas.line(&[(right, bottom), (right, bottom + STRIP)], Stroke::solid(SOFT, 1.0));
        let beside = (left - 9.0, bottom + STRIP / 2.0);
        canvas.text(beside, "failed", TICK, INK, Anchor::End, Turn::Level);
        let words = |value: f64| significant(value, 3);
        let labels = |title, gap, values, distance| Labels {
            title,
            colour: INK,
            words: &words,
            gap,
            values,
            distance,
        };
        let below = Frame { bottom: bottom + STRIP, ..self.frame };
        let numbers = labels("candidate; dashes end generations", 56.0, AxisValues::Counts, 38.0);
        below.axis(canvas, FrameSide::Bottom, &self.x, &numbers);
        let title = "score (0: random search, 1: optimum)";
        let title = font::fit(title, LABEL, bottom - self.frame.top);
        let scores = labels(&title, 42.0, AxisValues::Numbers, 52.0);
        self.frame.axis(canvas, FrameSide::Left, &self.y, &scores);
    }
}

fn entries(view: &FamilyView) -> Vec<LegendEntry> {
    let entry = |(mark, colour, width): (Mark, _, f64), text: &str| LegendEntry {
        look: SeriesStyle { stroke: Stroke::solid(colour, width), mark, radius: 3.6 },
        text: text.to_owned(),
    };
    let mut entries = Vec::new();
    let any = |word: &str| view.candidates.iter().any(|one| one.mutation == word);
    for (word, mark, colour) in MARKS.into_iter().filter(|(word, ..)| any(word)) {
        entries.push(entry((mark, colour, 0.0), word));
    }
    if view.failed().next().is_some() {
        entries.push(entry((Mark::Cross, VERMILLION, 0.0), "failed"));
    }
    if view.best().is_some() {
        entries.push(entry((Mark::Disc, BLUE, 2.0), "the best, and what it came from"));
    }
    entries
}
