//! The plot of a comparison of fronts.

use math::mean;
use report::exporters::{AxisScale, FigureError, Line, LinesPlot, plot_lines};
use scoring::Attained;

use super::ComparedFronts;

/// Number of strategies that are drawn, best first. Random search is always drawn.
const DRAWN: usize = 6;

impl ComparedFronts<'_> {
    /// Median IGD+ with quartiles, averaged over the spaces.
    pub(super) fn picture(&self) -> Result<String, FigureError> {
        let drawn = self.ranking.iter().enumerate();
        let drawn = drawn.filter(|(rank, at)| *rank < DRAWN || **at == self.yardstick);
        let line = |(_, &at): (usize, &usize)| {
            let point = |(cut, evaluations): (usize, &usize)| {
                let of = |space| self.typical((at, space, cut), |reached| reached.igd_plus);
                let all: Vec<Attained> = (0..self.spaces.len()).map(of).collect();
                let over =
                    |what: fn(&Attained) -> f64| mean(&all.iter().map(what).collect::<Vec<_>>());
                let band = (over(|one| one.quartiles.0), over(|one| one.quartiles.1));
                (*evaluations as f64, over(|one| one.median), band)
            };
            let points = self.evaluations.iter().enumerate().map(point).collect();
            Line { name: self.label(at).to_owned(), points }
        };
        let lines: Vec<Line> = drawn.map(line).collect();
        let places = match self.spaces.as_slice() {
            [one] => one.name.clone(),
            many => format!("mean of {} spaces", many.len()),
        };
        let shown = match self.ranking.len() {
            n if n > DRAWN => format!(", the best {DRAWN} of {n} strategies"),
            _ => String::new(),
        };
        let objectives = self.arguments.objectives_in_words();
        let repeats = self.arguments.repeats;
        plot_lines(&LinesPlot {
            title: &format!("{places}: {objectives}; {repeats} runs each{shown}"),
            x_title: "different evaluations",
            y_title: "IGD+, median and quartiles (0: the front itself)",
            lines: &lines,
            x_scale: AxisScale::Linear,
            floor: 0.0,
        })
    }
}
