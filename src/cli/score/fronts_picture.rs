//! The picture of a contest for fronts: how far strategies are from the front, over evaluations.

use super::fronts::{Pursued, Typical};
use crate::{
    exporters::{FigureError, Line, LinesPlot, Scale, plot_lines},
    numeric::mean,
};

/// So many of the best are drawn, and random search.
const DRAWN: usize = 6;

/// The medians of IGD+ with their 95 % intervals, means of the spaces.
pub(super) fn picture(pursued: &Pursued<'_>) -> Result<String, FigureError> {
    let mut cuts: Vec<(usize, usize)> =
        pursued.arguments.evaluations.iter().copied().enumerate().collect();
    cuts.sort_by_key(|(_, evaluations)| *evaluations);
    let ranking = pursued.ranking();
    let drawn = ranking.iter().enumerate();
    let drawn = drawn.filter(|(rank, at)| *rank < DRAWN || **at == pursued.yardstick);
    let lines: Vec<Line> = drawn
        .map(|(_, &at)| {
            let point = |(cut, evaluations): &(usize, usize)| {
                let of = |terrain| pursued.typical((at, terrain, *cut), |reached| reached.igd_plus);
                let all: Vec<Typical> = (0..pursued.terrains.len()).map(of).collect();
                let over =
                    |what: fn(&Typical) -> f64| mean(&all.iter().map(what).collect::<Vec<_>>());
                let band = (over(|typical| typical.interval.0), over(|typical| typical.interval.1));
                (*evaluations as f64, over(|typical| typical.median), band)
            };
            Line {
                name: pursued.contestants[at].label.clone(),
                points: cuts.iter().map(point).collect(),
            }
        })
        .collect();
    let places = match pursued.terrains.as_slice() {
        [one] => one.name.clone(),
        many => format!("mean of {} spaces", many.len()),
    };
    let shown = match ranking.len() {
        n if n > DRAWN => format!(", the best {DRAWN} of {n} strategies"),
        _ => String::new(),
    };
    let objectives = pursued.arguments.objectives.join(", ");
    plot_lines(&LinesPlot {
        title: &format!("{places}: {objectives}; {} runs each{shown}", pursued.arguments.repeats),
        x_title: "different evaluations",
        y_title: "IGD+, median (0: the front itself)",
        lines: &lines,
        x_scale: Scale::Linear,
        floor: 0.0,
    })
}
