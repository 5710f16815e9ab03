//! Files that `simulate` writes: all answers of all runs, and plots of the best value so far.

use std::path::{Path, PathBuf};

use math::{quantile, sorted};
use records::StudyFolder;
use report::exporters::{AxisScale, FigureError, Line, LinesPlot, plot_lines, png};

use super::simulated_runs::SimulatedRuns;
use crate::terminal::Failure;

const POINTS: usize = 200;

pub(super) fn write(outcome: &SimulatedRuns, out: &Path, pixels: bool) -> Result<PathBuf, Failure> {
    let (place, label) = (&outcome.landscape.name, &outcome.scored_strategy.label);
    let folder = StudyFolder::create(out, chrono::Utc::now(), place, label, "simulate")
        .map_err(Failure::settings)?;
    let keep = |name: &str, bytes: &[u8]| folder.write_whole(name, bytes).map_err(Failure::bug);
    keep("runs.csv", &runs(outcome).map_err(Failure::bug)?)?;
    for (name, svg) in [("evaluations", over_evaluations(outcome)), ("time", over_time(outcome))] {
        let Ok(svg) = svg else { continue };
        if pixels {
            keep(&format!("{name}.png"), &png(&svg).map_err(Failure::bug)?)?;
        }
        keep(&format!("{name}.svg"), svg.as_bytes())?;
    }
    Ok(folder.path().to_owned())
}

/// Writes one row per answer.
fn runs(outcome: &SimulatedRuns) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let landscape = &outcome.landscape;
    let value = if landscape.unit() == "ms" { "milliseconds" } else { landscape.unit() };
    writer.write_record(["seed", "answer", "simulated_seconds", value, "best"])?;
    for (at, run) in outcome.runs.iter().enumerate() {
        let seed = (outcome.first_seed + at as u64).to_string();
        let mut best = f64::INFINITY;
        for (number, (time, value)) in run.run.times.iter().zip(&run.run.values).enumerate() {
            best = value.map_or(best, |value| best.min(value));
            let shown = |cost: f64| match cost.is_finite() {
                true => landscape.shown(cost).to_string(),
                false => String::new(),
            };
            writer.write_record([
                &seed,
                &(number + 1).to_string(),
                &time.to_string(),
                &value.map(shown).unwrap_or_default(),
                &shown(best),
            ])?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// The best value of one run as a step function: pairs of a position and the best value from there
/// on.
struct StepCurve(Vec<(f64, f64)>);

impl StepCurve {
    /// The best value at a position, if the run had found any.
    fn at(&self, x: f64) -> Option<f64> {
        let after = self.0.partition_point(|step| step.0 <= x);
        after.checked_sub(1).map(|at| self.0[at].1)
    }
}

fn over_evaluations(outcome: &SimulatedRuns) -> Result<String, FigureError> {
    let steps = |run| {
        let bests = outcome.best_so_far(run).into_iter().enumerate();
        StepCurve(bests.filter_map(|(at, best)| Some(((at + 1) as f64, best?))).collect())
    };
    let last = outcome.runs.iter().map(|run| run.order.len()).max().unwrap_or(0);
    let runs: Vec<StepCurve> = outcome.runs.iter().map(steps).collect();
    draw(outcome, &runs, last as f64, "different configurations evaluated")
}

fn over_time(outcome: &SimulatedRuns) -> Result<String, FigureError> {
    let steps = |run: &scoring::Simulated| {
        let mut best = f64::INFINITY;
        let answers = run.run.times.iter().zip(&run.run.values);
        let found = answers.filter_map(|(time, value)| {
            best = best.min((*value)?);
            Some((*time, best))
        });
        StepCurve(found.collect())
    };
    let ends = outcome.runs.iter().filter_map(|run| run.run.times.last());
    let last = ends.copied().fold(0.0, f64::max);
    let runs: Vec<StepCurve> = outcome.runs.iter().map(steps).collect();
    draw(outcome, &runs, last, "simulated time (s)")
}

/// Draws the median run with a band from the lower to the upper quartile, and the optimum.
fn draw(
    outcome: &SimulatedRuns,
    runs: &[StepCurve],
    last: f64,
    x_title: &str,
) -> Result<String, FigureError> {
    let places = (1..=POINTS).map(|i| last * i as f64 / POINTS as f64);
    let point = |x: f64| {
        let values: Vec<f64> = runs.iter().filter_map(|run| run.at(x)).collect();
        // The median is defined only once more than half of the runs have found a value.
        (values.len() * 2 > runs.len()).then(|| {
            let values: Vec<f64> =
                values.into_iter().map(|cost| outcome.landscape.shown(cost)).collect();
            let values = sorted(&values);
            let at = |q| quantile(&values, q);
            (x, at(0.5), (at(0.25), at(0.75)))
        })
    };
    let points: Vec<_> = places.filter_map(point).collect();
    let optimum = outcome.landscape.shown(outcome.landscape.optimum());
    let best = [points.first(), points.last()].into_iter().flatten();
    let level = best.map(|p| (p.0, optimum, (optimum, optimum))).collect();
    let (runs, label) = (runs.len(), &outcome.scored_strategy.label);
    let name = match runs {
        1 => label.clone(),
        n => format!("{label}: median and quartiles of {n} runs"),
    };
    let lines = [Line { name, points }, Line { name: "optimum".to_owned(), points: level }];
    plot_lines(&LinesPlot {
        title: &outcome.landscape.name,
        x_title,
        y_title: &format!("best so far ({})", outcome.landscape.unit()),
        lines: &lines,
        x_scale: AxisScale::Linear,
        floor: f64::NEG_INFINITY,
    })
}
