//! Plots of a comparison: performance over time, best value so far, and what was attained.

use math::mean;
use report::exporters::{
    AxisScale, Dots, DotsPlot, FigureError, Line, LinesPlot, plot_dots, plot_lines,
};
use scoring::{ProgressPoint, overall, total};

use super::{Measure, Scored, files::STEP};

/// Number of strategies that are drawn, best first.
const DRAWN: usize = 6;
/// Lower end of the y axis. In tiny spaces, curves begin far below random search.
const FLOOR: f64 = -0.5;

impl Scored<'_> {
    /// The plots with their names, without empty ones.
    pub(super) fn pictures(&self) -> Result<Vec<(&'static str, String)>, FigureError> {
        let mut pictures = vec![("progress", self.ways()), ("attained", self.dots())];
        if self.arguments.budget.is_none() {
            pictures.push(("performance", self.performance()));
        }
        pictures.retain(|(_, picture)| !matches!(picture, Err(FigureError::Empty(_))));
        pictures.into_iter().map(|(name, picture)| Ok((name, picture?))).collect()
    }

    fn drawn(&self) -> impl Iterator<Item = usize> {
        self.ranking.iter().copied().take(DRAWN)
    }

    fn title(&self) -> String {
        let places = match self.landscapes.as_slice() {
            [one] => one.name.clone(),
            many => format!("mean of {} spaces", many.len()),
        };
        let shown = match self.ranking.len() {
            n if n > DRAWN => format!(", the best {DRAWN} of {n} strategies"),
            _ => String::new(),
        };
        format!("{places}, {} runs each{shown}", self.arguments.repeats)
    }

    /// The curves of the best strategies, with bands of two standard errors.
    fn performance(&self) -> Result<String, FigureError> {
        let line = |at: usize| {
            let (performance, errors) = overall(&self.standings[at]);
            let last = (performance.len() - 1) as f64;
            let points = performance.iter().zip(&errors).enumerate().step_by(STEP);
            let point = |(i, (value, error)): (usize, (&f64, &f64))| {
                (i as f64 / last, *value, (value - 2.0 * error, value + 2.0 * error))
            };
            let score = total(&self.standings[at]).0;
            let name = format!("{} ({score:.2})", self.label(at));
            Line { name, points: points.map(point).collect() }
        };
        plot_lines(&LinesPlot {
            title: &self.title(),
            x_title: "share of the time in which random search gets 95 % of the way to the optimum",
            y_title: "performance (0: random search, 1: optimum)",
            lines: &self.drawn().map(line).collect::<Vec<_>>(),
            x_scale: AxisScale::Linear,
            floor: FLOOR,
        })
    }

    /// The best value so far over evaluations: median and quartiles, averaged over the spaces.
    fn ways(&self) -> Result<String, FigureError> {
        let line = |at: usize| {
            let ways: Vec<&[ProgressPoint]> =
                self.standings[at].iter().map(|standing| standing.progress.as_slice()).collect();
            Line { name: self.label(at).to_owned(), points: averaged(&ways) }
        };
        plot_lines(&LinesPlot {
            title: &self.title(),
            x_title: "different configurations",
            y_title: "share of the optimum so far, median and quartiles",
            lines: &self.drawn().map(line).collect::<Vec<_>>(),
            x_scale: AxisScale::Linear,
            floor: 0.0,
        })
    }

    /// What was attained on each space: median and quartiles.
    fn dots(&self) -> Result<String, FigureError> {
        let measure = self.measure();
        let last = self.last_cut();
        let dots = |at: usize| {
            let point = |space| {
                let attained = self.attained(measure, (at, space, last))?;
                Some((attained.median, attained.quartiles))
            };
            let points = (0..self.landscapes.len()).map(point).collect();
            Dots { name: self.label(at).to_owned(), points }
        };
        let n = self.evaluations.get(last).copied().unwrap_or(0);
        let what = match measure {
            Measure::Share => "share of the optimum",
            Measure::SpeedUp => "speed-up",
        };
        plot_dots(&DotsPlot {
            title: &format!("after {n} evaluations, {} runs each", self.arguments.repeats),
            y_title: &format!("{what}, median and quartiles (0: none found)"),
            places: &self.landscapes.iter().map(|l| l.name.clone()).collect::<Vec<_>>(),
            dots: &self.ranking.iter().map(|at| dots(*at)).collect::<Vec<_>>(),
        })
    }
}

/// The mean of several curves, at every position where one of them has a point. A curve keeps its
/// last value after its end.
fn averaged(ways: &[&[ProgressPoint]]) -> Vec<(f64, f64, (f64, f64))> {
    let mut places: Vec<usize> =
        ways.iter().flat_map(|way| way.iter().map(|point| point.evaluations)).collect();
    places.sort_unstable();
    places.dedup();
    let at = |way: &&[ProgressPoint], evaluations: usize| {
        let after = way.partition_point(|point| point.evaluations <= evaluations);
        after.checked_sub(1).map(|last| way[last])
    };
    let point = |evaluations: usize| {
        let all: Vec<ProgressPoint> = ways.iter().filter_map(|way| at(way, evaluations)).collect();
        let over = |of: fn(&ProgressPoint) -> f64| mean(&all.iter().map(of).collect::<Vec<_>>());
        let band = (over(|point| point.quartiles.0), over(|point| point.quartiles.1));
        (evaluations as f64, over(|point| point.median), band)
    };
    places.into_iter().map(point).collect()
}
