//! Plot of repeats: each study's curve, their median, the band of all of them, and the knees.

use records::{BandPoint, KneeAgreement, RepeatsView, band};

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, Dash, INK, KNEE_COLOUR, Mark, SOFT},
    saturation::{named_metric, named_size},
    series::{PlotPoint, SeriesStyle, band as shade, series},
};
use crate::exporters::words::quantities::{count, si};

const SIZE: (f64, f64) = (820.0, 500.0);
const X_GAP: f64 = 56.0;
const Y_GAP: f64 = 42.0;

const MEDIAN: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(BLUE, 2.4), mark: Mark::Disc, radius: 3.4 };
const EACH: SeriesStyle =
    SeriesStyle { stroke: Stroke::new(SOFT, 1.0, Dash::Short), mark: Mark::None, radius: 0.0 };

/// Draws the curves of all finished studies as SVG.
///
/// # Errors
/// If no two of them have a size in common.
pub(in crate::exporters) fn repeats(view: &RepeatsView) -> Result<String, FigureError> {
    let band = band(&view.repeats);
    if band.is_empty() {
        return Err(FigureError::Empty("no two studies have measured the same sizes"));
    }
    let plan = &view.record.plan;
    let title = format!(
        "{} on {}: {} studies of one plan",
        plan.benchmark.name, plan.device.name, view.agreement.finished
    );
    let entries = entries(view);
    let (left, right) = (78.0, SIZE.0 - 28.0);
    let top = 40.0 + legend::rows(&entries, right - left) as f64 * legend::ROW + 24.0;
    let frame = Frame { left, top, right, bottom: SIZE.1 - 70.0 };
    draw(SIZE, &title, |canvas| {
        let words = font::fit(&title, TITLE, right - left);
        canvas.text((left, 22.0), &words, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 38.0), right - left, &entries);
        plot(canvas, frame, view, &band);
        let note = "band: from the lowest to the highest study at each size";
        let at = (SIZE.0 / 2.0, SIZE.1 - 14.0);
        canvas.text(at, note, TICK - 1.0, SOFT, Anchor::Middle, Turn::Level);
    })
}

fn plot(canvas: &mut Canvas<'_>, frame: Frame, view: &RepeatsView, band: &[BandPoint]) {
    let line = |curve: &[(u64, f64)]| -> Vec<PlotPoint> {
        let point =
            |(x, y): &(u64, f64)| PlotPoint { x: *x as f64, y: *y, interval: None, band: None };
        curve.iter().map(point).collect()
    };
    let each: Vec<Vec<PlotPoint>> = view.finished().map(|repeat| line(&repeat.curve)).collect();
    let median: Vec<PlotPoint> = band
        .iter()
        .map(|at| {
            let band = Some((at.low, at.high));
            PlotPoint { x: at.size as f64, y: at.median, interval: None, band }
        })
        .collect();
    let all = || each.iter().flatten();
    let x = Axis::over(all().map(|p| p.x), AxisScale::Log, Margin::Both, frame.across());
    let y = Axis::over(all().map(|p| p.y), AxisScale::Linear, Margin::FromZero, frame.upwards());
    frame.grid(canvas, FrameSide::Bottom, &x, X_GAP);
    frame.grid(canvas, FrameSide::Left, &y, Y_GAP);
    frame.border(canvas);
    shade(canvas, &x, &y, &median, MEDIAN);
    for curve in &each {
        series(canvas, &x, &y, curve, EACH);
    }
    knees(canvas, frame, &x, view);
    series(canvas, &x, &y, &median, MEDIAN);
    let plan = &view.record.plan;
    let (size, metric) = (named_size(plan), named_metric(plan));
    frame.axis(canvas, FrameSide::Bottom, &x, &Labels::of_numbers(&size, &si, X_GAP, 37.0));
    frame.axis(canvas, FrameSide::Left, &y, &Labels::of_numbers(&metric, &count, Y_GAP, 56.0));
}

/// Draws the deciding detector's knees: a thin line for each study, a strong line for their median.
fn knees(canvas: &mut Canvas<'_>, frame: Frame, x: &Axis, view: &RepeatsView) {
    let Some(agreement) = deciding(view) else { return };
    let colour = KNEE_COLOUR;
    let mut line = |knee: f64, top: f64, stroke: Stroke| {
        if x.shows(knee) {
            let at = x.at(knee);
            canvas.line(&[(at, top), (at, frame.bottom)], stroke);
        }
    };
    for repeat in view.finished() {
        let knee = repeat.finding(&agreement.detector).and_then(|finding| finding.knee);
        if let Some(knee) = knee {
            line(knee, frame.top, Stroke::new(colour, 1.0, Dash::Dotted));
        }
    }
    let Some(median) = agreement.median else { return };
    line(median, frame.top - 4.0, Stroke::solid(colour, 2.0));
    if x.shows(median) {
        let words = format!("median knee {}", count(median));
        let half = font::width(&words, LABEL) / 2.0;
        let middle = x.at(median).clamp(frame.left + half, frame.right - half);
        let at = (middle, frame.top - 13.0);
        canvas.text(at, &words, LABEL, INK, Anchor::Middle, Turn::Level);
    }
}

/// Returns the agreement on the deciding detector's knee, if any study found one.
fn deciding(view: &RepeatsView) -> Option<&KneeAgreement> {
    view.agreement.knees.first().filter(|knees| knees.found > 0)
}

fn entries(view: &RepeatsView) -> Vec<LegendEntry> {
    let metric = &view.record.plan.benchmark.secondary.name;
    let mut entries = vec![
        LegendEntry { look: MEDIAN, text: format!("{metric}, median of the studies") },
        LegendEntry { look: EACH, text: "each study".to_owned() },
    ];
    let plain = |stroke| SeriesStyle { stroke, mark: Mark::None, radius: 0.0 };
    match deciding(view) {
        Some(knees) => {
            let detector = &knees.detector;
            let text = format!(
                "median knee by {detector}, {} of {} within one step of it",
                knees.within_one_step, view.agreement.finished
            );
            entries.push(LegendEntry { look: plain(Stroke::solid(KNEE_COLOUR, 2.0)), text });
            if knees.found > 1 {
                let stroke = Stroke::new(KNEE_COLOUR, 1.0, Dash::Dotted);
                entries.push(LegendEntry { look: plain(stroke), text: "each knee".to_owned() });
            }
        }
        None => {
            let text = "no knee found".to_owned();
            entries.push(LegendEntry { look: plain(Stroke::solid(INK, 0.0)), text });
        }
    }
    entries
}
